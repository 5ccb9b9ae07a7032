/**
 * Capabilities as typed services: contracts, policy and tools. Nothing here touches the world.
 *
 * @since 0.1.0
 */
export * from "./capabilities/Agents.js"
export * from "./capabilities/Attachments.js"
export {
  Capabilities,
  type CapabilityError,
  type Category,
  type ServicesOf
} from "./capabilities/Capabilities.js"
export * as Declaration from "./capabilities/Declaration.js"
export * from "./capabilities/Files.js"
export * from "./capabilities/Network.js"
export * from "./capabilities/Process.js"
export * from "./capabilities/Records.js"
export * from "./capabilities/Secrets.js"
export * from "./capabilities/Storage.js"
export * as Authority from "./policy/Authority.js"
export * as Decision from "./policy/Decision.js"
export * as Denial from "./policy/Denial.js"
export * as Request from "./policy/Request.js"
export { ScopeInvalid } from "./policy/ScopeInvalid.js"
export { Progress, ProgressEvent } from "./tools/Progress.js"
export * as Tool from "./tools/Tool.js"

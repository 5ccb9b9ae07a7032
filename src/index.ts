/**
 * Capabilities as typed services: contracts, policy and tools. Nothing here touches the world.
 *
 * @since 0.1.0
 */

export * from "./capabilities/Agents.js"
export * from "./capabilities/Attachments.js"
export * from "./capabilities/backends/AttachmentsBackend.js"
export * from "./capabilities/backends/FilesBackend.js"
export * from "./capabilities/backends/NetworkBackend.js"
export * from "./capabilities/backends/ProcessBackend.js"
export * from "./capabilities/backends/RecordsBackend.js"
export * from "./capabilities/backends/SecretsBackend.js"
export * from "./capabilities/backends/StorageBackend.js"
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
export * as AgentEdit from "./policy/AgentEdit.js"
export * as AgentRecord from "./policy/AgentRecord.js"
export * as Attenuation from "./policy/Attenuation.js"
export * as Authority from "./policy/Authority.js"
export * as Catalog from "./policy/Catalog.js"
export * as Decision from "./policy/Decision.js"
export * as Denial from "./policy/Denial.js"
export * as Floor from "./policy/Floor.js"
export * as Grant from "./policy/Grant.js"
export * as Personality from "./policy/Personality.js"
export * as Policy from "./policy/Policy.js"
export * as Proof from "./policy/Proof.js"
export * as ProviderTool from "./policy/ProviderTool.js"
export * as Request from "./policy/Request.js"
export { ScopeInvalid } from "./policy/ScopeInvalid.js"
export type { Place, Source } from "./policy/Source.js"
export * as Annotation from "./registry/Annotation.js"
export * as AttachmentRefs from "./registry/AttachmentRefs.js"
export type { BackendsOf } from "./registry/Backends.js"
export type { Call, Result, Results } from "./registry/Call.js"
export { NotAvailable } from "./registry/NotAvailable.js"
export * as Registry from "./registry/Registry.js"
export { RegistryError } from "./registry/RegistryError.js"
export * as Resolver from "./registry/Resolver.js"
export * as ToolResult from "./registry/ToolResult.js"
export * as Transcript from "./registry/Transcript.js"
export * as Turn from "./registry/Turn.js"
export * as Ask from "./tools/Ask.js"
export * as Builtin from "./tools/builtin/index.js"
export { Progress, ProgressEvent } from "./tools/Progress.js"
export * as Tool from "./tools/Tool.js"

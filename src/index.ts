/**
 * Capabilities as typed services: contracts, policy and tools. Nothing here touches the world.
 *
 * @since 0.1.0
 */

export { Agents, AgentsError } from "./capabilities/agents/Agents.js"
export { Attachment, Attachments, AttachmentsError } from "./capabilities/attachments/Attachments.js"
export { AttachmentsBackend } from "./capabilities/attachments/AttachmentsBackend.js"
export {
  type BackendsOf,
  Capabilities,
  type CapabilityError,
  type Category,
  type ServicesOf
} from "./capabilities/Capabilities.js"
export * as Declaration from "./capabilities/Declaration.js"
export { Files, FilesError } from "./capabilities/files/Files.js"
export { FilesBackend } from "./capabilities/files/FilesBackend.js"
export { Network, NetworkError } from "./capabilities/network/Network.js"
export { NetworkBackend } from "./capabilities/network/NetworkBackend.js"
export { Process, ProcessError } from "./capabilities/process/Process.js"
export { ProcessBackend } from "./capabilities/process/ProcessBackend.js"
export { Records } from "./capabilities/records/Records.js"
export { RecordsBackend } from "./capabilities/records/RecordsBackend.js"
export { RecordsError } from "./capabilities/records/RecordsOperations.js"
export { Secrets, SecretsError } from "./capabilities/secrets/Secrets.js"
export { SecretsBackend } from "./capabilities/secrets/SecretsBackend.js"
export { Storage, StorageError } from "./capabilities/storage/Storage.js"
export { StorageBackend } from "./capabilities/storage/StorageBackend.js"
export * as AgentRecord from "./policy/agent/AgentRecord.js"
export * as AgentEdit from "./policy/agent/edit/AgentEdit.js"
export * as Floor from "./policy/gate/floor/Floor.js"
export * as Proof from "./policy/gate/Proof.js"
export * as Attenuation from "./policy/grant/Attenuation.js"
export * as Catalog from "./policy/grant/Catalog.js"
export * as Grant from "./policy/grant/Grant.js"
export * as Authority from "./policy/lattice/Authority.js"
export * as Decision from "./policy/lattice/Decision.js"
export * as Denial from "./policy/lattice/Denial.js"
export * as Request from "./policy/lattice/Request.js"
export { ScopeInvalid } from "./policy/lattice/ScopeInvalid.js"
export * as Policy from "./policy/Policy.js"
export * as Personality from "./policy/personality/Personality.js"
export * as ProviderTool from "./policy/provider/ProviderTool.js"
export type { Place, Source } from "./policy/Source.js"
export * as Skill from "./policy/skill/Skill.js"
export * as Annotation from "./registry/Annotation.js"
export * as AttachmentRefs from "./registry/AttachmentRefs.js"
export type { Call, Result, Results } from "./registry/Call.js"
export * as Doctor from "./registry/doctor/Doctor.js"
export * as ErrorCode from "./registry/errorCodes/ErrorCode.js"
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

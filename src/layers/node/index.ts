/**
 * Live backends on Node: what touches the world.
 *
 * @since 0.1.0
 */
export * as MemoryAudit from "../../audit/MemoryAudit.js"
export * as MemoryRecords from "../../capabilities/records/MemoryRecords.js"
export * as MemoryStorage from "../../capabilities/storage/MemoryStorage.js"
export { AttachmentCache } from "./attachments/AttachmentCache.js"
export * as NodeAttachments from "./attachments/NodeAttachments.js"
export * as Audit from "./audit/Audit.js"
export * as AuditFiles from "./audit/AuditFiles.js"
export * as NodeFiles from "./files/NodeFiles.js"
export * as NodeBackends from "./NodeBackends.js"
export * as NodeNetwork from "./network/NodeNetwork.js"
export * as NodeProcess from "./process/NodeProcess.js"
export * as NodeRecords from "./records/NodeRecords.js"
export * as NodeSecrets from "./secrets/NodeSecrets.js"
export * as NodeStorage from "./storage/NodeStorage.js"

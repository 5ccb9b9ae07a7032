/**
 * Live backends on Node: what touches the world.
 *
 * @since 0.1.0
 */
export * as MemoryRecords from "../MemoryRecords.js"
export * as MemoryStorage from "../MemoryStorage.js"
export { AttachmentCache } from "./AttachmentCache.js"
export * as NodeAttachments from "./NodeAttachments.js"
export * as NodeBackends from "./NodeBackends.js"
export * as NodeFiles from "./NodeFiles.js"
export * as NodeNetwork from "./NodeNetwork.js"
export * as NodeProcess from "./NodeProcess.js"
export * as NodeRecords from "./NodeRecords.js"
export * as NodeSecrets from "./NodeSecrets.js"
export * as NodeStorage from "./NodeStorage.js"

/**
 * For tests of tools: mocks that note what was asked of them, and memory layers that obey an authority. For tests of
 * backends: contracts, one for each.
 *
 * @since 0.1.0
 */

export * as AttachmentsContract from "./contracts/AttachmentsContract.js"
export * as AuditContract from "./contracts/AuditContract.js"
export * as FilesContract from "./contracts/FilesContract.js"
export * as NetworkContract from "./contracts/NetworkContract.js"
export * as ProcessContract from "./contracts/ProcessContract.js"
export * as RecordsContract from "./contracts/RecordsContract.js"
export * as SecretsContract from "./contracts/SecretsContract.js"
export * as StorageContract from "./contracts/StorageContract.js"
export type { Call, Recording } from "./Recording.js"
export * as TestAgents from "./TestAgents.js"
export * as TestAttachments from "./TestAttachments.js"
export * as TestFiles from "./TestFiles.js"
export * as TestNetwork from "./TestNetwork.js"
export * as TestProcess from "./TestProcess.js"
export * as TestRecords from "./TestRecords.js"
export * as TestSecrets from "./TestSecrets.js"
export * as TestStorage from "./TestStorage.js"

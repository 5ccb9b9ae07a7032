/**
 * Tools that come with the library, written as any other: what they touch is declared, and they touch it through the
 * capabilities alone.
 *
 * @since 0.1.0
 */

import { ArgumentError } from "./ArgumentError.js"
import { createRecord } from "./CreateRecord.js"
import { deleteFile } from "./DeleteFile.js"
import { deleteRecord } from "./DeleteRecord.js"
import { getRecord } from "./GetRecord.js"
import { grantCapability } from "./GrantCapability.js"
import { kvDelete } from "./KvDelete.js"
import { kvGet } from "./KvGet.js"
import { kvList } from "./KvList.js"
import { kvSet } from "./KvSet.js"
import { listAttachments } from "./ListAttachments.js"
import { listFiles } from "./ListFiles.js"
import { listRecords } from "./ListRecords.js"
import { readAttachment } from "./ReadAttachment.js"
import { readFile } from "./ReadFile.js"
import { runCommand } from "./RunCommand.js"
import { runShell } from "./RunShell.js"
import { searchFiles } from "./SearchFiles.js"
import { searchRecords } from "./SearchRecords.js"
import { updateRecord } from "./UpdateRecord.js"
import { webFetch } from "./WebFetch.js"
import { writeFile } from "./WriteFile.js"

export {
  ArgumentError,
  createRecord,
  deleteFile,
  deleteRecord,
  getRecord,
  grantCapability,
  kvDelete,
  kvGet,
  kvList,
  kvSet,
  listAttachments,
  listFiles,
  listRecords,
  readAttachment,
  readFile,
  runCommand,
  runShell,
  searchFiles,
  searchRecords,
  updateRecord,
  webFetch,
  writeFile
}

/**
 * @since 0.1.0
 * @category tools
 */
export const builtins = [
  readFile,
  writeFile,
  deleteFile,
  listFiles,
  searchFiles,
  webFetch,
  runCommand,
  runShell,
  kvGet,
  kvSet,
  kvDelete,
  kvList,
  listAttachments,
  readAttachment,
  searchRecords,
  getRecord,
  listRecords,
  createRecord,
  updateRecord,
  deleteRecord,
  grantCapability
] as const

/**
 * Tools that come with the library, written as any other: what they touch is declared, and they touch it through the
 * capabilities alone.
 *
 * @since 0.1.0
 */
import { ArgumentError } from "./ArgumentError.js"
import { deleteFile } from "./DeleteFile.js"
import { kvDelete } from "./KvDelete.js"
import { kvGet } from "./KvGet.js"
import { kvList } from "./KvList.js"
import { kvSet } from "./KvSet.js"
import { listAttachments } from "./ListAttachments.js"
import { listFiles } from "./ListFiles.js"
import { readAttachment } from "./ReadAttachment.js"
import { readFile } from "./ReadFile.js"
import { runCommand } from "./RunCommand.js"
import { runShell } from "./RunShell.js"
import { searchFiles } from "./SearchFiles.js"
import { webFetch } from "./WebFetch.js"
import { writeFile } from "./WriteFile.js"

export {
  ArgumentError,
  deleteFile,
  kvDelete,
  kvGet,
  kvList,
  kvSet,
  listAttachments,
  listFiles,
  readAttachment,
  readFile,
  runCommand,
  runShell,
  searchFiles,
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
  readAttachment
] as const

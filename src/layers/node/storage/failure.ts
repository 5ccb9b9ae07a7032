/** Failures of the database, in words. They name no path and no content: a model may read them. */
import { StorageError } from "../../../capabilities/storage/StorageOperations.js"

const remedies: ReadonlyArray<readonly [pattern: RegExp, sentence: string]> = [
  [/ENOSPC|EDQUOT|No space left|quota/i, "there is no space left for the store; free some"],
  [
    /EIO|Input\/output error/i,
    "the disk did not take the write: it is full or damaged; free space on it, or replace it"
  ],
  [/EFBIG|File too large/i, "the store may not grow further; raise the file size limit of this process"],
  [/EROFS|Read-only file/i, "the store lies on a read-only file system; put it on a writable one"],
  [
    /EACCES|EPERM|Permission denied|not permitted/i,
    "this user may not open the store; make its directory readable and writable for this user alone"
  ],
  [/ENOTDIR|EEXIST|Not a directory/i, "the directory of the store is a file; name a directory"],
  [/MAP_FULL|ENOMEM|Cannot allocate/i, "the store could not be mapped into memory; give this process more"],
  [/READERS_FULL/, "too many processes have the store open; close some"],
  [
    /CORRUPTED|MDB_INVALID|PAGE_NOTFOUND|VERSION_MISMATCH|PANIC/,
    "the files of the store are damaged or of another program; restore them from a copy, or move them away"
  ],
  [
    /Cannot find (package|module)|ERR_MODULE_NOT_FOUND|No native build|dlopen/,
    "the package lmdb is missing or not built for this platform; install it"
  ],
  [/closed/i, "the store is closed: the layer it came from has ended"]
]

const textOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return `${"code" in cause ? String(cause.code) : ""} ${cause.message}`
}

export const failed = (cause: unknown): StorageError => {
  const text = textOf(cause)
  const known = remedies.find(([pattern]) => pattern.test(text))
  return new StorageError({
    code: "STORAGE_FAILED",
    detail: known?.[1] ?? "the store could not be read or written; look at its directory and its disk"
  })
}

export const closed: StorageError = failed("closed")

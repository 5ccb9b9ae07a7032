/** Failures of the database, in words. They name no path and no content: a model may read them. */
import { StorageError } from "../../../capabilities/storage/StorageOperations.js"
import { codeOf, primaryOf } from "./connection.js"

/** A failure that has its sentence. */
export const refused = (detail: string): StorageError => new StorageError({ code: "STORAGE_FAILED", detail })

const DAMAGED = "restore it from a copy, or move it away"

const noSpace = "there is no space left for the store; free some"
const mayNotWrite =
  "this user may not write the store; make its directory and its files readable and writable for this user alone"
const mayNotOpen =
  "this user may not open the store; make its directory readable and writable for this user alone"
const readOnlyDisk = "the store lies on a read-only file system; put it on a writable one"

export const damaged: StorageError = refused(`the file of the store is damaged; ${DAMAGED}`)

export const foreign: StorageError = refused(
  "the file of the store is the database of another program; name a directory of its own for the store"
)

export const newer: StorageError = refused(
  "the store was written by a newer version of bailiwick; use that version, or name another directory"
)

export const closed: StorageError = refused("the store is closed: the layer it came from has ended")

export const moved: StorageError = refused(
  "the file of the store was moved or removed while it was open; try again, which opens what is in its place now"
)

export const busy: StorageError = new StorageError({
  code: "STORAGE_BUSY",
  detail: "another process uses the store and did not let go of it in time; end it, or try again later"
})

const MOVED = 1032

/** By the primary result code of SQLite. */
const answers: ReadonlyMap<number, StorageError> = new Map([
  [7, refused("there is not enough memory for the store; give this process more")],
  [8, refused(mayNotWrite)],
  [
    10,
    refused(
      "the disk did not take the write, or did not give what was written: it is full or damaged; free space on it, or replace it"
    )
  ],
  [11, damaged],
  [13, refused(noSpace)],
  [
    14,
    refused(
      "the store cannot be opened or written: this user may not, or its directory is gone; make the directory readable and writable for this user alone"
    )
  ],
  [26, refused(`the file of the store is not a database: it is damaged, or of another program; ${DAMAGED}`)]
])

const others: ReadonlyArray<readonly [pattern: RegExp, error: StorageError]> = [
  [/^(ENOSPC|EDQUOT)/, refused(noSpace)],
  [/^EROFS/, refused(readOnlyDisk)],
  [/^(EACCES|EPERM)/, refused(mayNotOpen)],
  [/^(ENOTDIR|EEXIST)/, refused("the directory of the store is a file; name a directory")],
  [
    /Cannot find (package|module)|MODULE_NOT_FOUND|No native build|dlopen/,
    refused(
      "the package libsql is missing or not built for this platform; install it, or use Node 24.15 or newer, which needs none"
    )
  ],
  [/database is (closed|not open)/, closed]
]

const textOf = (cause: unknown): string =>
  cause instanceof Error
    ? `${"code" in cause ? String(cause.code) : ""} ${cause.message}`.trimStart()
    : String(cause)

const known = (cause: unknown): StorageError | undefined => {
  if (codeOf(cause) === MOVED) return moved
  const primary = primaryOf(cause)
  if (primary !== undefined) return answers.get(primary)
  const text = textOf(cause)
  return others.find(([pattern]) => pattern.test(text))?.[1]
}

export const failed = (cause: unknown): StorageError =>
  cause instanceof StorageError
    ? cause
    : (known(cause) ?? refused("the store could not be read or written; look at its directory and its disk"))

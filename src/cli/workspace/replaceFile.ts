/**
 * A file takes the place of another whole, or not at all: it is written beside it, brought to the disk, and renamed. A
 * file that somebody else changed meanwhile stays as it is.
 */
import { randomBytes } from "node:crypto"
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { CliError } from "../CliError.js"
import { realPath } from "../read.js"

export const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""

const GONE = "ENOENT"

const reasons: ReadonlyMap<string, string> = new Map([
  [GONE, "it is not there any more"],
  ["EACCES", "its directory may not be written"],
  ["EPERM", "its directory may not be written"],
  ["EROFS", "its disk may not be written"],
  ["ENOSPC", "its disk is full"],
  ["EDQUOT", "your share of its disk is used up"],
  ["EFBIG", "no file may become that large here"],
  ["EIO", "its disk fails"]
])

/** Of what goes wrong on the disk, in words. */
export const reasonOf = (code: string): string => reasons.get(code) ?? `it cannot be replaced (${code})`

const refuse = (file: string, why: string, exit: 1 | 2 = 1): never => {
  throw new CliError(`${file} was not changed: ${why}`, exit)
}

const PERMISSIONS = 0o7777

/** Who owns it and who may use it stays. Only a privileged process can give a file away; others need not. */
const dress = (descriptor: number, old: Stats): void => {
  try {
    fchownSync(descriptor, old.uid, old.gid)
  } catch (error) {
    if (codeOf(error) !== "EPERM") throw error
  }
  fchmodSync(descriptor, old.mode & PERMISSIONS)
}

/** Under a name that nobody reads; `dressed` is what else is done to it before it counts as written. */
export const draft = (path: string, text: string, dressed: (descriptor: number) => void): void => {
  const descriptor = openSync(
    path,
    constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW,
    0o600
  )
  try {
    writeFileSync(descriptor, text)
    dressed(descriptor)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** That the new name lasts, too. Where directories cannot be opened, the system takes care of it. */
export const settle = (directory: string): void => {
  try {
    const descriptor = openSync(directory, "r")
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch {}
}

/** A name that starts with a dot is no record, whoever looks while it is there. */
export const beside = (directory: string): string =>
  join(directory, `.${randomBytes(12).toString("hex")}.tmp`)

/**
 * Replaces what `before` says by `after`. A link stays, and what it leads to is replaced. Throws a `CliError` when the
 * file says something else by now, or cannot be replaced; then nothing is changed.
 */
export const replaceFile = (file: string, before: string, after: string): void => {
  const target = realPath(file)
  const directory = dirname(target)
  const temporary = beside(directory)
  let renamed = false
  try {
    const old = statSync(target)
    if (!old.isFile()) refuse(file, "it is not a regular file")
    // A rename asks nobody who may write the file.
    if ((old.mode & 0o222) === 0) refuse(file, "nobody may write it; change its permissions first", 2)
    draft(temporary, after, (descriptor) => dress(descriptor, old))
    if (!readFileSync(target).equals(Buffer.from(before))) {
      refuse(file, "somebody else changed it meanwhile; look at it, and try again")
    }
    renameSync(temporary, target)
    renamed = true
  } catch (error) {
    if (error instanceof CliError) throw error
    // A file that somebody took away was changed meanwhile; the rest is what the machine does not let be written.
    refuse(file, reasonOf(codeOf(error)), codeOf(error) === GONE ? 1 : 2)
  } finally {
    if (!renamed) rmSync(temporary, { force: true })
  }
  settle(directory)
}

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

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "it is not there any more"],
  ["EACCES", "its directory may not be written"],
  ["EPERM", "its directory may not be written"],
  ["EROFS", "its disk may not be written"],
  ["ENOSPC", "its disk is full"],
  ["EDQUOT", "your share of its disk is used up"]
])

const refuse = (file: string, why: string): never => {
  throw new CliError(`${file} was not changed: ${why}`, 1)
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

const written = (path: string, text: string, old: Stats): void => {
  const descriptor = openSync(
    path,
    constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW,
    0o600
  )
  try {
    writeFileSync(descriptor, text)
    dress(descriptor, old)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** That the new name lasts, too. Where directories cannot be opened, the system takes care of it. */
const settle = (directory: string): void => {
  try {
    const descriptor = openSync(directory, "r")
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch {}
}

/**
 * Replaces what `before` says by `after`. A link stays, and what it leads to is replaced. Throws a `CliError` when the
 * file says something else by now, or cannot be replaced; then nothing is changed.
 */
export const replaceFile = (file: string, before: string, after: string): void => {
  const target = realPath(file)
  const directory = dirname(target)
  // A name that starts with a dot is no record, whoever looks while it is there.
  const temporary = join(directory, `.${randomBytes(12).toString("hex")}.tmp`)
  let renamed = false
  try {
    const old = statSync(target)
    if (!old.isFile()) refuse(file, "it is not a regular file")
    // A rename asks nobody who may write the file.
    if ((old.mode & 0o222) === 0) refuse(file, "nobody may write it; change its permissions first")
    written(temporary, after, old)
    if (!readFileSync(target).equals(Buffer.from(before))) {
      refuse(file, "somebody else changed it meanwhile; look at it, and try again")
    }
    renameSync(temporary, target)
    renamed = true
  } catch (error) {
    if (error instanceof CliError) throw error
    refuse(file, reasons.get(codeOf(error)) ?? `it cannot be replaced (${codeOf(error)})`)
  } finally {
    if (!renamed) rmSync(temporary, { force: true })
  }
  settle(directory)
}

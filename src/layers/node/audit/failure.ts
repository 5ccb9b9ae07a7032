/** What is wrong with a log, in words and with the remedy. They are for operators: a model is told that there is trouble. */
import { AuditError } from "../../../audit/AuditSink.js"
import { codeOf as codeOfError, Trouble } from "../disk/Trouble.js"

const codeOf = (error: unknown): string => (error instanceof Trouble ? error.code : codeOfError(error))

/** Of what has the name of a file and is none. */
export const NO_FILE = "no file"

const READING: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file; name one that is there"],
  ["EACCES", "this user may not read it; run as its owner"],
  ["EPERM", "this user may not read it; run as its owner"],
  ["EISDIR", "it is a directory; name the files in it"],
  ["ENOTDIR", "it is no directory; name the directory of a log"],
  [NO_FILE, "it is no regular file; move it away"],
  // Of a pipe that nobody reads from, or of a socket.
  ["ENXIO", "it is no regular file; move it away"],
  ["ELOOP", "it is a symbolic link; name what it leads to"]
])

export const unreadable = (path: string, error: unknown): AuditError => {
  if (error instanceof AuditError) return error
  const code = codeOf(error)
  return new AuditError({
    code: "AUDIT_UNREADABLE",
    detail: `${path} cannot be read: ${READING.get(code) ?? `the system says ${code}`}`
  })
}

export const unwritable = (detail: string): AuditError => new AuditError({ code: "AUDIT_UNWRITABLE", detail })

const MAY_NOT = "make the directory and its files readable and writable for this user alone"

const WRITING: ReadonlyMap<string, string> = new Map([
  [
    "ENOENT",
    "the directory is gone, or is a symbolic link that leads nowhere; make what it leads to, or remove it"
  ],
  ["ENOSPC", "there is no space left; free some"],
  ["EDQUOT", "the quota of this user is used up; free some space, or raise it"],
  [
    "EFBIG",
    "the file has become as large as it may; raise the limit on the size of files, or lower file_bytes"
  ],
  ["EACCES", `this user may not write there; ${MAY_NOT}`],
  ["EPERM", `this user may not write there; ${MAY_NOT}`],
  ["EROFS", "the file system is read-only; name a directory on another one"],
  ["ELOOP", "there is a symbolic link in the place of a file; remove it, and find out who put it there"],
  ["EISDIR", "there is a directory in the place of a file; move it away"],
  ["ENOTDIR", "there is a file in the place of the directory; move it away"],
  ["EEXIST", "there is a file in the place of the directory; move it away"],
  ["EMFILE", "this process has too many files open; raise the limit"],
  ["ENFILE", "this machine has too many files open; raise the limit"],
  ["EIO", "the disk did not take it; look at what the system says of the disk"]
])

/** The name of the system's error goes with the words: operators look for it. */
export const unwritten = (path: string, error: unknown, also = ""): AuditError => {
  if (error instanceof AuditError) return error
  const code = codeOf(error)
  const why = WRITING.get(code) ?? "look at the directory and its disk"
  return unwritable(`${path} cannot be written: ${why} (${code})${also}`)
}

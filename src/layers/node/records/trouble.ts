/** What goes wrong on the disk, in words that name the record and no path. */
import * as fs from "node:fs"
import type { RecordsError } from "../../../capabilities/records/RecordsOperations.js"
import { exists, invalid, missing, refused, tooLarge } from "../../../capabilities/records/store/Refusals.js"
import { join } from "../disk/Reality.js"
import type { Trouble } from "../disk/Trouble.js"

/** Bytes as text; what is not UTF-8 is none. The mark at the start of a file stays in its text. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

export const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** Whether a link stands on the way to a path below the root: then nothing may be said of where it leads. */
const isLinked = (root: string, path: string): boolean => {
  let at = root
  for (const part of path.slice(root.length).split("/")) {
    if (part === "") continue
    at = join(at, part)
    try {
      if (fs.lstatSync(at).isSymbolicLink()) return true
    } catch {
      return false
    }
  }
  return false
}

const linked = (id: string): RecordsError =>
  invalid(`a symbolic link stands on the way to ${id}, and none is followed; put the file itself there`)

export interface Way {
  readonly id: string
  /** The directory of all records. */
  readonly root: string
  /** The file of this one. */
  readonly path: string
}

export const inWords = ({ id, path, root }: Way, { code, limit }: Trouble): RecordsError => {
  const failed = (detail: string) => refused("RECORDS_FAILED", detail)
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return isLinked(root, path) ? linked(id) : missing(id)
    case "BLOCKED":
      return isLinked(root, path)
        ? linked(id)
        : invalid(`a file stands where a directory for ${id} belongs; choose another id`)
    case "ELSEWHERE":
    case "ELOOP":
      return isLinked(root, path) || code === "ELOOP"
        ? linked(id)
        : invalid(`the file of ${id} is spelled differently on the disk, or was moved; try again`)
    case "EISDIR":
    case "ENXIO":
    case "SPECIAL":
      return invalid(`what lies where ${id} belongs is not a regular file; move it away`)
    case "EEXIST":
      return exists(id)
    case "TOO_LARGE":
      return tooLarge(id, limit)
    case "NOT_TEXT":
      return invalid(`the file of ${id} is not UTF-8; have it converted`)
    case "ENAMETOOLONG":
      return invalid("the id is longer than the file system allows; choose another")
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return failed(`the operating system does not let ${id} be used so; have its permissions changed`)
    case "ENOSPC":
    case "EDQUOT":
      return failed("there is no space left for records; have some freed")
    case "EMFILE":
    case "ENFILE":
      return failed("too many files are open; try again later")
    case "BUSY":
      return failed(`another program has been writing ${id} for long; try again later`)
    case "UNVERIFIABLE":
      return failed("files cannot be verified; descriptors are looked up in /proc, which must be mounted")
    default:
      return failed(`${id} could not be read or written (${code}); have the directory of records looked at`)
  }
}

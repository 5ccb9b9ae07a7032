/** Where a log lies. Directory and files are their owner's alone, and a file is what has its name and nothing else. */
import * as fs from "node:fs"
import { join } from "node:path"
import * as Kept from "../disk/Kept.js"
import { codeOf } from "../disk/Trouble.js"
import { unwritable } from "./failure.js"

const OWNER_ONLY = 0o600
const DIRECTORY = 0o700
const OTHERS = 0o077
const OTHERS_WRITE = 0o022

const { O_APPEND, O_CREAT, O_EXCL, O_NOCTTY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDWR } = fs.constants

/** Its end is read too: whoever wrote before may not have got to the end of a line. */
const FLAGS = O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY

/** Windows has no such bits. */
const hasModes = process.platform !== "win32"

/** Makes what is missing, whatever is masked in this process. Answers with the real path. */
export const prepared = (given: string): string => {
  const made = fs.mkdirSync(given, { recursive: true, mode: DIRECTORY })
  const directory = fs.realpathSync(given)
  Kept.close(directory, { isMade: true })
  if (!hasModes) return directory
  if (made !== undefined) fs.chmodSync(directory, DIRECTORY)
  // What others may write, they may also replace.
  if ((fs.statSync(directory).mode & OTHERS_WRITE) !== 0) {
    throw unwritable(
      "others may write into the directory of the audit log; take that from them (chmod go-w), or name another directory"
    )
  }
  return directory
}

interface Opened {
  readonly fd: number
  readonly isNew: boolean
}

const openAt = (path: string): Opened => {
  try {
    return { fd: fs.openSync(path, FLAGS), isNew: false }
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
  }
  try {
    return { fd: fs.openSync(path, FLAGS | O_CREAT | O_EXCL, OWNER_ONLY), isNew: true }
  } catch (error) {
    // Another process was first.
    if (codeOf(error) === "EEXIST") return { fd: fs.openSync(path, FLAGS), isNew: false }
    throw error
  }
}

export interface LogFile extends Opened {
  readonly path: string
  readonly identity: string
  readonly size: number
}

export const identityOf = ({ dev, ino }: Pick<fs.Stats, "dev" | "ino">): string => `${dev}:${ino}`

/** Opens a file to add to it, and makes it where there is none. */
export const opened = (directory: string, name: string): LogFile => {
  const path = join(directory, name)
  const { fd, isNew } = openAt(path)
  try {
    const stats = fs.fstatSync(fd)
    if (!stats.isFile()) throw unwritable(`${path} is no regular file; move it away`)
    if (hasModes && (isNew || (stats.mode & OTHERS) !== 0)) fs.fchmodSync(fd, OWNER_ONLY)
    return { fd, isNew, path, identity: identityOf(stats), size: stats.size }
  } catch (error) {
    fs.closeSync(fd)
    throw error
  }
}

/** How long the file is that has this name now; `undefined` where it is another one, or none. */
export const sizeOf = ({ identity, path }: LogFile): number | undefined => {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false })
  return stats !== undefined && identityOf(stats) === identity ? stats.size : undefined
}

/**
 * Where the store lies. Its file is created here and looked at by name; nothing but SQLite ever opens it again. To close
 * a descriptor of it would drop the locks that this process holds on it, and with them somebody's write.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync
} from "node:fs"
import { join } from "node:path"
import * as Kept from "../disk/Kept.js"
import { refused } from "./failure.js"

const NAME = "store.db"
const OWNER_ONLY = 0o600
const OTHERS = 0o077
const OTHERS_WRITE = 0o022

/** Of what earlier versions kept entries in. */
const EARLIER = "data.mdb"

const earlierKind = refused(
  `the directory holds a store of an earlier kind (${EARLIER}), which this version does not read; move ${EARLIER} and lock.mdb away, or name another directory`
)

const sharedDirectory = refused(
  "others may write into the directory of the store; take that from them (chmod go-w), or name another directory"
)

const notAFile = refused(
  "the file of the store is a link or no regular file; put a regular file there, or nothing"
)

export interface Place {
  readonly path: string
  /** The same for every name that the file has, and another once there is another file. */
  readonly identity: string
}

const createdAt = (path: string): boolean => {
  try {
    closeSync(openSync(path, "wx", OWNER_ONLY))
    return true
  } catch (error) {
    // Another process was first: the file is there.
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false
    throw error
  }
}

/** Windows has no such bits. */
const hasModes = process.platform !== "win32"

/** What others may write, they may also replace: a journal of theirs would be played back into the store. */
const assertOwn = (directory: string): void => {
  if (hasModes && (statSync(directory).mode & OTHERS_WRITE) !== 0) throw sharedDirectory
}

/** Makes what is missing, for its owner alone, and takes from others what they could read. */
export const prepare = (given: string): Place => {
  mkdirSync(given, { recursive: true, mode: 0o700 })
  const directory = realpathSync(given)
  Kept.close(directory, { isMade: true })
  assertOwn(directory)
  const path = join(directory, NAME)
  if (!existsSync(path) && existsSync(join(directory, EARLIER))) throw earlierKind
  createdAt(path)
  const file = lstatSync(path, { bigint: true })
  if (!file.isFile()) throw notAFile
  if (hasModes && (Number(file.mode) & OTHERS) !== 0) chmodSync(path, OWNER_ONLY)
  return { path, identity: `${file.dev}:${file.ino}` }
}

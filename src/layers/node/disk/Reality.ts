/**
 * Where an open descriptor really is. On Linux the kernel says so, whatever was renamed or linked meanwhile.
 * Elsewhere the path is resolved again and must still be the same file, which leaves a moment between the two.
 */
import * as fs from "node:fs"
import { Trouble } from "./Trouble.js"

/** @internal */
export type Verification = "descriptor" | "realpath"

export interface Reality {
  /** Flags that open a path only to look at it: neither its contents nor what a device does on opening. */
  readonly look: number
  /** Whether what is open is at this very path; no link took part then. */
  readonly isAt: (fd: number, path: string) => boolean
  /** The same for a file that may have been replaced since it was opened. */
  readonly wasAt: (fd: number, path: string) => boolean
  /** The path of a name in an open directory. */
  readonly below: (fd: number, path: string, name: string) => string
}

export const join = (directory: string, name: string): string =>
  directory === "/" ? `/${name}` : `${directory}/${name}`

/** Not among the constants of Node; the same on every architecture that it runs on. */
const O_PATH = 0o10000000

/** A name that is not UTF-8 is no text, and equals none. */
const NOT_TEXT = "\uFFFD"

const realOf = (fd: number): string => {
  try {
    const real = fs.readlinkSync(`/proc/self/fd/${fd}`)
    if (!real.includes(NOT_TEXT)) return real
    const bytes = fs.readlinkSync(`/proc/self/fd/${fd}`, "buffer")
    return Buffer.from(real).equals(bytes) ? real : ""
  } catch {
    throw new Trouble("UNVERIFIABLE")
  }
}

const descriptor: Reality = {
  look: O_PATH | fs.constants.O_NOFOLLOW,
  isAt: (fd, path) => realOf(fd) === path,
  wasAt: (fd, path) => {
    const real = realOf(fd)
    // A file that was at the path when it was opened, and has been replaced by another; that it has no name any more
    // is asked last, for it may have lost it this very moment.
    return real === path || (real === `${path} (deleted)` && fs.fstatSync(fd).nlink === 0)
  },
  below: (fd, _path, name) => `/proc/self/fd/${fd}/${name}`
}

const isSame = (fd: number, path: string): boolean => {
  try {
    if (fs.realpathSync.native(path) !== path) return false
    const [there, open] = [fs.lstatSync(path, { bigint: true }), fs.fstatSync(fd, { bigint: true })]
    return there.dev === open.dev && there.ino === open.ino
  } catch {
    return false
  }
}

const { O_NOCTTY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = fs.constants

const realpath: Reality = {
  look: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
  isAt: isSame,
  wasAt: isSame,
  below: (_fd, path, name) => join(path, name)
}

export const of = (verification: Verification): Reality =>
  verification === "descriptor" ? descriptor : realpath

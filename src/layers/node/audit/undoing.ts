/**
 * What becomes of a write that was made in part. It cannot be cut off: another process may have written behind it since,
 * and nothing says so in time. It is written over with blanks, which no reader minds.
 */
import * as fs from "node:fs"
import { identityOf, type LogFile } from "./place.js"
import type { System } from "./system.js"

const { O_NOCTTY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDWR } = fs.constants

const NEWLINE = 10
const BLANK = 0x20

/** What others may have written in the meantime and is looked through. */
const MOST = 16 * 1024 * 1024

/** Where these bytes are in a file that had this size before; `undefined` where that is not certain. */
const positionOf = (fd: number, sizeBefore: number, written: Buffer): number | undefined => {
  const { size } = fs.fstatSync(fd)
  if (size === sizeBefore + written.length) return sizeBefore
  if (size < sizeBefore + written.length || size - sizeBefore > MOST) return undefined
  const since = Buffer.alloc(size - sizeBefore)
  if (fs.readSync(fd, since, 0, since.length, sizeBefore) < since.length) return undefined
  const at = since.indexOf(written)
  return at >= 0 && since.lastIndexOf(written) === at ? sizeBefore + at : undefined
}

/** Whether nothing of it is left. */
export const undone = (
  { identity, path }: LogFile,
  sizeBefore: number,
  written: Buffer,
  { writeAt }: System
): boolean => {
  if (written.length === 0) return true
  try {
    // Through another descriptor: this one adds to the end, whatever position it is given.
    const fd = fs.openSync(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    try {
      if (identityOf(fs.fstatSync(fd)) !== identity) return false
      const position = positionOf(fd, sizeBefore, written)
      if (position === undefined) return false
      const blank = Buffer.alloc(written.length, BLANK)
      blank[blank.length - 1] = NEWLINE
      // It closed off what somebody else had begun.
      if (written[0] === NEWLINE) blank[0] = NEWLINE
      return writeAt(fd, blank, position) === blank.length
    } finally {
      fs.closeSync(fd)
    }
  } catch {
    return false
  }
}

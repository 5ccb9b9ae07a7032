/** The end of a file, as far as those need it who add to it. */
import * as fs from "node:fs"

const NEWLINE = 10

const at = (fd: number, position: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, fs.readSync(fd, bytes, 0, length, position))
}

export const endsLine = (fd: number, size: number): boolean =>
  size === 0 || at(fd, size - 1, 1)[0] === NEWLINE

/** What is between two positions, but no more than the last of it. */
export const between = (fd: number, from: number, to: number, most: number): Buffer => {
  const start = Math.max(from, to - most)
  return at(fd, start, Math.max(0, to - start))
}

/** What follows the last newline, but no more than the last of it. */
export const lastLine = (fd: number, size: number, most: number): Buffer => {
  const bytes = between(fd, 0, size, most)
  return bytes.subarray(bytes.lastIndexOf(NEWLINE) + 1)
}

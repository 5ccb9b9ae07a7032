/** What is asked of the operating system to write a file. A test puts something in its place that fails. */
import * as fs from "node:fs"

export interface System {
  /** Answers with how many bytes were written, which may be fewer. */
  readonly write: (fd: number, bytes: Uint8Array) => number
  /** Over what is there. */
  readonly writeAt: (fd: number, bytes: Uint8Array, position: number) => number
  readonly sync: (fd: number, done: (error: Error | null) => void) => void
}

export const system: System = {
  write: (fd, bytes) => fs.writeSync(fd, bytes),
  writeAt: (fd, bytes, position) => fs.writeSync(fd, bytes, 0, bytes.length, position),
  sync: (fd, done) => fs.fsync(fd, done)
}

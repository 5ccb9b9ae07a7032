/**
 * What a child is given is given by descriptor, and a descriptor is taken only where no link took part: what is bound is
 * what was asked about, whatever has been put in its place since.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync } from "node:fs"

/** Names a place without the right to read it. Node has no name for it. */
const O_PATH = 0o10000000

/** Something is no longer what it was when the plan was made. */
export class Changed extends Error {
  constructor(readonly path: string) {
    super("it has changed")
  }
}

const isAt = (descriptor: number, path: string, kind: "directory" | "file"): boolean =>
  readlinkSync(`/proc/self/fd/${descriptor}`) === path &&
  fstatSync(descriptor).isDirectory() === (kind === "directory")

/** What is at a path, opened; throws `Changed` where a link leads there, or where it is something else than planned. */
const opened = (path: string, kind: "directory" | "file"): number => {
  let descriptor: number
  try {
    descriptor = openSync(path, O_PATH | constants.O_NOFOLLOW)
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && (cause.code === "EMFILE" || cause.code === "ENFILE"))
      throw cause
    throw new Changed(path)
  }
  try {
    if (isAt(descriptor, path, kind)) return descriptor
  } catch {
    // What cannot be looked at is not known to be the same.
  }
  closeSync(descriptor)
  throw new Changed(path)
}

/**
 * Throws `Changed` where a path is no longer what it was: what is put over a name that is gone would make it, and what is put
 * over a link would lie elsewhere.
 */
export const mustBe = (path: string, kind: "directory" | "file"): void => {
  const found = lstatSync(path, { throwIfNoEntry: false })
  const isSame =
    found !== undefined && !found.isSymbolicLink() && found.isDirectory() === (kind === "directory")
  if (!isSame) throw new Changed(path)
}

/** The descriptors of one child, from 3 on. All are closed here once it has them. */
export class Descriptors {
  private readonly all: Array<number | "pipe"> = []
  private isClosed = false

  /** The number that it has in the child. */
  give(descriptor: number | "pipe"): string {
    this.all.push(descriptor)
    return String(2 + this.all.length)
  }

  giveAt(path: string, kind: "directory" | "file"): string {
    return this.give(opened(path, kind))
  }

  get given(): ReadonlyArray<number | "pipe"> {
    return this.all
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    for (const descriptor of this.all) if (descriptor !== "pipe") closeSync(descriptor)
  }
}

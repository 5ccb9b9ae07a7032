/** Files without a name: how bytes reach a program by a descriptor, with nothing on the disk that outlives this program. */
import { closeSync, constants, ftruncateSync, openSync, readSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"

/** In memory where the system has that. */
const folders = ["/dev/shm", tmpdir()]

/** Makes a file that never has a name: whenever this program is killed, none is left. Node has no name for it. */
const O_TMPFILE = 0o20000000 | (constants.O_DIRECTORY ?? 0)

const madeIn = (folder: string): number => openSync(folder, O_TMPFILE | constants.O_RDWR, 0o600)

const made = (): number => {
  const [first = "", last = ""] = folders
  try {
    return madeIn(first)
  } catch {
    return madeIn(last)
  }
}

/** Whoever reads one opens it anew: an offset is shared with whoever inherits the descriptor. */
const reopened = (descriptor: number, flags: "r" | "r+"): number =>
  openSync(`/proc/self/fd/${descriptor}`, flags)

/** The same bytes for everybody: each call opens them. */
export const shared = (bytes: Uint8Array): (() => number) => {
  let descriptor: number | undefined
  return () => {
    if (descriptor === undefined) {
      descriptor = made()
      writeSync(descriptor, bytes, 0, bytes.length, 0)
    }
    return reopened(descriptor, "r")
  }
}

/** Files that wait for the next who needs one. */
const free: Array<number> = []

let lent = 0

/** How many wait at most, and how many for as long as this program runs. */
const MOST = { busy: 64, idle: 2 }

/** As many as are in use: one child that runs for days keeps no more than that open. */
const mayWait = (): number => Math.max(MOST.idle, Math.min(MOST.busy, lent))

const LONGEST_ANSWER = 4096

/** The file of one child. Nobody else has it until it is given back. */
export class Lent {
  private readonly descriptor: number

  constructor(bytes: Uint8Array = new Uint8Array()) {
    this.descriptor = free.pop() ?? made()
    lent++
    ftruncateSync(this.descriptor, 0)
    if (bytes.length > 0) writeSync(this.descriptor, bytes, 0, bytes.length, 0)
  }

  toRead(): number {
    return reopened(this.descriptor, "r")
  }

  toWrite(): number {
    return reopened(this.descriptor, "r+")
  }

  /** What was written to it. */
  get text(): string {
    const bytes = Buffer.alloc(LONGEST_ANSWER)
    return bytes.toString("utf8", 0, readSync(this.descriptor, bytes, 0, bytes.length, 0))
  }

  giveBack(): void {
    lent--
    free.push(this.descriptor)
    for (const descriptor of free.splice(mayWait())) closeSync(descriptor)
  }
}

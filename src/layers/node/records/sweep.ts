/**
 * Keeps an index as the directory is. Every question looks at every file's times and number first, for a watcher would
 * tell of a change when it likes; only what differs is read, in a descriptor that was asked where it is.
 */
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { Effect, Either } from "effect"
import type { RecordsError } from "../../../capabilities/records/RecordsOperations.js"
import { isName, isSegment } from "../../../capabilities/records/store/Ids.js"
import type { Index } from "../../../capabilities/records/store/RecordIndex.js"
import { refused } from "../../../capabilities/records/store/Refusals.js"
import { MAX_BYTES } from "../../../capabilities/records/store/Texts.js"
import { read } from "../../../policy/record/RecordText.js"
import { type Disk, READ } from "../disk/Disk.js"
import { join } from "../disk/Reality.js"
import { decode } from "./trouble.js"

const MAX_RECORDS = 200_000

const MAX_DEPTH = 64

/** A file that was changed so shortly before it was read may have been changed again within the same tick of its clock. */
const UNSETTLED_MILLIS = 2000

/** How long the loop is held up at a time. */
const SLICE_MILLIS = 10

const EXTENSION = ".md"

interface Seen {
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
  readonly ino: bigint
  readonly settled: boolean
  readonly digest: string
  round: number
}

const breathe = Effect.async<void>((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})

/** Of a regular file; nothing where there is none, or none that may be looked at. */
const statsOf = (path: string): fs.BigIntStats | undefined => {
  try {
    const stats = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return stats?.isFile() === true ? stats : undefined
  } catch {
    return undefined
  }
}

/** The bytes of a file that is where it should be, or nothing. */
const bytesAt = ({ reality }: Disk, path: string): Buffer | undefined => {
  let fd: number | undefined
  try {
    fd = fs.openSync(path, READ)
    const stats = fs.fstatSync(fd)
    if (!stats.isFile() || stats.size > MAX_BYTES || !reality.wasAt(fd, path)) return undefined
    const bytes = Buffer.allocUnsafe(stats.size)
    let filled = 0
    while (filled < bytes.length) {
      const count = fs.readSync(fd, bytes, filled, bytes.length - filled, null)
      if (count === 0) break
      filled += count
    }
    // What grew meanwhile looks different the next time.
    return bytes.subarray(0, filled)
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}

/** What cannot be listed is left out, like a file that cannot be read. */
const listed = (path: string): ReadonlyArray<fs.Dirent> => {
  try {
    return fs.readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}

const tooMany = refused(
  "RECORDS_FAILED",
  `there are more than ${MAX_RECORDS} records; have them split into several directories`
)

interface Folder {
  readonly path: string
  readonly prefix: string
  readonly depth: number
}

interface File {
  readonly id: string
  readonly path: string
}

export class Sweep {
  private readonly seen = new Map<string, Seen>()
  private round = 0

  constructor(
    private readonly disk: Disk,
    private readonly index: Index
  ) {}

  /** Brings the index up to date; what is interrupted is made up for by the next. */
  run(root: string): Effect.Effect<void, RecordsError> {
    return Effect.gen(this, function* () {
      this.round++
      const folders: Array<Folder> = [{ path: root, prefix: "", depth: 0 }]
      const files: Array<File> = []
      let count = 0
      while (folders.length + files.length > 0) {
        const until = performance.now() + SLICE_MILLIS
        while (performance.now() < until) {
          const file = files.pop()
          if (file === undefined) {
            const folder = folders.pop()
            if (folder === undefined) break
            this.enter(folder, folders, files)
          } else {
            if (++count > MAX_RECORDS) return yield* tooMany
            this.look(file)
          }
        }
        yield* breathe
      }
      for (const [id, { round }] of this.seen) if (round !== this.round) this.forget(id)
    })
  }

  /** For when there is no directory any more. */
  clear(): void {
    for (const id of this.seen.keys()) this.forget(id)
  }

  private enter({ depth, path, prefix }: Folder, folders: Array<Folder>, files: Array<File>): void {
    for (const entry of listed(path)) {
      const { name } = entry
      if (entry.isFile() && name.endsWith(EXTENSION)) {
        const stem = name.slice(0, -EXTENSION.length)
        if (isName(stem)) files.push({ id: prefix + stem, path: join(path, name) })
      } else if (entry.isDirectory() && isSegment(name) && depth < MAX_DEPTH) {
        folders.push({ path: join(path, name), prefix: `${prefix}${name}/`, depth: depth + 1 })
      }
    }
  }

  private look({ id, path }: File): void {
    const stats = statsOf(path)
    if (stats === undefined) return
    const { ctimeNs, ino, mtimeNs, size } = stats
    const old = this.seen.get(id)
    if (
      old?.settled === true &&
      old.mtimeNs === mtimeNs &&
      old.ctimeNs === ctimeNs &&
      old.size === size &&
      old.ino === ino
    ) {
      old.round = this.round
      return
    }
    const settled = BigInt(Date.now() - UNSETTLED_MILLIS) * 1_000_000n > ctimeNs
    const bytes = bytesAt(this.disk, path)
    const digest = bytes === undefined ? "" : createHash("sha1").update(bytes).digest("base64")
    this.seen.set(id, { size, mtimeNs, ctimeNs, ino, settled, digest, round: this.round })
    if (digest !== old?.digest) this.learn(id, bytes)
  }

  private learn(id: string, bytes: Uint8Array | undefined): void {
    const text = bytes === undefined ? undefined : decode(bytes)
    const record = text === undefined ? undefined : read(text)
    if (record !== undefined && Either.isRight(record)) this.index.set(id, record.right)
    else this.index.delete(id)
  }

  private forget(id: string): void {
    this.seen.delete(id)
    this.index.delete(id)
  }
}

/**
 * Directories that were read, each with what judges said of it. What is kept is used again only while the directory is the
 * same and has not changed: by device, inode and the times of its last change, to the nanosecond.
 */
import * as fs from "node:fs"
import type { Entry, Judge, Judged, Kind, Where } from "../../../../policy/confinement/Look.js"
import { getOrSet } from "../../../../policy/Memo.js"
import { READ_DIRECTORY } from "../../disk/Disk.js"
import type { Reality } from "../../disk/Reality.js"

/** What one directory is, and how many entries it has. */
export interface Read extends Judged {
  readonly entries: number
  readonly device: bigint
  /** Whether it was read just now, and not known already. */
  readonly isNew: boolean
}

interface Known {
  readonly stamp: string
  readonly entries: number
  readonly device: bigint
  readonly judged: Map<string, Judged>
}

/** It is not where it was listed: it went away, or a link leads there now. */
export class Gone extends Error {}

/** It is there, and nobody can tell what is in it. */
class Unreadable extends Error {}

/** As many directories as are kept in all; those that were read first are forgotten first. */
const MOST = 300_000

export const stampOf = ({ ctimeNs, dev, ino, mtimeNs }: fs.BigIntStats): string =>
  `${dev}:${ino}:${ctimeNs}:${mtimeNs}`

export const kindOf = (entry: fs.Dirent | fs.Stats): Kind => {
  if (entry.isDirectory()) return "directory"
  if (entry.isFile()) return "file"
  return entry.isSymbolicLink() ? "link" : "other"
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined

const GONE: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ELOOP"])

const failure = (error: unknown): Error => {
  if (error instanceof Gone) return error
  return GONE.has(codeOf(error)) ? new Gone() : new Unreadable()
}

export interface Options {
  readonly reality: Reality
  readonly now: () => number
  /** What changed less long ago, in milliseconds, may change again and show the same time. */
  readonly settles: number
}

/** Answers of judges that are kept of one directory. */
const JUDGES = 16

export class Directories {
  private readonly known = new Map<string, Known>()
  private readonly numbers = new Map<string, number>()
  private readonly judges = new WeakMap<Judge, number>()

  constructor(private readonly options: Options) {}

  /** A short name for a long key. */
  private numberOf(judge: Judge): number {
    return getOrSet(this.judges, judge, () => getOrSet(this.numbers, judge.key, () => this.numbers.size))
  }

  /** Throws `Gone` or `Unreadable`. */
  read(path: string, where: Where, judge: Judge): Read {
    const key = `${where} ${this.numberOf(judge)}`
    try {
      const known = this.known.get(path)
      if (known !== undefined && stampOf(fs.lstatSync(path, { bigint: true })) === known.stamp) {
        const judged = known.judged.get(key)
        if (judged !== undefined) {
          return { ...judged, entries: known.entries, device: known.device, isNew: false }
        }
      }
      return this.look(path, where, judge, key)
    } catch (error) {
      this.known.delete(path)
      throw failure(error)
    }
  }

  private look(path: string, where: Where, judge: Judge, key: string): Read {
    const { now, reality, settles } = this.options
    const fd = fs.openSync(path, READ_DIRECTORY)
    try {
      if (!reality.isAt(fd, path)) throw new Gone()
      // Before it is read: what changes meanwhile has another time than this.
      const stats = fs.fstatSync(fd, { bigint: true })
      const isSettled =
        now() - Number((stats.ctimeNs > stats.mtimeNs ? stats.ctimeNs : stats.mtimeNs) / 1_000_000n) > settles
      const entries: ReadonlyArray<Entry> = fs
        .readdirSync(reality.below(fd, path, "."), { withFileTypes: true })
        .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
      const judged = judge.directory(path, where, entries)
      const read = { ...judged, entries: entries.length, device: stats.dev, isNew: true }
      if (isSettled) this.keep(path, stampOf(stats), key, judged, read)
      else this.known.delete(path)
      return read
    } finally {
      fs.closeSync(fd)
    }
  }

  private keep(path: string, stamp: string, key: string, judged: Judged, read: Read): void {
    const before = this.known.get(path)
    if (before?.stamp === stamp) {
      if (before.judged.size >= JUDGES) before.judged.clear()
      before.judged.set(key, judged)
      return
    }
    this.known.delete(path)
    const { device, entries } = read
    this.known.set(path, { stamp, entries, device, judged: new Map([[key, judged]]) })
    for (const oldest of this.known.keys()) {
      if (this.known.size <= MOST) break
      this.known.delete(oldest)
    }
  }
}

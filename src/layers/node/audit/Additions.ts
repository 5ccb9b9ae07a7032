/**
 * What is added to the files of a log after they were looked at. Files may come while one looks: a new day has a new one. What
 * was read of each is remembered by its length, so that no entry is told twice and none is missed.
 */
import * as fs from "node:fs"
import { dirname } from "node:path"
import type { AuditEntry } from "../../../audit/AuditEntry.js"
import type { AuditError } from "../../../audit/AuditSink.js"
import { READ } from "../disk/Disk.js"
import { codeOf } from "../disk/Trouble.js"
import { entriesIn } from "./EntriesIn.js"
import { NO_FILE, unreadable } from "./failure.js"
import { type Line, Lines, textOf } from "./lines.js"
import { filesIn } from "./names.js"
import { identityOf } from "./place.js"
import { type Remark, Remarks } from "./remarks.js"
import { remember } from "./WhichLog.js"

/** All files of a directory that a log is kept in, or single ones. */
export type From = { readonly directory: string } | { readonly files: ReadonlyArray<string> }

export interface Options {
  /** Where to begin in a directory: with all that is there, with what its newest file has, or behind it. */
  readonly begins: "start" | "newest" | "end"
  /** At first, files of a directory that were not written to since then are passed over. */
  readonly since?: number | undefined
  /** Hears of what is left out of a file. */
  readonly remark?: ((remark: Remark) => void) | undefined
  /** Hears in each look of what cannot be read; the rest is read all the same. */
  readonly trouble: (path: string, error: AuditError) => void
}

const PIECE = 256 * 1024

interface Place {
  readonly identity: string
  /** All before it was read. */
  at: number
  readonly lines: Lines
}

const changedAt = (file: string): number =>
  fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY

export class Additions {
  readonly #places = new Map<string, Place>()
  #isFirst = true

  constructor(
    private readonly from: From,
    private readonly options: Options
  ) {}

  /** Whether there was a file that could be read. */
  get hasRead(): boolean {
    return this.#places.size > 0
  }

  /** Where something happens when there is more. */
  get directories(): ReadonlyArray<string> {
    return "directory" in this.from ? [this.from.directory] : this.from.files.map((file) => dirname(file))
  }

  /** What is new, some entries at a time, in the order of files. */
  *look(): Generator<ReadonlyArray<AuditEntry>, undefined> {
    const files = this.#files()
    for (const [index, file] of files.entries()) {
      yield* this.#read(file, this.#isFirst && this.#isPast(file, index === files.length - 1))
    }
    this.#isFirst = false
  }

  /** The newest last. */
  #files(): ReadonlyArray<string> {
    if ("files" in this.from) return this.from.files
    const { directory } = this.from
    try {
      return filesIn(directory)
    } catch (error) {
      this.options.trouble(directory, unreadable(directory, error))
      return []
    }
  }

  #isPast(file: string, isNewest: boolean): boolean {
    const { begins, since = 0 } = this.options
    if ("files" in this.from) return false
    return begins === "end" || (begins === "newest" && !isNewest) || (since > 0 && changedAt(file) < since)
  }

  *#read(file: string, isPast: boolean): Generator<ReadonlyArray<AuditEntry>, void> {
    const remarks = new Remarks()
    try {
      const fd = fs.openSync(file, "files" in this.from ? READ & ~fs.constants.O_NOFOLLOW : READ)
      try {
        const stats = fs.fstatSync(fd)
        if (!stats.isFile()) throw Object.assign(new Error(NO_FILE), { code: NO_FILE })
        const place = this.#placeOf(file, identityOf(stats), stats.size, isPast)
        for (;;) {
          const piece = Buffer.allocUnsafe(PIECE)
          const length = fs.readSync(fd, piece, 0, PIECE, place.at)
          if (length === 0) return
          place.at += length
          // Only whole lines: the rest of one comes later.
          const entries = place.lines
            .push(piece.subarray(0, length))
            .flatMap((line) => entriesOf(line, remarks))
          if ("files" in this.from) remember(file, entries)
          if (entries.length > 0) yield entries
        }
      } finally {
        fs.closeSync(fd)
      }
    } catch (error) {
      // The next look may find what was taken away; what somebody names was never there, or is misspelt.
      const isAwaited = codeOf(error) === "ENOENT" && !("files" in this.from && this.#isFirst)
      if (!isAwaited) this.options.trouble(file, unreadable(file, error))
    } finally {
      for (const remark of remarks.taken(file)) this.options.remark?.(remark)
    }
  }

  /** A file that became shorter, or is another, is read from its beginning. */
  #placeOf(file: string, identity: string, size: number, isPast: boolean): Place {
    const known = this.#places.get(file)
    if (known !== undefined && known.identity === identity && known.at <= size) return known
    const at = isPast ? size : 0
    const place = { identity, at, lines: new Lines({ offset: at, lines: isPast ? Number.NaN : 0 }) }
    this.#places.set(file, place)
    return place
  }
}

const entriesOf = (line: Line, remarks: Remarks): ReadonlyArray<AuditEntry> => {
  const text = textOf(line)
  if (text?.trim() === "") return []
  if (text === undefined) {
    remarks.add("long", line.number)
    return []
  }
  const { entries, remark } = entriesIn(text)
  if (remark !== undefined) remarks.add(remark, line.number)
  return entries
}

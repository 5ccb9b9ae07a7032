/** One file, read piece by piece as far as it is needed. */
import * as fs from "node:fs"
import { Effect, type Scope } from "effect"
import type { AuditEntry } from "../../../audit/AuditEntry.js"
import type { AuditError } from "../../../audit/AuditSink.js"
import { call, close, READ } from "../disk/Disk.js"
import { Blocks } from "./blocks.js"
import { entriesIn } from "./EntriesIn.js"
import { NO_FILE, unreadable } from "./failure.js"
import { blocksOf, keepBlocks } from "./indexFile.js"
import { type Line, Lines, textOf } from "./lines.js"
import { type Remark, Remarks } from "./remarks.js"
import { timeIn } from "./timeIn.js"

export interface Wanted {
  /** Only entries of this moment or later, in milliseconds. */
  readonly since?: number | undefined
  /** Hears of what is left out of a file, once the file has been read. */
  readonly remark?: ((remark: Remark) => void) | undefined
}

const PIECE = 256 * 1024

const NONE: ReadonlyArray<AuditEntry> = []

const isBlank = (text: string): boolean => text.trim() === ""

/** The canonical spelling, of which later is larger; empty where it is no time. */
const canonical = (time: string): string => {
  const millis = Date.parse(time)
  return Number.isNaN(millis) ? "" : new Date(millis).toISOString()
}

const LATEST = 8.64e15

/** What is later than any is as late as a date can be. */
const sinceText = (since: number | undefined): string =>
  since === undefined || Number.isNaN(since) || since <= 0
    ? ""
    : new Date(Math.min(Math.ceil(since), LATEST)).toISOString()

export class Cursor {
  readonly #remarks = new Remarks()
  readonly #since: string
  readonly #blocks: Blocks
  readonly #keptEnd: number
  readonly #lines: Lines
  #position: number

  constructor(
    readonly file: string,
    private readonly fd: number,
    private readonly wanted: Wanted,
    /** Whether there may be an index beside it. */
    private readonly isIndexed: boolean
  ) {
    this.#since = sinceText(wanted.since)
    this.#blocks = isIndexed ? blocksOf(file, fd) : new Blocks()
    this.#keptEnd = this.#blocks.end
    const start = this.#since === "" ? { offset: 0, lines: 0 } : this.#blocks.from(this.#since)
    this.#position = start.offset
    this.#lines = new Lines(start)
  }

  #entriesOf(line: Line): ReadonlyArray<AuditEntry> {
    const { bytes, end, number, offset } = line
    const quick = bytes === undefined ? undefined : timeIn(bytes)
    if (quick !== undefined && quick < this.#since) {
      this.#blocks.add(offset, end, quick)
      return NONE
    }
    const text = textOf(line) ?? ""
    const { entries, remark } =
      bytes !== undefined && !isBlank(text) ? entriesIn(text) : { entries: NONE, remark: undefined }
    const [first] = entries
    // All of a line are of one moment.
    const time = quick ?? (first && canonical(first.time))
    this.#blocks.add(offset, end, time)
    if (remark !== undefined || bytes === undefined) this.#remarks.add(remark ?? "long", number)
    return this.#since === "" || (time ?? "") >= this.#since ? entries : NONE
  }

  #entriesIn(lines: ReadonlyArray<Line>): ReadonlyArray<AuditEntry> {
    return lines.flatMap((line) => this.#entriesOf(line))
  }

  /** The entries of the next piece, which may be none; `undefined` where the file ends, for now. */
  readonly next: Effect.Effect<ReadonlyArray<AuditEntry> | undefined, AuditError> = Effect.suspend(() => {
    const piece = Buffer.allocUnsafe(PIECE)
    return call<number>((done) => fs.read(this.fd, piece, 0, PIECE, this.#position, done)).pipe(
      Effect.mapError((error) => unreadable(this.file, error)),
      Effect.map((count) => {
        this.#position += count
        return count === 0 ? undefined : this.#entriesIn(this.#lines.push(piece.subarray(0, count)))
      })
    )
  })

  /** The last line, if it has no newline, once nothing more is expected; and what was left out is said. */
  finish(): ReadonlyArray<AuditEntry> {
    if (this.isIndexed && this.#blocks.isLargerThan(this.#keptEnd))
      keepBlocks(this.file, this.fd, this.#blocks)
    const last = this.#lines.end()
    const entries = last === undefined ? [] : this.#entriesIn([last])
    for (const remark of this.#remarks.taken(this.file)) this.wanted.remark?.(remark)
    return entries
  }
}

/** It is closed with the scope. */
export const cursorOn = (
  file: string,
  wanted: Wanted,
  { isIndexed }: { readonly isIndexed: boolean }
): Effect.Effect<Cursor, AuditError, Scope.Scope> =>
  Effect.acquireRelease(
    call<number>((done) => fs.open(file, isIndexed ? READ : READ & ~fs.constants.O_NOFOLLOW, done)),
    (fd) => close(fd)
  ).pipe(
    Effect.flatMap((fd) =>
      Effect.try({
        try: () => {
          const stats = fs.fstatSync(fd)
          if (!stats.isFile()) {
            throw Object.assign(new Error("no file"), { code: stats.isDirectory() ? "EISDIR" : NO_FILE })
          }
          return new Cursor(file, fd, wanted, isIndexed)
        },
        catch: (error) => error
      })
    ),
    Effect.mapError((error) => unreadable(file, error))
  )

/**
 * What is added to the files of a log after it was looked at. Files may come while one looks: a new day has a new one. What
 * was read of each is remembered by its length, so that no entry is told twice and none is missed.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { Either, Option } from "effect"
import type { AuditEntry } from "../../../audit/AuditEntry.js"
import * as AuditFiles from "../../../layers/node/audit/AuditFiles.js"
import { codeOf } from "../../../layers/node/disk/Trouble.js"
import { seen } from "../../../policy/text/Quote.js"
import { CliError } from "../../CliError.js"

const NEWLINE = 10
const PIECE = 256 * 1024

/** No entry is longer. */
const LONGEST = 4 * 1024 * 1024

const { O_NOCTTY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants

/** Nothing is waited for that is no file: whoever waits cannot be stopped. */
const READ = O_RDONLY | O_NONBLOCK | O_NOCTTY

const changedAt = (file: string): number => {
  try {
    return statSync(file).mtimeMs
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

interface Place {
  readonly identity: string
  /** All before it was told. */
  at: number
  /** In the midst of a line that is too long to be an entry. */
  isSkipping: boolean
}

const unreadable = (file: string, code: string): string =>
  `AUDIT_UNREADABLE: ${seen(file)} cannot be read (${code}), and is left out`

/** What has the name of a log and is none. */
const NO_FILE = "no regular file"

export class Tail {
  private readonly places = new Map<string, Place>()
  private readonly unread = new Set<string>()
  private isFirst = true
  /** How many lines were no entries of this version. */
  leftOut = 0

  /**
   * At first there is what was written since then; without a time, what is in the newest file. `complain` hears once of
   * each file that cannot be read.
   */
  constructor(
    private readonly from: AuditFiles.From,
    private readonly since: number | undefined,
    private readonly complain: (sentence: string) => void
  ) {}

  /** The newest last. Throws a `CliError` where nothing can be read from the beginning. */
  private get files(): ReadonlyArray<string> {
    if ("files" in this.from) return this.from.files
    const { directory } = this.from
    const found = AuditFiles.filesOf(directory)
    if (Either.isRight(found)) {
      this.unread.delete(directory)
      return found.right
    }
    const { message } = found.left
    if (this.isFirst) throw new CliError(message)
    this.say(directory, message)
    return []
  }

  private say(path: string, sentence: string): void {
    if (this.unread.has(path)) return
    this.unread.add(path)
    this.complain(`bailiwick: ${sentence}`)
  }

  /** Where something happens when there is more. */
  get directories(): ReadonlyArray<string> {
    return "directory" in this.from ? [this.from.directory] : this.from.files.map((file) => dirname(file))
  }

  /** Hands each new entry over, in the order of files. Throws a `CliError` the first time. */
  look(each: (entry: AuditEntry) => void): void {
    const { files } = this
    for (const [index, file] of files.entries()) {
      const isPast = this.isFirst && !this.isWanted(file, index === files.length - 1)
      this.read(file, isPast, each)
    }
    this.isFirst = false
  }

  private isWanted(file: string, isLast: boolean): boolean {
    if ("files" in this.from) return true
    return this.since === undefined ? isLast : changedAt(file) >= this.since
  }

  /** Nothing where it was taken away, or may not be read: the next look may find it. */
  private opened(file: string): number | undefined {
    try {
      return openSync(file, "files" in this.from ? READ : READ | O_NOFOLLOW)
    } catch (error) {
      const code = codeOf(error)
      if (code !== "ENOENT") this.say(file, unreadable(file, code))
      return undefined
    }
  }

  private read(file: string, isPast: boolean, each: (entry: AuditEntry) => void): void {
    const descriptor = this.opened(file)
    if (descriptor === undefined) return
    try {
      const stats = fstatSync(descriptor)
      if (!stats.isFile()) {
        this.say(file, unreadable(file, NO_FILE))
        return
      }
      const { dev, ino, size } = stats
      const place = this.placeOf(file, `${dev}:${ino}`, size)
      if (isPast) place.at = size
      else this.lines(descriptor, place, each)
    } finally {
      closeSync(descriptor)
    }
  }

  /** A file that became shorter, or is another, is read from its beginning. */
  private placeOf(file: string, identity: string, size: number): Place {
    const known = this.places.get(file)
    if (known !== undefined && known.identity === identity && known.at <= size) return known
    const place = { identity, at: 0, isSkipping: false }
    this.places.set(file, place)
    return place
  }

  /** Only whole lines: the rest of one comes later. */
  private lines(descriptor: number, place: Place, each: (entry: AuditEntry) => void): void {
    let piece = Buffer.allocUnsafe(PIECE)
    for (;;) {
      const length = readSync(descriptor, piece, 0, piece.length, place.at)
      const end = piece.subarray(0, length).lastIndexOf(NEWLINE) + 1
      if (end > 0) {
        this.tell(piece.toString("utf8", 0, end), place, each)
        place.at += end
      } else if (length < piece.length) {
        return
      } else if (piece.length < LONGEST) {
        piece = Buffer.allocUnsafe(Math.min(LONGEST, piece.length * 4))
      } else {
        if (!place.isSkipping) this.leftOut += 1
        place.isSkipping = true
        place.at += length
      }
    }
  }

  private tell(text: string, place: Place, each: (entry: AuditEntry) => void): void {
    const [first, ...rest] = text.split("\n")
    const lines = place.isSkipping ? rest : [first ?? "", ...rest]
    place.isSkipping = false
    for (const line of lines) {
      if (line.trim() === "") continue
      const entry = AuditFiles.parseLine(line)
      if (Option.isSome(entry)) each(entry.value)
      else this.leftOut += 1
    }
  }
}

/**
 * The files of an audit log, read: oldest entry first, in bounded memory, whoever wrote them. Lines that are no entries
 * are left out and said.
 *
 * @since 0.1.0
 */
import { type Duration, Effect, Either, Stream } from "effect"
import type { AuditEntry } from "../../../audit/AuditEntry.js"
import type { AuditError } from "../../../audit/AuditSink.js"
import type { From } from "./Additions.js"
import { entriesIn } from "./EntriesIn.js"
import { unreadable } from "./failure.js"
import { followed } from "./following.js"
import { byTime, oneByOne } from "./merged.js"
import { filesIn } from "./names.js"
import type { Remark } from "./remarks.js"

export type {
  /**
   * What to read: all files of a directory that an audit log is kept in, or single files, of several machines perhaps,
   * which are merged by time.
   *
   * @since 0.1.0
   * @category models
   */
  From
} from "./Additions.js"
export {
  /**
   * What was left out of a file, and how often.
   *
   * @since 0.1.0
   * @category models
   */
  type Remark,
  /**
   * A remark in one sentence.
   *
   * @since 0.1.0
   * @category accessors
   */
  sentenceOf
} from "./remarks.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface ReadOptions {
  /** Only entries of this moment or later, in milliseconds. */
  readonly since?: number | undefined
  /** Hears of what is left out of a file, once the file has been read. */
  readonly remark?: ((remark: Remark) => void) | undefined
}

/**
 * The files of a directory that an audit log is kept in, oldest first, whoever else has files there. None where there is no
 * directory.
 *
 * @since 0.1.0
 * @category accessors
 */
export const filesOf = (directory: string): Either.Either<ReadonlyArray<string>, AuditError> =>
  Either.try({ try: () => filesIn(directory), catch: (error) => unreadable(directory, error) })

/**
 * The entries in a line, for who reads files otherwise: mostly one, several where calls share a line, none where it is no line of
 * a log. Of a line that was cut off and grown over they are those behind.
 *
 * @since 0.1.0
 * @category parsing
 */
export const parseLine = (line: string): ReadonlyArray<AuditEntry> => entriesIn(line).entries

/**
 * What is kept, oldest first. A directory that is not there holds nothing; a file that is not there is an error.
 *
 * @example
 * ```ts
 * import { AuditFiles } from "bailiwick/node"
 * import { Stream } from "effect"
 *
 * const hour = 60 * 60 * 1000
 *
 * export const refused = AuditFiles.read(
 *   { directory: "/work/.bailiwick/audit" },
 *   { since: Date.now() - hour, remark: (remark) => console.error(AuditFiles.sentenceOf(remark)) }
 * ).pipe(Stream.filter((entry) => entry.type === "decision" && !entry.allowed))
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const read = (from: From, options: ReadOptions = {}): Stream.Stream<AuditEntry, AuditError> => {
  if ("files" in from) return byTime(from.files, options)
  const { directory } = from
  return Stream.unwrap(
    Effect.try({
      try: () => oneByOne(filesIn(directory, options.since), options),
      catch: (error) => unreadable(directory, error)
    })
  )
}

/**
 * @since 0.1.0
 * @category models
 */
export interface FollowOptions extends ReadOptions {
  /** Where to begin: with what is there, unless given, or behind it. */
  readonly from?: "start" | "end" | undefined
  /** How often to look where the system does not say that something changed: every second unless given. */
  readonly every?: Duration.DurationInput | undefined
}

/**
 * What is kept in a directory, and what is added to it from then on, without end: from one file into the next, and also
 * where there is no directory yet.
 *
 * @since 0.1.0
 * @category constructors
 */
export const follow = (
  directory: string,
  options: FollowOptions = {}
): Stream.Stream<AuditEntry, AuditError> => followed(directory, options)

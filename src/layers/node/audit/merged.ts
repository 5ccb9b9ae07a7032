/** Several files as one stream: one after the other, or by time. */
import { Chunk, Effect, ExecutionStrategy, Exit, Option, Scope, Stream } from "effect"
import type { AuditEntry } from "../../../audit/AuditEntry.js"
import type { AuditError } from "../../../audit/AuditSink.js"
import { type Cursor, cursorOn, type Wanted } from "./Cursor.js"
import { remember } from "./WhichLog.js"

const ended = Effect.fail(Option.none())

/** All of a file that is left, piece by piece. */
const restOf = (cursor: Cursor): Stream.Stream<AuditEntry, AuditError> => {
  let isFinished = false
  return Stream.repeatEffectChunkOption(
    Effect.suspend(() => {
      if (isFinished) return ended
      return Effect.map(Effect.mapError(cursor.next, Option.some), (entries) => {
        isFinished = entries === undefined
        return Chunk.unsafeFromArray(entries ?? cursor.finish())
      })
    })
  )
}

/** In the order of the names; each is opened when the one before it has been read. */
export const oneByOne = (
  files: ReadonlyArray<string>,
  wanted: Wanted
): Stream.Stream<AuditEntry, AuditError> =>
  Stream.flatMap(Stream.fromIterable(files), (file) =>
    Stream.unwrapScoped(Effect.map(cursorOn(file, wanted, { isIndexed: true }), restOf))
  )

/** A file among others: its next entry, and those behind it as far as they were read. */
class Source {
  #entries: ReadonlyArray<AuditEntry> = []
  #at = 0
  #isFinished = false

  constructor(
    private readonly cursor: Cursor,
    readonly close: Effect.Effect<void>
  ) {}

  get head(): AuditEntry | undefined {
    return this.#entries[this.#at]
  }

  pass(): void {
    this.#at++
  }

  get isRead(): boolean {
    return this.#isFinished && this.head === undefined
  }

  /** Reads on until there is a next entry, or none. */
  readonly fill: Effect.Effect<void, AuditError> = Effect.suspend(() => {
    if (this.head !== undefined || this.#isFinished) return Effect.void
    return Effect.flatMap(this.cursor.next, (entries) => {
      this.#isFinished = entries === undefined
      this.#entries = entries ?? this.cursor.finish()
      this.#at = 0
      remember(this.cursor.file, this.#entries)
      return this.fill
    })
  })
}

/** A file that is opened when its turn comes: of many, few are of the same time. */
interface Waiting {
  readonly file: string
  /** Of its first entry. */
  readonly time: string
}

const waiting = (file: string): Effect.Effect<Waiting, AuditError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const cursor = yield* cursorOn(file, {}, { isIndexed: false })
      const entries = yield* cursor.next
      return { file, time: entries?.[0]?.time ?? "" }
    })
  )

const earliest = (sources: Iterable<Source>): Source | undefined => {
  let found: Source | undefined
  for (const source of sources) {
    if (source.head === undefined) continue
    if (found?.head === undefined || source.head.time < found.head.time) found = source
  }
  return found
}

/** So many are given on at once. */
const MOST = 512

class Merge {
  readonly #open = new Set<Source>()
  readonly #waiting: Array<Waiting>

  constructor(
    waiting: ReadonlyArray<Waiting>,
    private readonly wanted: Wanted,
    private readonly scope: Scope.Scope
  ) {
    this.#waiting = [...waiting].sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0))
  }

  readonly #openNext: Effect.Effect<void, AuditError> = Effect.gen(this, function* () {
    const next = this.#waiting.pop()
    if (next === undefined) return
    const scope = yield* Scope.fork(this.scope, ExecutionStrategy.sequential)
    const cursor = yield* Scope.extend(cursorOn(next.file, this.wanted, { isIndexed: false }), scope)
    this.#open.add(new Source(cursor, Scope.close(scope, Exit.void)))
  })

  /** The file whose entry is the next of all. */
  readonly #next: Effect.Effect<Source | undefined, AuditError> = Effect.gen(this, function* () {
    for (;;) {
      for (const source of this.#open) {
        if (source.head === undefined) yield* source.fill
        if (!source.isRead) continue
        this.#open.delete(source)
        yield* source.close
      }
      const found = earliest(this.#open)
      const time = this.#waiting.at(-1)?.time
      if (time === undefined || (found?.head !== undefined && found.head.time < time)) return found
      yield* this.#openNext
    }
  })

  readonly pull: Effect.Effect<Chunk.Chunk<AuditEntry>, Option.Option<AuditError>> = Effect.gen(
    this,
    function* () {
      const entries: Array<AuditEntry> = []
      while (entries.length < MOST) {
        const source = yield* Effect.mapError(this.#next, Option.some)
        if (source?.head === undefined) break
        // Those that nobody else can come between.
        do {
          entries.push(source.head)
          source.pass()
        } while (this.#open.size === 1 && this.#waiting.length === 0 && source.head !== undefined)
      }
      return entries.length === 0 ? yield* ended : Chunk.unsafeFromArray(entries)
    }
  )
}

/** By time, whatever the files are called. */
export const byTime = (files: ReadonlyArray<string>, wanted: Wanted): Stream.Stream<AuditEntry, AuditError> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const all = yield* Effect.forEach(files, waiting)
      const merge = new Merge(all, wanted, yield* Effect.scope)
      return Stream.repeatEffectChunkOption(merge.pull)
    })
  )

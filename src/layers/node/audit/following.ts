/** A log that grows, read to its end and on as it grows, from one file into the next. */
import * as fs from "node:fs"
import { Chunk, type Duration, Effect, ExecutionStrategy, Exit, Option, Scope, Stream } from "effect"
import type { AuditEntry } from "../../../audit/AuditEntry.js"
import type { AuditError } from "../../../audit/AuditSink.js"
import { type Cursor, cursorOn, type Wanted } from "./Cursor.js"
import { unreadable } from "./failure.js"
import { filesIn } from "./names.js"

export interface Following extends Wanted {
  /** Where to begin: with what is there, or behind it. */
  readonly from?: "start" | "end" | undefined
  /** How often to look where the system does not say that something changed. */
  readonly every?: Duration.DurationInput | undefined
}

/** Says that something changed in a directory, as far as the system tells. */
class Changes {
  #hasChanged = false
  #wake: (() => void) | undefined

  readonly heard = (): void => {
    this.#hasChanged = true
    this.#wake?.()
  }

  readonly next: Effect.Effect<void> = Effect.async((resume) => {
    const wake = () => {
      this.#hasChanged = false
      this.#wake = undefined
      resume(Effect.void)
    }
    if (this.#hasChanged) wake()
    else this.#wake = wake
    return Effect.sync(() => {
      this.#wake = undefined
    })
  })
}

/** Where nothing can be watched, or not yet, looking from time to time must do. */
const watching = (directory: string): Effect.Effect<Changes, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const changes = new Changes()
        try {
          const watcher = fs.watch(directory, { persistent: false }, changes.heard)
          watcher.on("error", () => watcher.close())
          return { changes, close: () => watcher.close() }
        } catch {
          return { changes, close: () => {} }
        }
      }),
      ({ close }) => Effect.sync(close)
    ),
    ({ changes }) => changes
  )

interface Opened {
  readonly cursor: Cursor
  readonly close: Effect.Effect<void>
}

/** Whoever has not yet seen that a new file was begun still writes to the last one. */
const MOST = 2

class Follower {
  readonly #known = new Set<string>()
  #open: ReadonlyArray<Opened> = []
  #isBehind: boolean

  constructor(
    private readonly directory: string,
    private readonly options: Following,
    private readonly changes: Changes,
    private readonly scope: Scope.Scope
  ) {
    this.#isBehind = options.from !== "end"
  }

  readonly #files: Effect.Effect<ReadonlyArray<string>, AuditError> = Effect.try({
    try: () => filesIn(this.directory, this.options.since),
    catch: (error) => unreadable(this.directory, error)
  })

  #opened(file: string): Effect.Effect<Opened, AuditError> {
    return Effect.gen(this, function* () {
      const scope = yield* Scope.fork(this.scope, ExecutionStrategy.sequential)
      const cursor = yield* Scope.extend(cursorOn(file, this.options, { isIndexed: true }), scope)
      return { cursor, close: Scope.close(scope, Exit.void) }
    })
  }

  /** Goes on with the next file, if there is one. */
  readonly #advanced: Effect.Effect<boolean, AuditError> = Effect.gen(this, function* () {
    const next = (yield* this.#files).find((file) => !this.#known.has(file))
    if (next === undefined) return false
    this.#known.add(next)
    this.#open = [...this.#open, yield* this.#opened(next)]
    return true
  })

  /** Passes over all that is there when it is first looked at. */
  readonly #skipped: Effect.Effect<void, AuditError> = Effect.gen(this, function* () {
    this.#isBehind = true
    const files = yield* this.#files
    for (const file of files) this.#known.add(file)
    const last = files.at(-1)
    if (last === undefined) return
    const opened = yield* this.#opened(last)
    opened.cursor.skip()
    this.#open = [opened]
  })

  /** The next entries that are there. */
  readonly #there: Effect.Effect<ReadonlyArray<AuditEntry>, AuditError> = Effect.gen(this, function* () {
    for (const { cursor } of this.#open) {
      for (;;) {
        const entries = yield* cursor.next
        cursor.say()
        if (entries === undefined) break
        if (entries.length > 0) return entries
      }
    }
    const [oldest, ...rest] = this.#open
    if (oldest === undefined || rest.length < MOST) return []
    this.#open = rest
    const entries = oldest.cursor.finish()
    yield* oldest.close
    return entries
  })

  readonly pull: Effect.Effect<Chunk.Chunk<AuditEntry>, AuditError> = Effect.gen(this, function* () {
    if (!this.#isBehind) yield* this.#skipped
    for (;;) {
      const entries = yield* this.#there
      if (entries.length > 0) return Chunk.unsafeFromArray(entries)
      if (yield* this.#advanced) continue
      yield* Effect.race(this.changes.next, Effect.sleep(this.options.every ?? "1 second"))
    }
  })
}

export const followed = (directory: string, options: Following): Stream.Stream<AuditEntry, AuditError> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const changes = yield* watching(directory)
      const follower = new Follower(directory, options, changes, yield* Effect.scope)
      return Stream.repeatEffectChunkOption(Effect.mapError(follower.pull, Option.some))
    })
  )

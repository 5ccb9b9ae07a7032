/** A log that grows, read to its end and on as it grows, from one file into the next. */
import * as fs from "node:fs"
import { Chunk, type Duration, Effect, Option, type Scope, Stream } from "effect"
import type { AuditEntry } from "../../../audit/AuditEntry.js"
import { AuditError } from "../../../audit/AuditSink.js"
import { Additions } from "./Additions.js"
import type { Wanted } from "./Cursor.js"

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

/** The next entries of a look; `None` where there are no more. */
const next = (
  look: ReturnType<Additions["look"]>,
  since: number
): Effect.Effect<Chunk.Chunk<AuditEntry>, Option.Option<AuditError>> =>
  Effect.suspend(() => {
    try {
      const { value } = look.next()
      return value === undefined
        ? Effect.fail(Option.none())
        : Effect.succeed(Chunk.fromIterable(value.filter(({ time }) => !(Date.parse(time) < since))))
    } catch (error) {
      if (error instanceof AuditError) return Effect.fail(Option.some(error))
      throw error
    }
  })

export const followed = (
  directory: string,
  { every = "1 second", from = "start", remark, since = 0 }: Following
): Stream.Stream<AuditEntry, AuditError> =>
  Stream.unwrapScoped(
    Effect.map(watching(directory), (changes) => {
      const trouble = (_: string, error: AuditError): never => {
        throw error
      }
      const additions = new Additions({ directory }, { begins: from, since, remark, trouble })
      const look = Effect.acquireRelease(
        Effect.sync(() => additions.look()),
        (begun) => Effect.sync(() => begun.return(undefined))
      )
      const looked = Stream.unwrapScoped(
        Effect.map(look, (begun) => Stream.repeatEffectChunkOption(next(begun, since)))
      )
      const waited = Stream.drain(Stream.fromEffect(Effect.race(changes.next, Effect.sleep(every))))
      return Stream.forever(Stream.concat(looked, waited))
    })
  )

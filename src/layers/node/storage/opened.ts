/** Tables that are opened by whoever needs them first, and closed with the scope. */
import { Effect, type Scope } from "effect"
import type { StorageError } from "../../../capabilities/storage/StorageOperations.js"
import { closed, failed } from "./failure.js"
import { acquire, type Held } from "./shared.js"
import type { Tables } from "./tables.js"

export interface Opened {
  readonly use: <A>(run: (tables: Tables) => Effect.Effect<A, StorageError>) => Effect.Effect<A, StorageError>
  /** The tables, if anyone has needed them yet. */
  readonly current: () => Tables | undefined
}

export const opened = (directory: string): Effect.Effect<Opened, never, Scope.Scope> =>
  Effect.gen(function* () {
    const turn = yield* Effect.makeSemaphore(1)
    let held: Held | undefined
    let ended = false
    yield* Effect.addFinalizer(() =>
      turn.withPermits(1)(
        Effect.promise(async () => {
          const last = held
          ended = true
          held = undefined
          await last?.release()
        })
      )
    )
    const first = Effect.uninterruptible(
      Effect.suspend(() => {
        if (ended) return closed
        if (held !== undefined) return Effect.succeed(held.tables)
        return Effect.map(Effect.tryPromise({ try: () => acquire(directory), catch: failed }), (made) => {
          held = made
          return made.tables
        })
      })
    ).pipe(turn.withPermits(1))
    return {
      current: () => held?.tables,
      use: (run) => Effect.suspend(() => (held === undefined ? Effect.flatMap(first, run) : run(held.tables)))
    }
  })

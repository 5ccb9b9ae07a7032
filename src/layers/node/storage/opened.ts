/** A store that is opened by whoever needs it first, and closed with the scope. */
import { Deferred, Duration, Effect, type Either, type Scope } from "effect"
import type { StorageError } from "../../../capabilities/storage/StorageOperations.js"
import { isBusy, type Open, type Queries } from "./connection.js"
import { load } from "./driver.js"
import { closed, failed, moved } from "./failure.js"
import { acquire, type Handle } from "./handles.js"
import { patiently } from "./patience.js"
import { writesOf } from "./writes.js"

/** Runs with the clock of the caller, which is that of the test in a test. */
type Run<A> = (queries: Queries, now: number) => A

export interface Opened {
  readonly read: <A>(run: Run<A>) => Effect.Effect<A, StorageError>
  /** `bytes` is how much it writes, more or less. */
  readonly write: <A>(
    bytes: number,
    run: Run<Either.Either<A, StorageError>>
  ) => Effect.Effect<A, StorageError>
  /** Whether anyone has needed it yet. */
  readonly isOpen: () => boolean
}

const driver = Effect.tryPromise({ try: load, catch: failed })

export const opened = (
  directory: string,
  waitAtMost: Duration.DurationInput
): Effect.Effect<Opened, never, Scope.Scope> =>
  Effect.gen(function* () {
    const patience = Duration.toMillis(waitAtMost)
    const idle = yield* Deferred.make<void>()
    /** More than one when a file was moved away while it was open. */
    const handles = new Set<Handle>()
    let current: Handle | undefined
    let running = 0
    let ended = false

    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        ended = true
        return running === 0 ? Effect.void : Deferred.await(idle)
      }).pipe(
        Effect.zipRight(
          Effect.sync(() => {
            for (const handle of handles) handle.release()
          })
        )
      )
    )

    /** What the end of the scope waits for. */
    const counted = <A>(run: Effect.Effect<A, StorageError>): Effect.Effect<A, StorageError> =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          running += 1
        }),
        () => run,
        () =>
          Effect.sync(() => {
            running -= 1
            if (ended && running === 0) Deferred.unsafeDone(idle, Effect.void)
          })
      )

    /** Opens the file, or goes on where an earlier attempt had to wait. */
    const setUp = (open: Open): Handle => {
      const handle = current ?? acquire(directory, open)
      current = handle
      handles.add(handle)
      try {
        handle.setUp()
      } catch (error) {
        if (!isBusy(error)) {
          current = undefined
          handles.delete(handle)
          handle.release()
        }
        throw error
      }
      return handle
    }

    const handle = (until: number): Effect.Effect<Handle, StorageError> =>
      Effect.suspend(() => {
        if (current?.isReady() === true) return Effect.succeed(current)
        return Effect.flatMap(driver, (open) => patiently(until, () => setUp(open)))
      })

    /** The next operation opens what is in the place of a file that was moved away. */
    const forget = (gone: Handle) => (error: StorageError) =>
      Effect.sync(() => {
        if (error !== moved || current !== gone) return
        gone.forget()
        current = undefined
      })

    return {
      isOpen: () => current !== undefined,
      read: (run) =>
        Effect.clockWith((clock) => {
          if (ended) return closed
          const now = clock.unsafeCurrentTimeMillis()
          const attempt = ({ connection }: Handle) =>
            connection.reading((queries) => run(queries, clock.unsafeCurrentTimeMillis()))
          if (current?.isReady() === true) {
            try {
              return Effect.succeed(attempt(current))
            } catch (error) {
              if (!isBusy(error)) return failed(error)
            }
          }
          const until = now + patience
          return counted(Effect.flatMap(handle(until), (ready) => patiently(until, () => attempt(ready))))
        }),
      write: (bytes, run) =>
        Effect.clockWith((clock) => {
          if (ended) return closed
          const until = clock.unsafeCurrentTimeMillis() + patience
          return counted(
            Effect.flatMap(handle(until), (ready) => {
              const work = (queries: Queries) => run(queries, clock.unsafeCurrentTimeMillis())
              return writesOf(ready.connection)
                .write(until, { bytes, run: work })
                .pipe(Effect.tapError(forget(ready)))
            })
          )
        })
    }
  })

/**
 * A tool's stream as the input of a command. It may fail, and need services; the lane of a backend does neither. So a
 * failure ends the command first, and then is what comes of it.
 */
import { Deferred, Effect, Stream } from "effect"

export type Source<E, R> = Stream.Stream<Uint8Array, E, R>

type Lane = Stream.Stream<Uint8Array>

/** The lane never ends after a failure: a command that is about to be ended is not told that its input is complete. */
const laneOf = <E, R>(source: Source<E, R>) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    const failed = yield* Deferred.make<never, E>()
    const lane: Lane = Stream.catchAllCause(Stream.provideContext(source, context), (cause) =>
      Stream.fromEffect(Effect.zipRight(Deferred.failCause(failed, cause), Effect.never))
    )
    return { failed, lane }
  })

export const fed = <A, E, E2, R>(
  source: Source<E, R>,
  run: (lane: Lane) => Effect.Effect<A, E2>
): Effect.Effect<A, E | E2, R> =>
  Effect.flatMap(laneOf(source), ({ failed, lane }) => Effect.raceFirst(run(lane), Deferred.await(failed)))

export const fedStream = <A, E, E2, R>(
  source: Source<E, R>,
  run: (lane: Lane) => Stream.Stream<A, E2>
): Stream.Stream<A, E | E2, R> =>
  Stream.unwrap(
    Effect.map(laneOf(source), ({ failed, lane }) => Stream.interruptWhenDeferred(run(lane), failed))
  )

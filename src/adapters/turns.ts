/** So many at a time, first come first served. A semaphore of Effect wakes all who wait for each that is done. */
import { Effect, Queue } from "effect"

export const turns = (
  atOnce: number
): Effect.Effect<<A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>> =>
  Effect.gen(function* () {
    const free = yield* Queue.unbounded<void>()
    yield* Queue.offerAll(free, Array.from({ length: atOnce }))
    return (effect) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(restore(Queue.take(free)), () =>
          Effect.ensuring(restore(effect), Queue.offer(free, undefined))
        )
      )
  })

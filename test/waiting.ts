/** Waiting for what nobody announces: one looks, and leaves the processor to others until the next look. */
import { Chunk, Effect, TestClock } from "effect"

const MILLIS = 2

/** By the clock of the machine, whatever the clock of the test is. */
export const moment: Effect.Effect<void> = Effect.async((resume) => {
  const timer = setTimeout(() => resume(Effect.void), MILLIS)
  return Effect.sync(() => clearTimeout(timer))
})

/** Whoever waits for what never comes hangs, and is seen. */
export const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isSo() ? Effect.void : Effect.zipRight(moment, until(isSo))))

/** Until somebody sleeps on the test clock. */
export const asleep: Effect.Effect<void> = Effect.suspend(() =>
  Effect.flatMap(TestClock.sleeps(), (sleeps) =>
    Chunk.isEmpty(sleeps) ? Effect.zipRight(moment, asleep) : Effect.void
  )
)

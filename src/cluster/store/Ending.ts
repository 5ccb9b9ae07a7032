/** How a runner ends: turns that it could not bring to their end, or whose answer it could not write down, are counted and said. */
import { Effect } from "effect"

export class Ending {
  private hasBegun = false
  private count = 0

  /** What is broken off from now on is broken off because the runner ends. */
  readonly begin: Effect.Effect<void> = Effect.sync(() => {
    this.hasBegun = true
  })

  readonly counting = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.onError(effect, () =>
      Effect.sync(() => {
        if (this.hasBegun) this.count += 1
      })
    )

  /** Once nothing runs any more. */
  readonly report: Effect.Effect<void> = Effect.suspend(() =>
    this.count === 0
      ? Effect.void
      : Effect.logWarning(
          `the runner ended before ${this.count === 1 ? "a turn was" : `${this.count} turns were`} answered: the time to drain was over, or PostgreSQL was away; whether their calls took effect is not known`
        )
  )
}

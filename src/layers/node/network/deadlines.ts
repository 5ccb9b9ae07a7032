/**
 * Time limits for many requests with one sleeper: a timer for each would cost more than the rest of the request's
 * bookkeeping. It sleeps on the clock of the fiber that asks, so that a test's clock moves it too.
 */
import { type Clock, Duration, Effect } from "effect"

/** What ends at a time, which may be put off while it runs. */
export interface Timed {
  at: number
  readonly expire: () => void
}

/** How long the sleeper outlives the last request at most. */
const NAP = 1_000

interface Watch {
  readonly all: Set<Timed>
  awake: boolean
}

export class Deadlines {
  readonly #nap: number
  readonly #byClock = new WeakMap<Clock.Clock, Watch>()

  /** No deadline is nearer than `shortest` when it is set. */
  constructor(shortest: number) {
    this.#nap = Math.min(NAP, shortest)
  }

  /** Watches over a deadline; the sleeper, where there is none yet, is for the caller to start. */
  add(clock: Clock.Clock, timed: Timed): Effect.Effect<void> | undefined {
    let watch = this.#byClock.get(clock)
    if (watch === undefined) {
      watch = { all: new Set(), awake: false }
      this.#byClock.set(clock, watch)
    }
    watch.all.add(timed)
    return watch.awake ? undefined : this.#sleeper(clock, watch)
  }

  delete(clock: Clock.Clock, timed: Timed): void {
    this.#byClock.get(clock)?.all.delete(timed)
  }

  /** Awake only once it runs: who was to start it may have been interrupted before. */
  #sleeper(clock: Clock.Clock, watch: Watch): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (watch.awake) return Effect.void
      watch.awake = true
      return Effect.ensuring(
        this.#keep(clock, watch.all),
        Effect.sync(() => {
          watch.awake = false
        })
      )
    })
  }

  #keep(clock: Clock.Clock, all: Set<Timed>): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (all.size === 0) return Effect.void
      const now = clock.unsafeCurrentTimeMillis()
      let next = now + this.#nap
      for (const timed of all) {
        if (timed.at > now) {
          next = Math.min(next, timed.at)
        } else {
          all.delete(timed)
          timed.expire()
        }
      }
      return Effect.flatMap(clock.sleep(Duration.millis(next - now)), () => this.#keep(clock, all))
    })
  }
}

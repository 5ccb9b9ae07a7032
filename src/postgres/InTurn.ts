/**
 * So many at a time, and the others in the order in which they came. Each is handed its place by who leaves it; a semaphore
 * would wake all of a thousand for one place.
 */
import { Effect } from "effect"

interface Waiting {
  readonly go: () => void
  isGiven: boolean
}

export class InTurn {
  private free: number
  private readonly waiting = new Set<Waiting>()

  constructor(private readonly places: number) {
    this.free = places
  }

  /** Whether nobody is in it, or waits for it. */
  get isIdle(): boolean {
    return this.free === this.places
  }

  private readonly leave = Effect.sync(() => {
    const [next] = this.waiting
    if (next === undefined) {
      this.free += 1
      return
    }
    this.waiting.delete(next)
    next.isGiven = true
    next.go()
  })

  private readonly enter = Effect.async<void>((resume) => {
    if (this.free > 0) {
      this.free -= 1
      resume(Effect.void)
      return
    }
    const mine: Waiting = { go: () => resume(Effect.void), isGiven: false }
    this.waiting.add(mine)
    // Who leaves at the moment that the place is handed over hands it on.
    return Effect.suspend(() =>
      mine.isGiven ? this.leave : Effect.sync(() => void this.waiting.delete(mine))
    )
  })

  run<A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(this.enter), () => Effect.ensuring(restore(effect), this.leave))
    )
  }
}

/** One at a time for each name. */
export class EachInTurn {
  private readonly names = new Map<string, InTurn>()

  run<A, E>(name: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const turn = this.names.get(name) ?? new InTurn(1)
      this.names.set(name, turn)
      return Effect.ensuring(
        turn.run(effect),
        Effect.sync(() => {
          if (turn.isIdle && this.names.get(name) === turn) this.names.delete(name)
        })
      )
    })
  }
}

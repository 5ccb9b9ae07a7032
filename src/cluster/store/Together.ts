/** Rows that come at the same time are written together: what comes while a statement is under way goes into the next one. */
import type { SqlError } from "@effect/sql/SqlError"
import { Deferred, Effect } from "effect"
import type { ClusterError } from "../ClusterError.js"
import { answeredInTime } from "./inTime.js"

/** So many rows in one statement, and not much more than so many characters. */
const ROWS = 500
const CHARACTERS = 4 * 1024 * 1024

type Trouble = SqlError | ClusterError

interface Waiting<A, B> {
  readonly one: A
  readonly done: Deferred.Deferred<B, Trouble>
}

export class Together<A, B> {
  private waiting: Array<Waiting<A, B>> = []
  private isBusy = false

  constructor(
    private readonly handle: (all: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, Trouble>,
    private readonly charactersOf: (one: A) => number = () => 0
  ) {}

  readonly add = (one: A): Effect.Effect<B, Trouble> =>
    Effect.gen(this, function* () {
      const done = yield* Deferred.make<B, Trouble>()
      this.waiting.push({ one, done })
      // Of its own: whoever came first may be interrupted, and the others still wait.
      if (!this.isBusy) yield* Effect.forkDaemon(this.work)
      return yield* Deferred.await(done)
    })

  private readonly work: Effect.Effect<void> = Effect.suspend(() => {
    if (this.isBusy) return Effect.void
    return Effect.whileLoop({
      // In the same moment: who came between the look and the end of it would be waiting for nobody.
      while: () => {
        this.isBusy = this.waiting.length > 0
        return this.isBusy
      },
      body: () => this.next(),
      step: () => {}
    })
  })

  private taken(): ReadonlyArray<Waiting<A, B>> {
    let characters = 0
    const end = this.waiting.findIndex(({ one }, index) => {
      characters += this.charactersOf(one)
      return index === ROWS || (index > 0 && characters > CHARACTERS)
    })
    return this.waiting.splice(0, end < 0 ? this.waiting.length : end)
  }

  private next(): Effect.Effect<void> {
    const taken = this.taken()
    return Effect.flatMap(Effect.exit(answeredInTime(this.handle(taken.map(({ one }) => one)))), (exit) =>
      Effect.forEach(
        taken,
        ({ done }, at) =>
          exit._tag === "Success"
            ? Deferred.succeed(done, exit.value[at] as B)
            : Deferred.failCause(done, exit.cause),
        { discard: true }
      )
    )
  }
}

/** Keeps in mind whether anything of a turn can have reached the store, however often it is tried. */
import { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { troubleOf } from "../../postgres/Trouble.js"
import type { ClusterError } from "../ClusterError.js"
import { unreachable } from "../store/Awaiting.js"

export class Attempts {
  private underWay = 0
  private mayBeSent = false
  /** Why the store has nothing of it, where that is known. */
  unsent: ClusterError | undefined

  noting<A>(attempt: Effect.Effect<A, { readonly _tag: string }>): typeof attempt {
    return Effect.zipRight(
      Effect.sync(() => {
        this.underWay += 1
      }),
      Effect.tapError(attempt, (error) => Effect.sync(() => this.failed(error)))
    )
  }

  private failed(error: { readonly _tag: string }): void {
    this.underWay -= 1
    const cause = error._tag === "PersistenceError" && "cause" in error ? error.cause : undefined
    const trouble = cause instanceof SqlError ? troubleOf(cause) : undefined
    this.mayBeSent ||= trouble === undefined || trouble.kind === "unknown"
    this.unsent =
      trouble === undefined || this.mayBeSent || this.underWay > 0 ? undefined : unreachable(trouble)
  }
}

/**
 * A PostgreSQL that is away is waited for: that is said once, and it is asked again after pauses that grow. What will not mend
 * by itself is an error at once.
 */
import type { SqlError } from "@effect/sql/SqlError"
import { Duration, Effect, Exit, Schedule, Scope } from "effect"
import type { DatabaseError } from "../../postgres/DatabaseError.js"
import { troubleOf } from "../../postgres/Trouble.js"
import { ClusterError } from "../ClusterError.js"

type Trouble = SqlError | DatabaseError | ClusterError

const pauses = Schedule.jittered(
  Schedule.union(Schedule.exponential(Duration.millis(200), 1.5), Schedule.spaced(Duration.seconds(10)))
)

const known = (error: Trouble): DatabaseError | ClusterError =>
  error._tag === "SqlError" ? troubleOf(error) : error

/** What a program answers that cannot reach the store. */
export const unreachable = ({ detail }: DatabaseError): ClusterError =>
  new ClusterError({ code: "STORE_UNREACHABLE", detail })

/** What was opened for an attempt in vain is closed again. */
const ofItsOwn = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Scope.Scope> =>
  Effect.flatMap(Effect.scope, (outer) =>
    Effect.flatMap(Scope.fork(outer, { _tag: "Sequential" }), (scope) =>
      Effect.onError(Scope.extend(effect, scope), (cause) => Scope.close(scope, Exit.failCause(cause)))
    )
  )

/** Of several reasons, each is said. One that is only starting is none. */
const saying = (until: string) => {
  const said = new Set(["57P03"])
  return (error: DatabaseError): Effect.Effect<void> => {
    const name = error.named?.startsWith("E") === true ? "" : (error.named ?? "")
    if (said.has(name)) return Effect.void
    said.add(name)
    return Effect.logWarning(`${error.told}; ${until}`)
  }
}

/** `until` is what the program does meanwhile, in words; `away` hears of each attempt in vain. */
export const awaiting = <A, R>(
  effect: Effect.Effect<A, Trouble, R>,
  until: string,
  away: (error: ClusterError) => Effect.Effect<unknown> = () => Effect.void
): Effect.Effect<A, ClusterError, R | Scope.Scope> =>
  Effect.suspend(() => {
    const say = saying(until)
    return Effect.mapError(ofItsOwn(effect), known).pipe(
      Effect.tapError((error) =>
        error._tag === "DatabaseError" && !error.isLasting
          ? Effect.zipRight(say(error), away(unreachable(error)))
          : Effect.void
      ),
      Effect.retry({
        schedule: pauses,
        while: (error) => error._tag === "DatabaseError" && !error.isLasting
      }),
      Effect.mapError((error) => (error._tag === "DatabaseError" ? unreachable(error) : error))
    )
  })

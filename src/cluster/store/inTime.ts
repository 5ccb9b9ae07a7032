/** What is asked of a store whose connection has died may never be answered, and not even be given up. */
import { SqlError } from "@effect/sql/SqlError"
import { Cause, Duration, Effect } from "effect"

/** A statement that waits for others waits for less. */
const LONGEST = Duration.seconds(3)

/** A transaction whose connection dies cannot be rolled back, which it takes for a defect; it is none of ours. */
export const failing = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
  Effect.catchAllCause(effect, (cause): Effect.Effect<never, E | SqlError> => {
    const failure = Cause.failureOption(cause)
    if (failure._tag === "Some") return Effect.fail(failure.value)
    const defect = Cause.dieOption(cause)
    return defect._tag === "Some" && defect.value instanceof SqlError
      ? Effect.fail(defect.value)
      : Effect.failCause(cause)
  })

/** Fails where there is no answer, and leaves what was asked to itself. Whoever asks again finds out what came of it. */
export const answeredInTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
  Effect.timeoutFail(Effect.disconnect(failing(effect)), {
    duration: LONGEST,
    onTimeout: () =>
      new SqlError({ cause: new Error("no answer in time"), message: "PostgreSQL does not answer" })
  })

/**
 * Asks for a proof before a backend is called. What cannot even be asked (a path with `..`, a URL with user info) is
 * refused like what is not permitted.
 *
 * @since 0.1.0
 */
import { Effect, Either, type Fiber, FiberRef, LogLevel } from "effect"
import * as Authority from "../../policy/Authority.js"
import type { Denial } from "../../policy/Denial.js"
import * as Proof from "../../policy/Proof.js"
import type * as Request from "../../policy/Request.js"
import type { ScopeInvalid } from "../../policy/ScopeInvalid.js"
import { currentCall } from "../internal/currentCall.js"

/**
 * How a category words its refusals.
 *
 * @since 0.1.0
 * @category models
 */
export interface Refusals<E> {
  readonly denied: (denial: Denial) => E
  readonly malformed: (invalid: ScopeInvalid) => E
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Gate<E> {
  /** Whether a request is permitted. Nobody hears of the question. */
  readonly allows: (request: Request.Made) => boolean
  /** The proof that a request is permitted. What runs afterwards must use it, and not what it was made from. */
  readonly ask: <R extends Request.Request>(request: Request.Made<R>) => Effect.Effect<Proof.Proof<R>, E>
  /** Whether all of another authority is held: for what acts on more than it names. */
  readonly holds: (wanted: Authority.Authority) => boolean
}

/** What is allowed is logged for those who look closely only: it is asked for all the time. */
const isAudible = (fiber: Pick<Fiber.RuntimeFiber<unknown>, "getFiberRef">): boolean =>
  LogLevel.lessThanEqual(fiber.getFiberRef(FiberRef.currentMinimumLogLevel), LogLevel.Debug)

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = <E>(holder: Proof.Holder, refusals: Refusals<E>): Gate<E> => {
  const quiet: Proof.Holder = { ...holder, observe: () => {} }
  return {
    allows: (made) => Either.isRight(Proof.ask(quiet, made)),
    ask: (made) =>
      Effect.withFiberRuntime((fiber) => {
        const asked = Proof.ask(holder, made, fiber.getFiberRef(currentCall))
        if (Either.isRight(asked)) {
          const { request, scope } = asked.right
          return isAudible(fiber)
            ? Effect.as(
                holder.log({ allowed: true, capability: request.capability, scope }, request),
                asked.right
              )
            : Effect.succeed(asked.right)
        }
        const refusal = asked.left
        if (refusal._tag === "Malformed") return Effect.fail(refusals.malformed(refusal.invalid))
        const { denial } = refusal
        return Effect.zipRight(
          Either.match(made, {
            onLeft: () => Effect.void,
            onRight: (request) => holder.log({ allowed: false, denial }, request)
          }),
          Effect.fail(refusals.denied(denial))
        )
      }),
    holds: (wanted) => Authority.within(wanted, holder.authority)
  }
}

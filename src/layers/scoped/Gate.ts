/**
 * Asks the authority before an operation runs. What cannot even be asked (a path with `..`, a URL with user
 * info) is refused like what is not permitted.
 *
 * @since 0.1.0
 */
import { Effect, Either } from "effect"
import * as Authority from "../../policy/Authority.js"
import type { Denial } from "../../policy/Denial.js"
import type * as Request from "../../policy/Request.js"
import type { ScopeInvalid } from "../../policy/ScopeInvalid.js"

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
  /** Whether a request is permitted. */
  readonly allows: (request: Request.Made) => boolean
  /** Fails unless the request is permitted. */
  readonly ask: (request: Request.Made) => Effect.Effect<void, E>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = <E>(authority: Authority.Authority, refusals: Refusals<E>): Gate<E> => {
  const decide = (made: Request.Made): Either.Either<void, E> => {
    if (Either.isLeft(made)) return Either.left(refusals.malformed(made.left))
    const decision = Authority.permits(authority, made.right)
    return decision.allowed ? Either.void : Either.left(refusals.denied(decision.denial))
  }
  return {
    allows: (made) => Either.isRight(decide(made)),
    ask: (made) => Effect.suspend(() => decide(made))
  }
}

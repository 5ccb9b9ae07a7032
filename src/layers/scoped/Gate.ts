/**
 * Asks the authority before an operation runs. What cannot even be asked (a path with `..`, a URL with user
 * info) is refused like what is not permitted.
 *
 * @since 0.1.0
 */
import { type Effect, Either } from "effect"
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
  /** The request, canonical, if it is permitted. What runs afterwards must use it, and not what it was made from. */
  readonly ask: <R extends Request.Request>(request: Request.Made<R>) => Effect.Effect<R, E>
  /** Whether all of another authority is held: for what acts on more than it names. */
  readonly holds: (wanted: Authority.Authority) => boolean
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = <E>(authority: Authority.Authority, refusals: Refusals<E>): Gate<E> => {
  const decide = <R extends Request.Request>(made: Request.Made<R>): Either.Either<R, E> => {
    if (Either.isLeft(made)) return Either.left(refusals.malformed(made.left))
    const decision = Authority.permits(authority, made.right)
    return decision.allowed ? Either.right(made.right) : Either.left(refusals.denied(decision.denial))
  }
  return {
    allows: (made) => Either.isRight(decide(made)),
    ask: (made) => decide(made),
    holds: (wanted) => Authority.within(wanted, authority)
  }
}

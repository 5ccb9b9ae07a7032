/**
 * Asks for a proof before a backend is called. What cannot even be asked (a path with `..`, a URL with user info) is
 * refused like what is not permitted.
 *
 * @since 0.1.0
 */
import { Effect, Either, type Fiber, FiberRef, LogLevel, Stream } from "effect"
import * as Authority from "../lattice/Authority.js"
import type { Denial } from "../lattice/Denial.js"
import type { Passed } from "../lattice/Passed.js"
import * as Request from "../lattice/Request.js"
import type { ScopeInvalid } from "../lattice/ScopeInvalid.js"
import * as Asking from "./Asking.js"
import { bind, currentCall, idOf } from "./Call.js"
import * as Floor from "./floor/Floor.js"

/**
 * How a category words its refusals.
 *
 * @since 0.1.0
 * @category models
 */
export interface Refusals<E> {
  readonly denied: (denial: Denial) => E
  readonly malformed: (invalid: ScopeInvalid, denial: Denial) => E
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Gate<E> {
  /** Whether a request is permitted. Nobody hears of the question. */
  readonly allows: (request: Request.Made) => boolean
  /** The proof that a request is permitted. What runs afterwards must use it, and not what it was made from. */
  readonly ask: <R extends Request.Request>(request: Request.Made<R>) => Effect.Effect<Asking.Proof<R>, E>
  /** Refuses once the call has ended: for what is answered without a question. */
  readonly standing: (capability: string) => Effect.Effect<void, E>
  /** Refuses on grounds of its own, and has it heard. */
  readonly refuse: (denial: Denial) => Effect.Effect<never, E>
  /** Has heard what is passed on to another agent, and was found to be within what is held. */
  readonly passes: (target: string, all: ReadonlyArray<Passed>) => Effect.Effect<void>
  /** Puts what a backend refuses in the log: where a redirect goes, where a link leads. */
  readonly logged: <A>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** The same for what comes bit by bit, and no further than the call. */
  readonly loggedStream: <A>(capability: string, stream: Stream.Stream<A, E>) => Stream.Stream<A, E>
  /** Whether all of another authority is held: for what acts on more than it names. */
  readonly holds: (wanted: Authority.Authority) => boolean
  /** Whether what no policy lifts holds something below a path, because of where that path is. */
  readonly isGuardedBelow: (request: Request.Made) => boolean
}

/** What is allowed is logged for those who look closely only: it is asked for all the time. */
const isAudible = (fiber: Pick<Fiber.RuntimeFiber<unknown>, "getFiberRef">): boolean =>
  LogLevel.lessThanEqual(fiber.getFiberRef(FiberRef.currentMinimumLogLevel), LogLevel.Debug)

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = <E extends { readonly denial?: Denial | undefined }>(
  asking: Asking.Holder,
  backend: object,
  refusals: Refusals<E>
): Gate<E> => {
  const holder: Asking.Holder = { ...asking, backend }
  const log = ({ denial }: E): Effect.Effect<void> =>
    denial === undefined ? Effect.void : holder.log({ allowed: false, denial }, denial.asked)
  const logged = <A>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => Effect.tapError(effect, log)
  const quiet: Asking.Holder = { ...holder, observe: () => {}, isAlive: () => true }
  const refuse = (given: Denial): Effect.Effect<never, E> =>
    Effect.withFiberRuntime((fiber) => {
      const denial = { ...given, tool: holder.tool }
      holder.observe({ allowed: false, denial }, denial.asked, idOf(fiber.getFiberRef(currentCall)))
      return logged(Effect.fail(refusals.denied(denial)))
    })
  const standing = (capability: string): Effect.Effect<void, E> =>
    Effect.withFiberRuntime((fiber) =>
      holder.isAlive(fiber.getFiberRef(currentCall)) ? Effect.void : refuse(Asking.ended(capability))
    )
  return {
    allows: (made) => Either.isRight(Asking.ask(quiet, made)),
    ask: (made) =>
      Effect.withFiberRuntime((fiber) => {
        const call = fiber.getFiberRef(currentCall)
        const asked = Asking.ask(holder, made, call)
        if (Either.isRight(asked)) {
          if (call !== undefined) bind(call, fiber)
          const { request, scope } = asked.right
          return isAudible(fiber)
            ? Effect.as(
                holder.log(
                  { allowed: true, capability: request.capability, scope },
                  Request.summary(request)
                ),
                asked.right
              )
            : Effect.succeed(asked.right)
        }
        const refusal = asked.left
        return logged(
          Effect.fail(
            refusal._tag === "Malformed"
              ? refusals.malformed(refusal.invalid, refusal.denial)
              : refusals.denied(refusal.denial)
          )
        )
      }),
    standing,
    refuse,
    passes: (target, all) =>
      Effect.withFiberRuntime((fiber) => {
        const call = idOf(fiber.getFiberRef(currentCall))
        for (const one of all) holder.passes?.(target, one, call)
        return Effect.void
      }),
    logged,
    loggedStream: (capability, stream) =>
      Stream.tapError(
        Stream.mapChunksEffect(stream, (chunk) => Effect.as(standing(capability), chunk)),
        log
      ),
    holds: (wanted) => Authority.within(wanted, holder.authority),
    isGuardedBelow: (made) => Either.isLeft(made) || Floor.holdsBelow(holder.floor, made.right)
  }
}

/** A server that is started once, for its operator: what it offers, and which hosts it wants. */
import { type Context, Deferred, Effect, Either, Schema, type Scope } from "effect"
import * as Authority from "../../policy/lattice/Authority.js"
import type { Decision } from "../../policy/lattice/Decision.js"
import * as Request from "../../policy/lattice/Request.js"
import { byOperator, type Terms } from "../../registry/Serving.js"
import { Connection } from "./Connection.js"
import { type Known, ownOf, termsOf } from "./Gateway.js"
import { GatewayError } from "./GatewayError.js"
import type { Limits } from "./Limits.js"
import type { PinnedTool } from "./PinnedTool.js"

export interface Look {
  readonly known: Known
  readonly limits: Limits
  readonly backends: Context.Context<never>
  readonly requires: Authority.Authority
  readonly held: Partial<Pick<Terms, "floor" | "sandbox">>
  readonly observe?: ((decision: Decision, asked: string) => void) | undefined
}

const opened = ({
  backends,
  held,
  known,
  limits,
  observe = () => {},
  requires
}: Look): Effect.Effect<Connection, GatewayError, Scope.Scope> =>
  Effect.gen(function* () {
    let isAlive = true
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isAlive = false
      })
    )
    const hearing = { observe, log: () => Effect.void }
    const terms = { server: known.server.name, requires, own: ownOf(known), ...held }
    const serving = byOperator(terms, backends, hearing)
    const over = yield* Deferred.make<never, GatewayError>()
    const open = Connection.open(
      termsOf(known, limits, serving, {
        // What it offers to those who answer all that it may ask for.
        declared: known.server.allows ?? [],
        heard: () => hearing,
        isAlive: () => isAlive,
        ended: (why) => Deferred.unsafeDone(over, Effect.fail(why)),
        compared: () => Effect.void
      })
    )
    // No turn scrubs what its operator is told.
    return yield* Effect.mapError(
      Effect.raceFirst(open, Deferred.await(over)),
      ({ code, detail }) => new GatewayError({ code, detail: serving.shown(detail) })
    )
  })

/** What it offers now, held to what it requires. */
export const offered = (look: Look): Effect.Effect<ReadonlyArray<PinnedTool>, GatewayError> =>
  Effect.scoped(Effect.map(opened(look), ({ tools }) => tools))

/** A name that nobody can have: where a child may reach nothing at all, nobody is there to refuse it. */
const NOWHERE = "nothing-is-held.invalid"

const hostIn = (asked: string): string | undefined => {
  const made = Request.parse(asked)
  return Either.isRight(made) && made.right._tag === "Http" ? made.right.host : undefined
}

export interface Wanted {
  readonly refused: ReadonlyMap<string, ReadonlySet<string>>
  readonly tools: Either.Either<ReadonlyArray<PinnedTool>, GatewayError>
}

/** How long a server that has listed its tools may still want something. */
const LINGER = "1 second"

/** What it wants where nothing is held, by host, with the grants that would give it. */
export const wanted = (look: Omit<Look, "observe" | "requires">): Effect.Effect<Wanted> =>
  Effect.gen(function* () {
    const refused = new Map<string, Set<string>>()
    const observe = (decision: Decision, asked: string) => {
      const host = decision.allowed ? undefined : hostIn(asked)
      if (decision.allowed || host === undefined || host === NOWHERE) return
      const remedies = refused.get(host) ?? new Set()
      refused.set(host, remedies.add(decision.denial.remedy))
    }
    const requires = Schema.decodeSync(Authority.FromJson)({ network: { get: [NOWHERE] } })
    const tools = yield* Effect.either(
      Effect.scoped(
        Effect.zipLeft(
          Effect.map(opened({ ...look, requires, observe }), (connection) => connection.tools),
          Effect.sleep(LINGER)
        )
      )
    )
    return { refused, tools }
  })

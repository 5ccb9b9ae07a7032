/**
 * A request that was asked and permitted. Only asking makes one, and backends take nothing else: what was not
 * checked cannot be touched.
 *
 * @since 0.1.0
 */
import { Effect, Either } from "effect"
import * as Authority from "../lattice/Authority.js"
import type { Decision } from "../lattice/Decision.js"
import type { Denial } from "../lattice/Denial.js"
import * as Request from "../lattice/Request.js"
import type { ScopeInvalid } from "../lattice/ScopeInvalid.js"
import * as Floor from "./floor/Floor.js"

/**
 * Who asks: a tool in a turn, and all that it may touch there.
 *
 * @since 0.1.0
 * @category models
 */
export interface Holder {
  readonly tool: string
  readonly session: string
  readonly authority: Authority.Authority
  readonly floor: Floor.Floor
  /** On whose behalf the tool acts: what an agent passes on to others is measured by all that it holds itself. */
  readonly granter: { readonly agent: string | undefined; readonly authority: Authority.Authority }
  /** The capabilities that the policy speaks of, be it without any scope. */
  readonly mentioned: ReadonlySet<string>
  /** Hears of every decision, and of the call that it was taken in, where that is known. */
  readonly observe: (decision: Decision, asked: string, call: string | undefined) => void
  /** Puts a decision in the log. */
  readonly log: (decision: Decision, asked: string) => Effect.Effect<void>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const holder = (given: Pick<Holder, "authority"> & Partial<Holder>): Holder => ({
  tool: "",
  session: "",
  floor: Floor.standard,
  granter: { agent: undefined, authority: given.authority },
  mentioned: new Set(),
  observe: () => {},
  log: () => Effect.void,
  ...given
})

/**
 * Why there is no proof: it is refused, or it cannot even be asked.
 *
 * @since 0.1.0
 * @category models
 */
export type Refusal =
  | { readonly _tag: "Denied"; readonly denial: Denial }
  | { readonly _tag: "Malformed"; readonly invalid: ScopeInvalid; readonly denial: Denial }

/** What was meant cannot be told for certain, but for the category; what was written may hold anything. */
const malformed = ({ code, detail }: ScopeInvalid, tool: string): Denial => {
  const [as, capability] = meant[code]
  return {
    reason: "scope_violation",
    code: as,
    detail,
    tool,
    capability,
    asked: "what cannot be asked for",
    held: [],
    remedy: "write it as the message says"
  }
}

const meant: {
  readonly [C in ScopeInvalid["code"]]: readonly [code: Denial["code"], capability: string]
} = {
  URL_INVALID: ["URL_INVALID", "network"],
  HOST_INVALID: ["URL_INVALID", "network"],
  METHOD_INVALID: ["METHOD_NOT_ALLOWED", "network"],
  PATH_INVALID: ["PATH_NOT_REACHABLE", "files"],
  COMMAND_INVALID: ["BINARY_NOT_ALLOWED", "process.exec"],
  REF_INVALID: ["SECRET_REF_INVALID", "secrets.read"],
  NAME_INVALID: ["NAME_INVALID", "unknown"],
  ID_INVALID: ["ID_INVALID", "unknown"],
  REQUEST_INVALID: ["REQUEST_INVALID", "unknown"],
  SCOPE_INVALID: ["SCOPE_INVALID", "unknown"]
}

const key = Symbol("Proof")

/**
 * @since 0.1.0
 * @category models
 */
export class Proof<out R extends Request.Request = Request.Request> {
  readonly #request: R
  readonly #scope: string
  readonly #holder: Holder
  readonly #call: string | undefined

  /** @internal */
  constructor(made: symbol, request: R, scope: string, holder: Holder, call: string | undefined) {
    if (made !== key) throw new TypeError("a proof is made by asking")
    this.#request = request
    this.#scope = scope
    this.#holder = holder
    this.#call = call
  }

  /** What was permitted, in its one spelling. */
  get request(): R {
    return this.#request
  }

  /** The scope that permitted it. */
  get scope(): string {
    return this.#scope
  }

  get tool(): string {
    return this.#holder.tool
  }

  get session(): string {
    return this.#holder.session
  }

  /**
   * Asks the same holder about what this leads to: where a link ends, where a redirect goes. Only refusals are heard
   * of: that it was allowed follows from what was asked first.
   */
  also<Q extends Request.Request>(made: Request.Made<Q>): Either.Either<Proof<Q>, Refusal> {
    return decide(this.#holder, made, this.#call, false)
  }

  /** Has a refusal heard that a backend makes on its own, because of what no policy lifts. */
  refuse(denial: Denial): Denial {
    const named = { ...denial, tool: this.tool }
    this.#holder.observe({ allowed: false, denial: named }, named.asked, this.#call)
    return named
  }

  /** Whether the holder may also do this; nobody hears of the question. */
  permits(made: Request.Made): boolean {
    return Either.isRight(decide({ ...this.#holder, observe: () => {} }, made, undefined, false))
  }
}

/** A ref that is held may be named: it stands in the declaration. */
const askedIn = (request: Request.Request): string =>
  request._tag === "Scoped" && request.facet === "secrets" ? request.line : Request.summary(request)

/** What a policy speaks of and gives nothing of is not absent from it. */
const worded = ({ mentioned, tool }: Holder, denial: Denial): Denial =>
  denial.reason === "capability_absent" && mentioned.has(denial.capability)
    ? { ...denial, reason: "scope_violation", tool }
    : { ...denial, tool }

/** No grant is suggested for what no grant lifts. */
const withoutVainRemedy = (denial: Denial, forbidden: Denial | undefined): Denial => {
  if (forbidden === undefined) return denial
  const { remedies: _, ...rest } = denial
  return { ...rest, remedy: forbidden.remedy }
}

const denied = (holder: Holder, given: Denial, call: string | undefined): Either.Either<never, Refusal> => {
  const denial = worded(holder, given)
  holder.observe({ allowed: false, denial }, denial.asked, call)
  return Either.left({ _tag: "Denied", denial })
}

const decide = <R extends Request.Request>(
  holder: Holder,
  made: Request.Made<R>,
  call: string | undefined,
  heard: boolean
): Either.Either<Proof<R>, Refusal> => {
  if (Either.isLeft(made)) {
    const denial = malformed(made.left, holder.tool)
    holder.observe({ allowed: false, denial }, denial.asked, call)
    return Either.left({ _tag: "Malformed", invalid: made.left, denial })
  }
  const request = made.right
  const decision = Authority.permits(holder.authority, request)
  const forbidden = Floor.forbids(holder.floor, request)
  if (!decision.allowed) return denied(holder, withoutVainRemedy(decision.denial, forbidden), call)
  if (forbidden !== undefined) return denied(holder, forbidden, call)
  if (heard) holder.observe(decision, askedIn(request), call)
  return Either.right(new Proof(key, request, decision.scope, holder, call))
}

/**
 * Asks the authority of a holder, and then the floor.
 *
 * @since 0.1.0
 * @category deciding
 */
export const ask = <R extends Request.Request>(
  holder: Holder,
  made: Request.Made<R>,
  call?: string
): Either.Either<Proof<R>, Refusal> => decide(holder, made, call, true)

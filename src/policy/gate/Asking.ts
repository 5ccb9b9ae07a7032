/**
 * Asking: who asks, of which authority, and the proof that the answer was yes. Only asking makes a proof, and only the
 * registry makes those who may ask; users of the package see `Proof`, which has neither.
 *
 * @since 0.1.0
 */
import { Effect, Either } from "effect"
import * as Authority from "../lattice/Authority.js"
import type { Decision } from "../lattice/Decision.js"
import type { Denial } from "../lattice/Denial.js"
import type { Passed } from "../lattice/Passed.js"
import * as Request from "../lattice/Request.js"
import type { ScopeInvalid } from "../lattice/ScopeInvalid.js"
import * as Sandbox from "../Sandbox.js"
import type { Origin } from "../ToolOrigin.js"
import { type Call, idOf } from "./Call.js"
import * as Floor from "./floor/Floor.js"

/**
 * Who asks: a tool in a turn, and all that it may touch there.
 *
 * @since 0.1.0
 * @category models
 */
export interface Holder {
  readonly tool: string
  /** What the tool was registered for. */
  readonly origin: Origin
  readonly session: string
  readonly authority: Authority.Authority
  readonly floor: Floor.Floor
  /** How its children are held. */
  readonly sandbox: Sandbox.Settings
  /** On whose behalf the tool acts: what an agent passes on to others is measured by all that it holds itself. */
  readonly granter: {
    readonly agent: string | undefined
    readonly authority: Authority.Authority
    readonly floor?: Floor.Floor | undefined
  }
  /** The capabilities that the policy speaks of, be it without any scope. */
  readonly mentioned: ReadonlySet<string>
  /** Hears of every decision, of the call that it was taken in, where that is known, and of what was asked if it is allowed. */
  readonly observe: (
    decision: Decision,
    asked: string,
    call: string | undefined,
    request?: Request.Request
  ) => void
  /** Hears of what is passed on to another agent, once it was found to be within what the granter holds. */
  readonly passes?: (target: string, passed: Passed, call: string | undefined) => void
  /** The backend that the proofs are for; it takes no others. */
  readonly backend?: object | undefined
  /** What the holder may send without seeing it, for backends that send something on its behalf; they know what it is. */
  readonly sealing?: object | undefined
  /** Whether what it starts lives longer than a call: until whoever started it ends it. */
  readonly lasts?: boolean | undefined
  /** Whether what was given to the holder may still be used, in the call at hand. */
  readonly isAlive: (call: Call | undefined) => boolean
  /** Puts a decision in the log. */
  readonly log: (decision: Decision, asked: string) => Effect.Effect<void>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const holder = (given: Pick<Holder, "authority"> & Partial<Holder>): Holder => ({
  tool: "",
  origin: {},
  session: "",
  floor: Floor.standard,
  sandbox: Sandbox.unwritten,
  granter: { agent: undefined, authority: given.authority },
  mentioned: new Set(),
  observe: () => {},
  isAlive: () => true,
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

/** By what nobody else can put on an object: what inherits from a proof, or wraps one, is none. */
let isProof: (given: unknown) => given is Proof
let takes: (given: Proof, backend: object) => boolean

/**
 * @since 0.1.0
 * @category models
 */
export class Proof<out R extends Request.Request = Request.Request> {
  readonly #request: R
  readonly #scope: string
  readonly #holder: Holder
  readonly #call: Call | undefined

  /** @internal */
  constructor(made: symbol, request: R, scope: string, holder: Holder, call: Call | undefined) {
    if (made !== key) throw new TypeError("a proof is made by asking")
    this.#request = request
    this.#scope = scope
    this.#holder = holder
    this.#call = call
    Object.freeze(this)
  }

  static {
    takes = (given, backend) =>
      #holder in given && given.#holder.backend === backend && given.#holder.isAlive(given.#call)
    isProof = (given): given is Proof => typeof given === "object" && given !== null && #holder in given
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

  /** All that the holder may touch, and what no policy lifts: what a child of the tool sees is made of it. */
  get held(): Pick<Holder, "authority" | "floor" | "sandbox"> {
    const { authority, floor, sandbox } = this.#holder
    return { authority, floor, sandbox }
  }

  /** What goes with what is sent on behalf of the holder. */
  get sealing(): object | undefined {
    return this.#holder.sealing
  }

  /** Whether a child of it has no deadline, and writes as much as somebody reads: one that serves, and is spoken with. */
  get lasts(): boolean {
    return this.#holder.lasts === true
  }

  /** The same for a backend that this one hands on to. Only who was given a proof can do that. */
  passedTo(backend: object): Proof<R> {
    return new Proof(key, this.#request, this.#scope, { ...this.#holder, backend }, this.#call)
  }

  /** Whether it was made for this backend, and for no other. */
  isFor(backend: object): boolean {
    return this.#holder.backend === backend
  }

  /**
   * Asks the same holder about what this leads to: where a link ends, where a redirect goes. Only refusals are heard
   * of: that it was allowed follows from what was asked first.
   */
  also<Q extends Request.Request>(made: Request.Made<Q>): Either.Either<Proof<Q>, Refusal> {
    return decide(this.#holder, made, this.#call, false)
  }

  /** Asks the same holder about something else that is done on its behalf, such as what a child of it wants. All is heard. */
  asks<Q extends Request.Request>(made: Request.Made<Q>): Either.Either<Proof<Q>, Refusal> {
    return decide(this.#holder, made, this.#call, true)
  }

  /** Has a refusal heard that a backend makes on its own, because of what no policy lifts. */
  refuse(denial: Denial): Denial {
    const named = { ...denial, tool: this.tool }
    this.#holder.observe({ allowed: false, denial: named }, named.asked, idOf(this.#call))
    return named
  }

  /** Whether the holder may also do this; nobody hears of the question. */
  permits(made: Request.Made): boolean {
    return Either.isRight(decide({ ...this.#holder, observe: () => {} }, made, this.#call, false))
  }
}

Object.freeze(Proof)
Object.freeze(Proof.prototype)

/** A ref that is held may be named: it stands in the declaration. */
const askedIn = (request: Request.Request): string =>
  request._tag === "Scoped" && request.facet === "secrets" ? request.line : Request.summary(request)

/** What a policy speaks of and gives nothing of is not absent from it. */
const worded = ({ mentioned, tool }: Holder, denial: Denial): Denial =>
  denial.reason === "capability_absent" && mentioned.has(denial.capability)
    ? { ...denial, reason: "scope_violation", tool }
    : { ...denial, tool }

/** Why something that was given to a call is refused after it. Nothing that is asked now is repeated. */
export const ended = (capability: string): Denial => ({
  reason: "capability_absent",
  code: "CALL_ENDED",
  detail: "the call that this service was given to has ended, or is another tool's",
  capability,
  asked: "something after the call",
  held: [],
  remedy: "finish inside the call: wait for what was started, and keep no service"
})

/** No grant is suggested for what no grant lifts. */
const withoutVainRemedy = (denial: Denial, forbidden: Denial | undefined): Denial => {
  if (forbidden === undefined) return denial
  const { remedies: _, ...rest } = denial
  return { ...rest, remedy: forbidden.remedy }
}

const denied = (holder: Holder, given: Denial, call: Call | undefined): Either.Either<never, Refusal> => {
  const denial = worded(holder, given)
  holder.observe({ allowed: false, denial }, denial.asked, idOf(call))
  return Either.left({ _tag: "Denied", denial })
}

const decide = <R extends Request.Request>(
  holder: Holder,
  made: Request.Made<R>,
  call: Call | undefined,
  heard: boolean
): Either.Either<Proof<R>, Refusal> => {
  if (Either.isLeft(made)) {
    const denial = malformed(made.left, holder.tool)
    holder.observe({ allowed: false, denial }, denial.asked, idOf(call))
    return Either.left({ _tag: "Malformed", invalid: made.left, denial })
  }
  const request = made.right
  if (!holder.isAlive(call)) return denied(holder, ended(request.capability), call)
  const decision = Authority.permits(holder.authority, request)
  const forbidden = Floor.forbids(holder.floor, request)
  if (!decision.allowed) return denied(holder, withoutVainRemedy(decision.denial, forbidden), call)
  if (forbidden !== undefined) return denied(holder, forbidden, call)
  if (heard) holder.observe(decision, askedIn(request), idOf(call), request)
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
  call?: Call
): Either.Either<Proof<R>, Refusal> => decide(holder, made, call, true)

/** For which backend a predicate was made that says what may be seen. */
const sights = new WeakMap<object, object>()

/**
 * What may be seen of many things, for a backend that looks through them: it takes such a predicate as it takes a proof.
 *
 * @since 0.1.0
 * @category deciding
 */
export const sight = <A>(backend: object, sees: (one: A) => boolean): ((one: A) => boolean) => {
  const made = (one: A): boolean => sees(one)
  sights.set(made, backend)
  return made
}

/**
 * The same for a backend that this one hands on to. Only who was given one can do that.
 *
 * @since 0.1.0
 * @category deciding
 */
export const sightPassedTo = <A>(backend: object, visible: (one: A) => boolean): ((one: A) => boolean) => {
  if (!sights.has(visible)) throw new TypeError("what may be seen is said by the registry alone")
  return sight(backend, visible)
}

/** The proofs in a first argument: itself, or its properties if every one of them is a proof. */
const proofsIn = (given: unknown): ReadonlyArray<Proof> => {
  if (isProof(given)) return [given]
  const held = typeof given === "object" && given !== null ? Object.values(given) : []
  return held.every(isProof) ? held : []
}

/**
 * A backend that takes proofs which were made for itself, and throws at anything else: at a proof for another backend, and
 * at what only looks like a proof. `methods` are those whose first argument is a proof, or holds nothing but proofs; those of `looking`
 * are given what may be seen instead.
 *
 * @since 0.1.0
 * @category guarding
 */
export const guarded = <S extends object>(
  service: S,
  methods: ReadonlyArray<keyof S & string>,
  looking: ReadonlyArray<keyof S & string> = []
): S => {
  const named = (names: ReadonlyArray<string>, name: string) => names.includes(name)
  const self: object = Object.fromEntries(
    Object.entries(service).map(([name, member]) => {
      const [proves, looks] = [named(methods, name), named(looking, name)]
      if (!(proves || looks) || typeof member !== "function") return [name, member]
      return [
        name,
        (...args: ReadonlyArray<unknown>) => {
          const proofs = proofsIn(args[0])
          const seen = args.filter((one) => typeof one === "function")
          const isProven =
            (proves ? proofs.length > 0 : seen.length > 0) &&
            proofs.every((proof) => takes(proof, self)) &&
            seen.every((one) => sights.get(one) === self)
          if (!isProven) throw new TypeError("a backend takes proofs that were made for itself")
          return member.apply(service, args)
        }
      ]
    })
  )
  // The same members under the same names.
  return Object.freeze(self) as S
}

/**
 * Authority: what may be touched, as immutable data. `Authority.FromJson` reads one, `meet` and `join` combine them,
 * and `permits` decides. This module is the only place that compares scopes.
 *
 * @since 0.1.0
 */
import { Either, Equal, Hash, ParseResult, Schema } from "effect"
import { getOrSet } from "../Memo.js"
import type { Decision } from "./Decision.js"
import {
  type Capability,
  capabilities,
  capabilityOf,
  type Facet,
  facets,
  phrase,
  type Scopes,
  type Verb
} from "./Facets.js"
import * as HostSet from "./HostSet.js"
import { holding } from "./Remedy.js"
import type * as Request from "./Request.js"
import { httpRefusal, scopedRefusal } from "./refusal.js"
import type { ScopeInvalid } from "./ScopeInvalid.js"
import * as ScopeSet from "./ScopeSet.js"

/**
 * @since 0.1.0
 * @category symbols
 */
export const TypeId: unique symbol = Symbol.for("bailiwick/Authority")

type AnySet = HostSet.HostSet | ScopeSet.ScopeSet

type Spec = (typeof capabilities)[number]["spec"]

/**
 * @since 0.1.0
 * @category models
 */
export class Authority implements Equal.Equal {
  readonly [TypeId] = TypeId
  /** @internal */
  constructor(readonly scopes: Scopes) {}

  [Equal.symbol](that: unknown): boolean {
    return (
      that instanceof Authority &&
      capabilities.every(({ facet, verb }) => {
        const [mine, theirs] = [setOf(this, facet, verb), setOf(that, facet, verb)]
        return mine === theirs || mine.key === theirs.key
      })
    )
  }

  [Hash.symbol](): number {
    return Hash.cached(this, Hash.array(capabilities.map(({ facet, verb }) => setOf(this, facet, verb).key)))
  }

  toJSON(): Encoded {
    return encode(this)
  }

  toString(): string {
    return `Authority(${JSON.stringify(this)})`
  }
}

const setOf = (authority: Authority, facet: Facet, verb: string): AnySet =>
  (authority.scopes[facet] as Record<string, AnySet>)[verb] as AnySet

/** One value for each capability, by facet and verb. It leaves out `undefined`. */
const byFacet = <A>(value: (capability: (typeof capabilities)[number]) => A | undefined) => {
  const all = new Map<string, Array<readonly [string, A]>>()
  for (const capability of capabilities) {
    const given = value(capability)
    if (given !== undefined) getOrSet(all, capability.facet, () => []).push([capability.verb, given])
  }
  return Object.freeze(
    Object.fromEntries([...all].map(([facet, verbs]) => [facet, Object.freeze(Object.fromEntries(verbs))]))
  )
}

const build = (set: (capability: (typeof capabilities)[number]) => AnySet): Authority =>
  new Authority(byFacet(set) as unknown as Scopes)

/** To read a secret is to send it wherever one likes: all that may be read may be sent sealed, to any host in any place. */
const sealable = ({ scopes: { secrets } }: Pick<Authority, "scopes">): ScopeSet.ScopeSet =>
  secrets.read.widened(facets.secrets.seal)

/** With what follows from it. Meets and joins of what is closed are closed. */
const closed = (authority: Authority): Authority => {
  const { scopes } = authority
  if (scopes.secrets.read.isEmpty) return authority
  const seal = scopes.secrets.seal.join([sealable(authority)])
  return new Authority({ ...scopes, secrets: Object.freeze({ ...scopes.secrets, seal }) })
}

/** A set without what follows from another one of the same authority. */
const unimplied = (authority: Authority, { facet, name, verb }: (typeof capabilities)[number]): AnySet => {
  const set = setOf(authority, facet, verb)
  return name === "secrets.seal" && !set.isEmpty
    ? (set as ScopeSet.ScopeSet).beyond(sealable(authority))
    : set
}

/**
 * Permits nothing.
 *
 * @since 0.1.0
 * @category constructors
 */
export const nothing: Authority = build(({ spec }) =>
  spec === "hosts" ? HostSet.HostSet.empty : ScopeSet.ScopeSet.empty(spec)
)

/**
 * Permits everything that can be asked for.
 *
 * @since 0.1.0
 * @category constructors
 */
export const everything: Authority = build(({ spec }) =>
  spec === "hosts" ? HostSet.HostSet.all : ScopeSet.ScopeSet.make(spec, [{}])
)

/**
 * Scope sets by facet and verb. One that is absent is empty.
 *
 * @since 0.1.0
 * @category models
 */
export type Sets = {
  readonly [F in Facet]?: { readonly [V in Verb<F>]?: Scopes[F][V & keyof Scopes[F]] | undefined }
}

/**
 * An authority of the given scope sets, and of nothing else.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (sets: Sets): Authority =>
  closed(
    build(
      ({ facet, verb }) =>
        (sets[facet] as Record<string, AnySet | undefined> | undefined)?.[verb] ?? setOf(nothing, facet, verb)
    )
  )

/**
 * An authority of these sets, by the names of their capabilities. A set must have the dimensions of its capability.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromSets = (sets: ReadonlyMap<Capability, HostSet.HostSet | ScopeSet.ScopeSet>): Authority =>
  closed(build(({ facet, name, verb }) => sets.get(name) ?? setOf(nothing, facet, verb)))

/**
 * Keeps only the given facets of an authority.
 *
 * @since 0.1.0
 * @category combinators
 */
export const pick = (authority: Authority, ...kept: ReadonlyArray<Facet>): Authority =>
  build(({ facet, verb }) => setOf(kept.includes(facet) ? authority : nothing, facet, verb))

/** Both sets of one capability have one shape; only the compiler needs to be told. */
const paired = <A>(a: AnySet, b: AnySet, f: (a: ScopeSet.ScopeSet, b: ScopeSet.ScopeSet) => A): A =>
  f(a as ScopeSet.ScopeSet, b as ScopeSet.ScopeSet)

/**
 * Permits what both permit. A tool gets the meet of its declaration and the policy.
 *
 * @example
 * ```ts
 * import { Authority } from "bailiwick"
 * import { Schema } from "effect"
 *
 * const declared = Schema.decodeSync(Authority.FromJson)({ network: { get: ["api.github.com", "api.stripe.com"] } })
 * const policy = Schema.decodeSync(Authority.FromJson)({ network: { get: ["*.github.com"] } })
 * console.log(Authority.describe(Authority.meet(declared, policy)))
 * ```
 *
 * ```text output
 * [ 'may GET from api.github.com' ]
 * ```
 *
 * @since 0.1.0
 * @category lattice
 */
export const meet = (a: Authority, b: Authority): Authority =>
  a === b
    ? a
    : build(({ facet, verb }) => paired(setOf(a, facet, verb), setOf(b, facet, verb), (x, y) => x.meet(y)))

/**
 * Permits what any of them permits.
 *
 * @since 0.1.0
 * @category lattice
 */
export const join = (...all: ReadonlyArray<Authority>): Authority => joinAll(all)

/**
 * Permits what any of a list permits. A long list is joined at once, and costs no more than its length.
 *
 * @since 0.1.0
 * @category lattice
 */
export const joinAll = (all: ReadonlyArray<Authority>): Authority =>
  build(({ facet, verb }) => {
    const [first = setOf(nothing, facet, verb), ...rest] = all.map((authority) =>
      setOf(authority, facet, verb)
    )
    return (first as ScopeSet.ScopeSet).join(rest as ReadonlyArray<ScopeSet.ScopeSet>)
  })

/**
 * Tells whether `outer` permits everything that `inner` permits. It says `false` where it cannot see that: see
 * `docs/authority.md`.
 *
 * @example
 * ```ts
 * import { Authority } from "bailiwick"
 * import { Schema } from "effect"
 *
 * const inner = Schema.decodeSync(Authority.FromJson)({ files: { read: ["/work/docs/"] } })
 * const outer = Schema.decodeSync(Authority.FromJson)({ files: { read: ["/work/"] } })
 * console.log(Authority.within(inner, outer), Authority.within(outer, inner))
 * ```
 *
 * ```text output
 * true false
 * ```
 *
 * @since 0.1.0
 * @category lattice
 */
export const within = (inner: Authority, outer: Authority): boolean =>
  inner === outer ||
  capabilities.every(({ facet, verb }) =>
    paired(setOf(outer, facet, verb), setOf(inner, facet, verb), (wide, narrow) => wide.includes(narrow))
  )

/**
 * @since 0.1.0
 * @category predicates
 */
export const isNothing = (authority: Authority): boolean =>
  capabilities.every(({ facet, verb }) => setOf(authority, facet, verb).isEmpty)

/**
 * Decides a request. The answer names the scope that permits it, or holds a denial: why it is refused, and what would
 * permit it.
 *
 * @example
 * ```ts
 * import { Authority, Request } from "bailiwick"
 * import { Schema } from "effect"
 *
 * const authority = Schema.decodeSync(Authority.FromJson)({ files: { read: ["/work/"] } })
 * const decision = Authority.permits(authority, Request.parseSync("read /etc/passwd"))
 * console.log(decision.allowed ? decision.scope : `${decision.denial.detail}; grant ${decision.denial.remedy}`)
 * ```
 *
 * ```text output
 * read not permitted for /etc/passwd; grant fs.read{in=/etc/passwd}
 * ```
 *
 * @since 0.1.0
 * @category deciding
 */
export const permits = (authority: Authority, request: Request.Request): Decision => {
  if (request._tag === "Http") {
    const { network } = authority.scopes
    const scope = network[request.verb].find(request.host)
    if (scope !== undefined) return { allowed: true, capability: request.capability, scope }
    return { allowed: false, denial: httpRefusal(request, network[request.verb], Object.values(network)) }
  }
  const held = setOf(authority, request.facet, request.verb) as ScopeSet.ScopeSet
  const scope = held.find(request.element)
  return scope === undefined
    ? { allowed: false, denial: scopedRefusal(request, held, isSealed(authority, request)) }
    : { allowed: true, capability: request.capability, scope }
}

/**
 * Tells whether the secret that is asked for may be sent somewhere, sealed.
 *
 * @since 0.1.0
 * @category deciding
 */
export const isSealed = (authority: Authority, request: Request.Scoped): boolean =>
  request.facet === "secrets" &&
  couldPermit(authority, { ...request, capability: "secrets.seal", verb: "seal" }, "to", "in")

/**
 * Tells whether an endpoint is permitted by its name: who permits all of them names none.
 *
 * @since 0.1.0
 * @category deciding
 */
export const namesEndpoint = (authority: Authority, made: Request.Made): boolean => {
  const decision = Either.isRight(made) ? permits(authority, made.right) : undefined
  return decision?.allowed === true && !/^\*(?::|$)/.test(decision.scope)
}

/**
 * Tells whether a request would be permitted for some value of these dimensions, which are not known before they are
 * looked at.
 *
 * @since 0.1.0
 * @category deciding
 */
export const couldPermit = (
  authority: Authority,
  request: Request.Scoped,
  ...unknown: ReadonlyArray<string>
): boolean =>
  unknown
    .reduce(
      (set, dimension) => set.freeOf(dimension),
      setOf(authority, request.facet, request.verb) as ScopeSet.ScopeSet
    )
    .find(request.element) !== undefined

/**
 * A scope that is wanted and not held.
 *
 * @since 0.1.0
 * @category models
 */
export interface Gap {
  readonly capability: Capability
  readonly scope: string
  readonly message: string
  readonly remedy: string
}

/**
 * A scope that is wanted and not held: as text, and as a pattern for each dimension.
 *
 * @since 0.1.0
 * @category models
 */
export interface Lacking {
  readonly capability: Capability
  readonly scope: string
  readonly patterns: Readonly<Record<string, string>>
}

/**
 * Lists the scopes of `wanted` that are not within `held`. The list is empty exactly when `within(wanted, held)`.
 *
 * @since 0.1.0
 * @category lattice
 */
export const lacking = (wanted: Authority, held: Authority): ReadonlyArray<Lacking> =>
  capabilities.flatMap((capability) => {
    const { facet, name, spec, verb } = capability
    return paired(unimplied(wanted, capability), setOf(held, facet, verb), (want, have) =>
      want.missingFrom(have).map((missing) => ({
        capability: name,
        scope: spec === "hosts" ? String(missing) : ScopeSet.print(spec, missing),
        patterns: patternsOf(spec, missing)
      }))
    )
  })

/**
 * Lists what is wanted and not held, each with a message and with what would close the gap. The list is empty exactly
 * when `within(wanted, held)`.
 *
 * @example
 * ```ts
 * import { Authority } from "bailiwick"
 * import { Schema } from "effect"
 *
 * const wanted = Schema.decodeSync(Authority.FromJson)({ network: { get: ["api.github.com", "api.stripe.com"] } })
 * const held = Schema.decodeSync(Authority.FromJson)({ network: { get: ["*.github.com"] } })
 * for (const { message, remedy } of Authority.gaps(wanted, held)) console.log(`${message}; grant ${remedy}`)
 * ```
 *
 * ```text output
 * GET from api.stripe.com is wanted and not held; grant net.get{hosts=[api.stripe.com]}
 * ```
 *
 * @since 0.1.0
 * @category lattice
 */
export const gaps = (wanted: Authority, held: Authority): ReadonlyArray<Gap> =>
  lacking(wanted, held).map(({ capability, patterns, scope }) => ({
    capability,
    scope,
    message: `${phrase(capability, [scope])} is wanted and not held`,
    remedy: holding(capability, patterns).remedy
  }))

/** Where two patterns must both match, a grant of the first is a grant of both. */
const patternsOf = (spec: Spec, encoded: ScopeSet.Encoded): Readonly<Record<string, string>> => {
  const only = spec === "hosts" ? "host" : spec.length === 1 ? spec[0]?.name : undefined
  const all = only === undefined ? Object.entries(encoded) : [[only, encoded] as const]
  return Object.fromEntries(all.map(([dimension, pattern]) => [dimension, String([pattern].flat()[0])]))
}

/**
 * Says in words what an authority permits, one line for each capability. An empty one gives `may touch nothing`.
 *
 * @example
 * ```ts
 * import { Authority } from "bailiwick"
 * import { Schema } from "effect"
 *
 * const authority = Schema.decodeSync(Authority.FromJson)({
 *   files: { read: ["/work/"] },
 *   process: { exec: [{ argv: "git log *", in: "/work" }] }
 * })
 * for (const line of Authority.describe(authority)) console.log(line)
 * ```
 *
 * ```text output
 * may read /work/
 * may run git log * in /work/
 * ```
 *
 * @since 0.1.0
 * @category rendering
 */
export const describe = (authority: Authority): ReadonlyArray<string> => {
  const lines = capabilities.flatMap((capability) => {
    const set = unimplied(authority, capability)
    return set.isEmpty ? [] : [`may ${phrase(capability.name, set.show(Number.POSITIVE_INFINITY))}`]
  })
  return lines.length === 0 ? ["may touch nothing"] : lines
}

/**
 * The scopes of one capability, as text.
 *
 * @since 0.1.0
 * @category rendering
 */
export const shown = (authority: Authority, capability: Capability): ReadonlyArray<string> => {
  return scopesOf(authority, capability).show(Number.POSITIVE_INFINITY)
}

/**
 * The scopes of one capability, as a set.
 *
 * @since 0.1.0
 * @category models
 */
export const scopesOf = (
  authority: Authority,
  capability: Capability
): HostSet.HostSet | ScopeSet.ScopeSet => {
  const { facet, verb } = capabilityOf(capability)
  return setOf(authority, facet, verb)
}

const Pattern = Schema.Union(Schema.String, Schema.NonEmptyArray(Schema.String))

const encodedSet = (spec: Spec): Schema.Schema.AnyNoContext => {
  if (spec === "hosts") return Schema.Array(Schema.String)
  if (spec.length === 1) return Schema.Array(Pattern)
  return Schema.Array(Schema.Struct(Object.fromEntries(spec.map((dimension) => [dimension.name, Pattern]))))
}

/**
 * An authority as plain data: the capabilities that are not empty, each with its patterns.
 *
 * @since 0.1.0
 * @category codecs
 */
export type Encoded = {
  readonly [F in Facet]?:
    | { readonly [V in Verb<F>]?: ReadonlyArray<ScopeSet.Encoded> | undefined }
    | undefined
}

const EncodedAuthority = Schema.Struct(
  Object.fromEntries(
    Object.entries(facets).map(([facet, verbs]) => [
      facet,
      Schema.optional(
        Schema.Struct(
          Object.fromEntries(
            Object.entries(verbs).map(([verb, spec]) => [verb, Schema.optional(encodedSet(spec))])
          )
        )
      )
    ])
  )
).annotations({
  identifier: "AuthorityJson",
  parseOptions: { onExcessProperty: "error" }
}) as unknown as Schema.Schema<Encoded>

const decode = (encoded: Encoded): Either.Either<Authority, ScopeInvalid> => {
  const sets = Either.all(
    capabilities.map(({ facet, spec, verb }) => {
      const patterns =
        (encoded[facet] as Record<string, ReadonlyArray<ScopeSet.Encoded>> | undefined)?.[verb] ?? []
      const set: Either.Either<AnySet, ScopeInvalid> =
        spec === "hosts" ? HostSet.decode(patterns as ReadonlyArray<string>) : ScopeSet.decode(spec, patterns)
      return set
    })
  )
  return Either.map(sets, (all) => {
    const byName = new Map(capabilities.map(({ name }, i) => [name, all[i] as AnySet]))
    return closed(build(({ name }) => byName.get(name) as AnySet))
  })
}

const encode = (authority: Authority): Encoded =>
  byFacet((capability) => {
    const set = unimplied(authority, capability)
    return set.isEmpty ? undefined : set.encode()
  }) as Encoded

/**
 * @since 0.1.0
 * @category schemas
 */
export const AuthorityFromSelf: Schema.Schema<Authority> = Schema.declare(
  (input: unknown): input is Authority => input instanceof Authority,
  { identifier: "Authority" }
)

/**
 * The JSON form of an authority. An unknown facet, verb or dimension is an error, and so is a pattern that does not
 * parse.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FromJson: Schema.Schema<Authority, Encoded> = Schema.transformOrFail(
  EncodedAuthority,
  AuthorityFromSelf,
  {
    strict: true,
    decode: (encoded, _options, ast) =>
      Either.mapLeft(decode(encoded), (error) => new ParseResult.Type(ast, encoded, error.message)),
    encode: (authority) => ParseResult.succeed(encode(authority))
  }
)

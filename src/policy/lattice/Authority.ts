/**
 * Authority: what may be touched, as immutable data. This module is the only place that compares scopes.
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

/** One value for each capability, by facet and verb; what is `undefined` is left out. */
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
 * Permits everything that can be asked for: what a policy that says nothing of a facet leaves to declarations.
 *
 * @since 0.1.0
 * @category constructors
 */
export const everything: Authority = build(({ spec }) =>
  spec === "hosts" ? HostSet.HostSet.all : ScopeSet.ScopeSet.make(spec, [{}])
)

/**
 * Scope sets by facet and verb; what is absent is empty.
 *
 * @since 0.1.0
 * @category models
 */
export type Sets = {
  readonly [F in Facet]?: { readonly [V in Verb<F>]?: Scopes[F][V & keyof Scopes[F]] | undefined }
}

/**
 * The scope sets given, and nothing else.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (sets: Sets): Authority =>
  build(
    ({ facet, verb }) =>
      (sets[facet] as Record<string, AnySet | undefined> | undefined)?.[verb] ?? setOf(nothing, facet, verb)
  )

/**
 * An authority of these sets, by the names of their capabilities. A set must have the dimensions of its capability.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromSets = (sets: ReadonlyMap<Capability, HostSet.HostSet | ScopeSet.ScopeSet>): Authority =>
  build(({ facet, name, verb }) => sets.get(name) ?? setOf(nothing, facet, verb))

/**
 * Only the given facets of an authority.
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
 * What both permit.
 *
 * @since 0.1.0
 * @category lattice
 */
export const meet = (a: Authority, b: Authority): Authority =>
  a === b
    ? a
    : build(({ facet, verb }) => paired(setOf(a, facet, verb), setOf(b, facet, verb), (x, y) => x.meet(y)))

/**
 * What any of them permits.
 *
 * @since 0.1.0
 * @category lattice
 */
export const join = (...all: ReadonlyArray<Authority>): Authority => joinAll(all)

/**
 * What any of a list permits. A long list is joined at once, and costs no more than its length.
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
 * Whether all that `inner` permits `outer` permits. `false` where that cannot be seen.
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
 * Whether a request is permitted, and by which scope; else why not and what would permit it.
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
    ? { allowed: false, denial: scopedRefusal(request, held) }
    : { allowed: true, capability: request.capability, scope }
}

/**
 * Whether a request would be permitted for some value of one dimension: for what is not known before it is looked at.
 *
 * @since 0.1.0
 * @category deciding
 */
export const couldPermit = (authority: Authority, request: Request.Scoped, unknown: string): boolean =>
  (setOf(authority, request.facet, request.verb) as ScopeSet.ScopeSet)
    .freeOf(unknown)
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
 * What is wanted and not held: the scope as text, and what is wanted on each dimension, in its own notation.
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
 * What of `wanted` is not within `held`, scope by scope; empty exactly when `within(wanted, held)`.
 *
 * @since 0.1.0
 * @category lattice
 */
export const lacking = (wanted: Authority, held: Authority): ReadonlyArray<Lacking> =>
  capabilities.flatMap(({ facet, name, spec, verb }) =>
    paired(setOf(wanted, facet, verb), setOf(held, facet, verb), (want, have) =>
      want.missingFrom(have).map((missing) => ({
        capability: name,
        scope: spec === "hosts" ? String(missing) : ScopeSet.print(spec, missing),
        patterns: patternsOf(spec, missing)
      }))
    )
  )

/**
 * The same in words, each with what would close it.
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
 * The authority in words, one line for each capability that is not empty; one line that says so if all are.
 *
 * @since 0.1.0
 * @category rendering
 */
export const describe = (authority: Authority): ReadonlyArray<string> => {
  const lines = capabilities.flatMap(({ facet, name, verb }) => {
    const set = setOf(authority, facet, verb)
    return set.isEmpty ? [] : [`may ${phrase(name, set.show(Number.POSITIVE_INFINITY))}`]
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
  const { facet, verb } = capabilityOf(capability)
  return setOf(authority, facet, verb).show(Number.POSITIVE_INFINITY)
}

const Pattern = Schema.Union(Schema.String, Schema.NonEmptyArray(Schema.String))

const encodedSet = (spec: Spec): Schema.Schema.AnyNoContext => {
  if (spec === "hosts") return Schema.Array(Schema.String)
  if (spec.length === 1) return Schema.Array(Pattern)
  return Schema.Array(Schema.Struct(Object.fromEntries(spec.map((dimension) => [dimension.name, Pattern]))))
}

/**
 * An authority as plain data: capabilities that are not empty, each with its patterns.
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
    return build(({ name }) => byName.get(name) as AnySet)
  })
}

const encode = (authority: Authority): Encoded =>
  byFacet(({ facet, verb }) => {
    const set = setOf(authority, facet, verb)
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
 * An authority stored and sent as JSON. Unknown facets, verbs and dimensions are errors, as is any pattern that
 * does not parse.
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

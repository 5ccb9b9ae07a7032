/**
 * A grant: one thing that an agent may do, `resource.verb`, with a scope. YAML and the one-line form share one
 * grammar and one meaning; `docs/grants.md` has it.
 *
 * @since 0.1.0
 */
import { Either, Schema } from "effect"
import type { Authority } from "../lattice/Authority.js"
import type { Capability } from "../lattice/Facets.js"
import { grantCodes } from "../text/Problem.js"
import { quote } from "../text/Quote.js"
import { printSpec, splitSpecs } from "../text/Spec.js"
import type { Yaml as YamlNode } from "../text/StrictYaml.js"
import * as Catalog from "./Catalog.js"
import { authorityOf, type Piece, pieceOf } from "./compile.js"
import { type Inert as GrantInert, inertness } from "./inert.js"
import { type Anchors, type Clamped, clamp, type Root, rootOf } from "./Roots.js"
import { checked, type Scope as GrantScope, type Written, type Wrong } from "./scope.js"
import { describe as inWords } from "./words.js"
import * as Yaml from "./yaml.js"

/**
 * @since 0.1.0
 * @category models
 */
export type Scope = GrantScope

/**
 * `name` is one of the catalog, or `provider.` and the name of a provider's tool. `alias` is the old name, where one
 * was written.
 *
 * @since 0.1.0
 * @category models
 */
export interface Grant extends Written {}

/**
 * Says that a text is not a grant. The message is one sentence with its remedy.
 *
 * @since 0.1.0
 * @category errors
 */
export class GrantInvalid extends Schema.TaggedError<GrantInvalid>("bailiwick/GrantInvalid")("GrantInvalid", {
  code: Schema.Literal(...grantCodes),
  detail: Schema.String,
  remedy: Schema.String
}) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.detail}; ${this.remedy}`
  }
}

const invalid = (given: Wrong): GrantInvalid => new GrantInvalid(given)

/**
 * Makes a grant of a name and a scope, which are checked as `parse` checks them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  name: string,
  scope: Readonly<Record<string, unknown>> = {}
): Either.Either<Grant, GrantInvalid> => Either.mapLeft(checked(name, Object.entries(scope)), invalid)

/**
 * Reads the compact form of a grant. An unknown name, key or value is a `GrantInvalid`, which says what was probably
 * meant.
 *
 * @example
 * ```ts
 * import { Grant } from "bailiwick"
 * import { Either } from "effect"
 *
 * for (const spec of ["net.get{hosts=[*.github.com,api.example.com]}", "net.get{host=[api.example.com]}"]) {
 *   console.log(Either.match(Grant.parse(spec), { onLeft: ({ message }) => message, onRight: Grant.print }))
 * }
 * ```
 *
 * ```text output
 * net.get{hosts=[*.github.com,api.example.com]}
 * SCOPE_KEY_UNKNOWN: unknown scope key 'host' on 'net.get'; did you mean 'hosts'?
 * ```
 *
 * @since 0.1.0
 * @category parsing
 */
export const parse = (spec: string): Either.Either<Grant, GrantInvalid> =>
  Either.mapLeft(Yaml.fromSpec(spec), invalid)

/**
 * Reads a grant as `parse` does, and throws the `GrantInvalid`.
 *
 * @since 0.1.0
 * @category parsing
 */
export const parseSync = (spec: string): Grant => Either.getOrThrowWith(parse(spec), (problem) => problem)

/**
 * Reads several grants in the compact form, separated by blanks or commas.
 *
 * @since 0.1.0
 * @category parsing
 */
export const parseAll = (text: string): ReadonlyArray<Either.Either<Grant, GrantInvalid>> =>
  splitSpecs(text).map(parse)

/** @internal */
export const fromYaml = (item: YamlNode): Either.Either<Grant, GrantInvalid> =>
  Either.mapLeft(Yaml.fromYaml(item), invalid)

/**
 * Reads the form of YAML and JSON: a string, or an object of one key.
 *
 * @since 0.1.0
 * @category parsing
 */
export const fromData = (item: unknown): Either.Either<Grant, GrantInvalid> => {
  if (typeof item === "string") return parse(item)
  const [only, second] = typeof item === "object" && item !== null ? Object.entries(item) : []
  if (only === undefined || second !== undefined || Array.isArray(item)) {
    return Either.left(
      invalid({
        code: "GRANT_MALFORMED",
        detail: "expected a string or single-key map",
        remedy: 'write it as in \'records.read\' or { "net.get": { "hosts": ["api.example.com"] } }'
      })
    )
  }
  const [name, scope] = only
  if (scope === null || scope === undefined) return make(name)
  return typeof scope === "object" && !Array.isArray(scope)
    ? make(name, scope)
    : Either.left(
        invalid({
          code: "GRANT_MALFORMED",
          detail: `the scope of ${quote(name)} must be a map`,
          remedy: "write its keys and values"
        })
      )
}

/**
 * Prints the compact form, in its one spelling.
 *
 * @since 0.1.0
 * @category printing
 */
export const print = ({ name, scope }: Pick<Grant, "name" | "scope">): string =>
  printSpec({ name, pairs: Object.entries(scope) })

/**
 * Prints one item of a YAML list, in one line and without its dash.
 *
 * @since 0.1.0
 * @category printing
 */
export const toYaml = (grant: Pick<Grant, "name" | "scope">): string => Yaml.toYaml(grant)

/**
 * Says in words what a grant allows.
 *
 * @example
 * ```ts
 * import { Grant } from "bailiwick"
 *
 * const grant = Grant.parseSync("proc.exec{in=~/site,cmds=[git,rg]}")
 * console.log(Grant.describe(grant))
 * ```
 *
 * ```text output
 * run commands git, rg below ~/site
 * ```
 *
 * @since 0.1.0
 * @category printing
 */
export const describe = (grant: Pick<Grant, "name" | "scope">): string => inWords(grant)

/** @internal */
export const keyOf = ({ name, scope }: Pick<Grant, "name" | "scope">): string =>
  Object.entries(scope).reduce(
    (key, [of, value]) =>
      `${key}\u0001${of}\u0002${typeof value === "string" ? value : [...value].sort().join("\u0002")}`,
    name
  )

/**
 * Tells whether two grants say the same, in whatever order.
 *
 * @since 0.1.0
 * @category predicates
 */
export const same = (a: Pick<Grant, "name" | "scope">, b: Pick<Grant, "name" | "scope">): boolean =>
  keyOf(a) === keyOf(b)

/**
 * @since 0.1.0
 * @category catalog
 */
export const catalog: ReadonlyArray<Catalog.Entry> = Catalog.catalog

/**
 * @since 0.1.0
 * @category catalog
 */
export const risk = (grant: Pick<Grant, "name">): Catalog.Risk => Catalog.riskOf(grant.name)

/** Scopes of what lies outside, by their resource: the bare form of these gives nothing. */
const examples: ReadonlyMap<string, Scope> = new Map<string, Scope>([
  ["net", { hosts: ["api.example.com"] }],
  ["secrets", { refs: ["API_KEY"] }],
  ["storage", { scopes: ["session"] }],
  ["attachments", { kinds: ["*"] }]
])

/**
 * A grant to start with, for an agent that lacks a capability: an entry of the catalog with an example of its scope.
 *
 * @since 0.1.0
 * @category catalog
 */
export const suggest = (capability: Capability, root = "~/project"): Grant | undefined => {
  const entry = Catalog.granting(capability)
  if (entry === undefined) return undefined
  const { name, needsRoot } = entry
  if (needsRoot) return { name, scope: { in: root } }
  if (capability === "secrets.seal") return { name, scope: { refs: ["API_KEY"], sealed: "true" } }
  return { name, scope: examples.get(name.slice(0, name.indexOf("."))) ?? {} }
}

/**
 * The places in which grants of files and commands are rooted: `home` is what `~` stands for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Places extends Anchors {
  /** The root of the agent, or of the workspace. No grant reaches beyond it. */
  readonly bound?: Root | undefined
}

/**
 * Why a grant gives nothing, and what to write so that it gives something.
 *
 * @since 0.1.0
 * @category models
 */
export interface Inert extends GrantInert {}

/**
 * A grant with its place taken into account.
 *
 * @since 0.1.0
 * @category models
 */
export interface Compiled {
  readonly capability: Capability
  /** The grant with the root that applies to it. */
  readonly effective: Grant
  readonly inert: Inert | undefined
  /** The root that was written and the one that it was cut down to, if it was. */
  readonly narrowed: { readonly from: string; readonly to: string } | undefined
  /** @internal */
  readonly root: Root | undefined
  /** @internal */
  readonly piece: Piece
}

const rooted = (grant: Grant, places: Places): Either.Either<Clamped | { readonly _tag: "None" }, Wrong> => {
  const { in: own } = grant.scope
  if (own !== undefined) {
    return Either.map(rootOf(own, places), (root) => {
      const place = clamp(root, places.bound)
      // Its paths are relative to the root that was written: below another they would name other things.
      return place._tag === "Narrowed" && grant.scope.paths !== undefined ? { _tag: "Outside" } : place
    })
  }
  const { bound } = places
  return Either.right(
    bound === undefined || bound.nowhere === true ? { _tag: "None" } : { _tag: "Same", root: bound }
  )
}

/**
 * Works out what a grant gives in its place. Files and commands need a root, of the grant or of `places`; without
 * one, and without a host for the network, the grant is `inert` and gives nothing. `Grant.authority` joins compiled
 * grants.
 *
 * @example
 * ```ts
 * import { Authority, Grant } from "bailiwick"
 * import { Either } from "effect"
 *
 * const grant = Grant.parseSync("fs.read{in=~/site,paths=[docs/]}")
 * const compiled = Either.getOrThrowWith(Grant.compile(grant, { home: "/home/me" }), (problem) => problem)
 * console.log(Authority.describe(Grant.authority([compiled])))
 * ```
 *
 * ```text output
 * [ 'may read /home/me/site/docs/' ]
 * ```
 *
 * @since 0.1.0
 * @category compiling
 */
export const compile = (grant: Grant, places: Places): Either.Either<Compiled, GrantInvalid> => {
  const needsRoot = Catalog.find(grant.name)?.needsRoot === true
  const place = needsRoot ? rooted(grant, places) : nowhereAsked
  return Either.mapLeft(
    Either.flatMap(place, (found) => {
      const root = found._tag === "Same" || found._tag === "Narrowed" ? found.root : undefined
      return Either.map(
        pieceOf(grant, root, places),
        (piece): Compiled => ({
          capability: piece.capability,
          effective:
            root === undefined ? grant : { ...grant, scope: { in: root.written, ...without(grant.scope) } },
          inert: inertness(grant, piece, found._tag === "Outside", places.bound),
          narrowed:
            found._tag === "Narrowed" ? { from: grant.scope.in ?? "", to: found.root.written } : undefined,
          root,
          piece
        })
      )
    }),
    invalid
  )
}

const nowhereAsked = Either.right({ _tag: "None" as const })

const without = ({ in: _, ...rest }: Scope): Omit<Scope, "in"> => rest

/**
 * The authority that compiled grants give together.
 *
 * @since 0.1.0
 * @category compiling
 */
export const authority = (compiled: ReadonlyArray<Compiled>): Authority =>
  authorityOf(compiled.map(({ piece }) => piece))

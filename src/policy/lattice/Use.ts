/**
 * Something that was used, as far as it is known: a request whose words are all there, or a region of scopes in which it
 * must have been. What is found in a log is turned into these, and `Least` works out what they need.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import { getOrSet } from "../Memo.js"
import * as Authority from "./Authority.js"
import type { Dimension } from "./dimensions/Dimension.js"
import { root } from "./dimensions/Path.js"
import { type Capability, capabilityOf } from "./Facets.js"
import * as Glob from "./Glob.js"
import * as Host from "./Host.js"
import { HostSet } from "./HostSet.js"
import type * as Request from "./Request.js"
import type { ScopeInvalid } from "./ScopeInvalid.js"
import { type Constraints, type Element, ScopeSet } from "./ScopeSet.js"
import { Deep, literal } from "./Token.js"

/**
 * A host that was asked, or a pattern that it fell under.
 *
 * @since 0.1.0
 * @category models
 */
export interface OfHost {
  readonly _tag: "OfHost"
  readonly capability: Capability
  readonly pattern: Host.HostPattern
}

/**
 * What was used lies in all of these globs; a dimension that is left out is not known. With an `element` it is known
 * exactly, and the globs are what it needs.
 *
 * @since 0.1.0
 * @category models
 */
export interface OfScope {
  readonly _tag: "OfScope"
  readonly capability: Capability
  readonly constraints: Constraints
  readonly element?: Element | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export type Use = OfHost | OfScope

const globOf = (dimension: Dimension, segments: ReadonlyArray<string>, isWhole: boolean): Glob.Glob =>
  // A directory that was asked for may have been walked.
  dimension.name === "path" && isWhole ? Glob.tree(segments) : Glob.exact(segments)

/**
 * The use of what a request asks for. Who asks for a directory may have looked at all that is below it, so that a path of
 * files stands for its tree, unless it is known to be one file.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ofRequest = (
  request: Request.Request,
  { isFile = false }: { readonly isFile?: boolean } = {}
): Use => {
  const { capability } = request
  if (request._tag === "Http") return { _tag: "OfHost", capability, pattern: exactly(request.host) }
  const { element, facet } = request
  const { spec } = capabilityOf(capability)
  const constraints = (spec === "hosts" ? [] : spec).flatMap((dimension) => {
    const segments = element[dimension.name]
    return segments === undefined
      ? []
      : [[dimension.name, [globOf(dimension, segments, facet === "files" && !isFile)]] as const]
  })
  return { _tag: "OfScope", capability, constraints: Object.fromEntries(constraints), element }
}

/**
 * The use of a command by its name, with whatever arguments, in a directory.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ofCommand = (
  name: string,
  directory: string | undefined
): Either.Either<OfScope, ScopeInvalid> =>
  Either.map(directory === undefined ? Either.right(undefined) : root.element(directory), (segments) => ({
    _tag: "OfScope",
    capability: "process.exec",
    constraints: {
      argv: [Glob.make([literal(name), Deep])],
      ...(segments === undefined ? {} : { in: [Glob.exact(segments)] })
    }
  }))

/**
 * The same command in another directory.
 *
 * @since 0.1.0
 * @category combinators
 */
export const startedIn = (use: Use, directory: string): Use => {
  const segments = Either.getOrUndefined(root.element(directory))
  if (use._tag === "OfHost" || segments === undefined) return use
  const { capability, constraints, element } = use
  return {
    _tag: "OfScope",
    capability,
    constraints: { ...constraints, [root.name]: [Glob.exact(segments)] },
    element: element && { ...element, [root.name]: segments }
  }
}

const exactly = (host: string): Host.HostPattern => ({ _tag: "Exact", host })

/**
 * Something of a capability, and nobody knows what.
 *
 * @since 0.1.0
 * @category constructors
 */
export const unknown = (capability: Capability): Use =>
  capabilityOf(capability).spec === "hosts"
    ? { _tag: "OfHost", capability, pattern: { _tag: "Any" } }
    : { _tag: "OfScope", capability, constraints: {} }

/** So many ways to read one text are tried. */
const MOST_JOINTS = 4

const AND = " and "

/** All ways to take a text apart where its parts may be joined, each part a pattern. */
const patterns = (dimension: Dimension, text: string): ReadonlyArray<ReadonlyArray<Glob.Glob>> => {
  const parts = text.split(AND)
  if (parts.length - 1 > MOST_JOINTS) return []
  const ways = parts.slice(1).reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (made, part) =>
      made.flatMap((way) => [
        [...way, part],
        [...way.slice(0, -1), `${way.at(-1)}${AND}${part}`]
      ]),
    [parts.slice(0, 1)]
  )
  return ways.flatMap((way) => {
    const globs = way.map((one) =>
      one === dimension.print(dimension.top) ? Either.right(dimension.top) : dimension.parse(one)
    )
    return Either.getOrElse(
      Either.map(Either.all(globs), (all) => [all]),
      () => []
    )
  })
}

const constrained = (dimension: Dimension, text: string): ReadonlyArray<Constraints> =>
  patterns(dimension, text).map((globs) => ({ [dimension.name]: globs }))

/** The first dimension with the others free, and every place where another may begin. */
const readings = (spec: ReadonlyArray<Dimension>, text: string): ReadonlyArray<Constraints> => {
  const [first, ...others] = spec
  if (first === undefined) return []
  const joints = others.map(({ name }, at) => {
    const mark = ` ${name} `
    return { mark, parts: text.split(mark), spec: others.slice(at) }
  })
  if (joints.some(({ parts }) => parts.length - 1 > MOST_JOINTS)) return []
  return [
    ...constrained(first, text),
    ...joints.flatMap(({ mark, parts, spec: behindIt }) =>
      parts.slice(1).flatMap((_, at) => {
        const [before, behind] = [parts.slice(0, at + 1), parts.slice(at + 1)].map((some) => some.join(mark))
        const rest = readings(behindIt, behind ?? "")
        return constrained(first, before ?? "").flatMap((one) => rest.map((other) => ({ ...one, ...other })))
      })
    )
  ]
}

const hostPattern = (text: string): Either.Either<Host.HostPattern, unknown> =>
  text === "*" ? Either.right({ _tag: "Any" }) : Host.parseException(text)

/**
 * The uses that the scope of a decision stands for, as `Authority.permits` prints it. A text that can be read in several
 * ways gives each of them; one that cannot be read gives none.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ofScope = (capability: Capability, text: string): ReadonlyArray<Use> => {
  const { spec } = capabilityOf(capability)
  return spec === "hosts"
    ? Either.match(hostPattern(text), {
        onLeft: () => [],
        onRight: (pattern) => [{ _tag: "OfHost", capability, pattern }]
      })
    : readings(spec, text).map((constraints) => ({ _tag: "OfScope", capability, constraints }))
}

/** Without those that another one makes needless; of two that are alike the first stays. */
const needed = (globs: ReadonlyArray<Glob.Glob>): ReadonlyArray<Glob.Glob> =>
  globs.filter(
    (one, at) =>
      !globs.some(
        (other, i) => i !== at && Glob.includes(one, other) && (i < at || !Glob.includes(other, one))
      )
  )

/**
 * What lies in both regions of one capability.
 *
 * @since 0.1.0
 * @category combinators
 */
export const both = (a: OfScope, b: OfScope): OfScope => {
  const names = new Set([...Object.keys(a.constraints), ...Object.keys(b.constraints)])
  return {
    ...a,
    constraints: Object.fromEntries(
      [...names].map((name) => [
        name,
        needed([...(a.constraints[name] ?? []), ...(b.constraints[name] ?? [])])
      ])
    )
  }
}

/**
 * The same for equal uses, and for no others.
 *
 * @since 0.1.0
 * @category rendering
 */
export const keyOf = (use: Use): string => {
  if (use._tag === "OfHost") {
    const { pattern } = use
    const text =
      pattern._tag === "Exact" ? pattern.host : pattern._tag === "Below" ? `*.${pattern.suffix}` : "*"
    return `${use.capability} ${text}`
  }
  const parts = Object.entries(use.constraints).map(
    ([name, globs]) => `${name}\u0001${globs.map(({ key }) => key).join("\u0002")}`
  )
  return [use.capability, use.element === undefined ? "" : "=", ...parts].join("\u0003")
}

/** @internal */
export const setOf = (use: Use): HostSet | ScopeSet => {
  if (use._tag === "OfHost") return HostSet.make([use.pattern])
  const { spec } = capabilityOf(use.capability)
  return ScopeSet.make(spec === "hosts" ? [] : spec, [use.constraints])
}

const regions = new WeakMap<Use, HostSet | ScopeSet>()

/** Sets of one capability are of one kind; only the compiler needs to be told. */
const overlaps = (a: HostSet | ScopeSet, b: HostSet | ScopeSet): boolean =>
  !(a as ScopeSet).meet(b as ScopeSet).isEmpty

/**
 * Tells whether an authority permits what was used; of what is not known exactly, whether it may.
 *
 * @since 0.1.0
 * @category deciding
 */
export const isWithin = (use: Use, authority: Authority.Authority): boolean => {
  const held = Authority.scopesOf(authority, use.capability)
  if (held.isEmpty) return false
  if (use._tag === "OfHost" && use.pattern._tag === "Exact") return (held as HostSet).has(use.pattern.host)
  if (use._tag === "OfScope" && use.element !== undefined) {
    return (held as ScopeSet).find(use.element) !== undefined
  }
  return overlaps(
    held,
    getOrSet(regions, use, () => setOf(use))
  )
}

/**
 * The least of an authority with which certain things could have been done. It is the meet of what is held and of what
 * was used, so that it is never more than either; what stands side by side may be taken together first, where that is
 * wanted.
 *
 * @since 0.1.0
 */
import { getOrSet } from "../Memo.js"
import * as Authority from "./Authority.js"
import type { Dimension } from "./dimensions/Dimension.js"
import { type Capability, capabilities } from "./Facets.js"
import * as Glob from "./Glob.js"
import * as Host from "./Host.js"
import { HostSet } from "./HostSet.js"
import { type Constraints, ScopeSet } from "./ScopeSet.js"
import * as Use from "./Use.js"

/**
 * `siblings`: so many things in one directory, of one host's suffix or with one prefix are written as that; 0 is never.
 * `kept` stays as far as it is held, whether it was used or not.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly siblings?: number | undefined
  readonly kept?: Authority.Authority | undefined
}

/**
 * A scope that stands for what was used in it, and gives more than that.
 *
 * @since 0.1.0
 * @category models
 */
export interface Generalised {
  readonly capability: Capability
  readonly scope: string
  /** How many things it stands for. */
  readonly siblings: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Least {
  readonly authority: Authority.Authority
  readonly generalised: ReadonlyArray<Generalised>
  /** The capabilities of which so much was used that it is not told apart: they stay as they are held. */
  readonly crowded: ReadonlyArray<Capability>
}

type AnySet = HostSet | ScopeSet

/** A set that stands for others, and those. */
interface Grown<S extends AnySet> {
  readonly set: S
  readonly things: S
  readonly scope: string
  readonly siblings: number
}

interface Made<S extends AnySet> {
  readonly set: S
  readonly grown: ReadonlyArray<Grown<S>>
}

/** Nobody reads a list that is longer, and a set of that size costs its square to work out. */
const MOST = 1_000

/** A place that stands for what is in it. */
interface Filled<A, P> {
  readonly place: P
  readonly inside: ReadonlyArray<A>
  readonly siblings: number
}

/** Things by the place that they are in: those of a place that holds enough of them are replaced by it. */
class Places<A, P> {
  private readonly byPlace = new Map<string, { readonly place: P; readonly things: Map<string, Array<A>> }>()
  private readonly others: Array<A> = []

  constructor(private readonly siblings: number) {}

  /** Without a place it stays what it is. */
  add(thing: A, at: { readonly key: string; readonly name: string; readonly place: P } | undefined): void {
    if (at === undefined) {
      this.others.push(thing)
      return
    }
    const { things } = getOrSet(this.byPlace, at.key, () => ({ place: at.place, things: new Map() }))
    getOrSet(things, at.name, () => []).push(thing)
  }

  get found(): { readonly things: ReadonlyArray<A>; readonly places: ReadonlyArray<Filled<A, P>> } {
    const things = [...this.others]
    const places: Array<Filled<A, P>> = []
    for (const { place, things: byName } of this.byPlace.values()) {
      const inside = [...byName.values()].flat()
      if (this.siblings > 0 && byName.size >= this.siblings) {
        places.push({ place, inside: inside.slice(0, MOST), siblings: byName.size })
      } else for (const one of inside) things.push(one)
    }
    return { things, places }
  }
}

/** The suffix below which a host is; what belongs to many, and what is above an address, is none. */
const suffixOf = ({ pattern }: Use.OfHost) => {
  if (pattern._tag !== "Exact" || Host.isAddress(pattern.host)) return undefined
  const dot = pattern.host.indexOf(".")
  const suffix = pattern.host.slice(dot + 1)
  if (dot < 0 || !suffix.includes(".") || Host.coversPublicSuffix(suffix)) return undefined
  return { key: suffix, name: pattern.host, place: suffix }
}

const ofHosts = (uses: ReadonlyArray<Use.OfHost>, siblings: number): Made<HostSet> | undefined => {
  const all = new Places<Host.HostPattern, string>(siblings)
  for (const use of uses) all.add(use.pattern, suffixOf(use))
  const { places, things } = all.found
  if (places.length + things.length > MOST) return undefined
  const grown = places.map(({ inside, place, siblings: count }) => ({
    scope: `*.${place}`,
    siblings: count,
    set: HostSet.make([{ _tag: "Below", suffix: place }]),
    things: HostSet.make(inside)
  }))
  return { set: HostSet.make(things).join(grown.map(({ set }) => set)), grown }
}

interface Folder {
  readonly dimension: Dimension
  readonly glob: Glob.Glob
  readonly rest: Constraints
}

/** The directory, or the prefix, that one thing is in. Things that differ otherwise are not side by side. */
const folderOf = (dimension: Dimension | undefined, constraints: Constraints) => {
  const [only, second] = constraints[dimension?.name ?? ""] ?? []
  const segments = only === undefined || second !== undefined ? undefined : Glob.literally(only)
  const name = segments?.at(-1)
  if (dimension?.folder === undefined || segments === undefined || name === undefined) return undefined
  const { [dimension.name]: _, ...rest } = constraints
  const glob = dimension.folder(segments.slice(0, -1))
  const key = [
    glob.key,
    ...Object.entries(rest).flatMap(([of, globs]) => [of, ...globs.map((one) => one.key)])
  ]
  return { key: key.join("\u0001"), name, place: { dimension, glob, rest } }
}

const ofScopes = (
  spec: ReadonlyArray<Dimension>,
  uses: ReadonlyArray<Use.OfScope>,
  siblings: number
): Made<ScopeSet> | undefined => {
  const dimension = spec.find(({ folder }) => folder !== undefined)
  const all = new Places<Constraints, Folder>(siblings)
  for (const { constraints } of uses) all.add(constraints, folderOf(dimension, constraints))
  const { places, things } = all.found
  if (places.length + things.length > MOST) return undefined
  const grown = places.map(({ inside, place: { dimension: along, glob, rest }, siblings: count }) => {
    const set = ScopeSet.make(spec, [{ ...rest, [along.name]: [glob] }])
    return { set, things: ScopeSet.make(spec, inside), scope: set.show(1)[0] ?? "", siblings: count }
  })
  return { set: ScopeSet.make(spec, things).join(grown.map(({ set }) => set)), grown }
}

const isOfHost = (use: Use.Use): use is Use.OfHost => use._tag === "OfHost"

const isOfScope = (use: Use.Use): use is Use.OfScope => use._tag === "OfScope"

const together = (
  spec: "hosts" | ReadonlyArray<Dimension>,
  uses: ReadonlyArray<Use.Use>,
  siblings: number
): Made<ScopeSet> | undefined =>
  spec === "hosts"
    ? // Both kinds of set have the operations of this; only the compiler needs to be told.
      (ofHosts(uses.filter(isOfHost), siblings) as unknown as Made<ScopeSet> | undefined)
    : ofScopes(spec, uses.filter(isOfScope), siblings)

/** A set of the same capability: sets have bounds on their work, past which they may leave something out. */
const leavesNothingOut = (
  least: ScopeSet,
  held: ScopeSet,
  uses: ReadonlyArray<Use.Use>,
  authority: (set: ScopeSet) => Authority.Authority
): boolean => {
  const [narrow, wide] = [authority(least), authority(held)]
  return (
    held.includes(least) &&
    uses.every((use) => {
      if (use._tag === "OfHost" || use.element !== undefined) {
        return !Use.isWithin(use, wide) || Use.isWithin(use, narrow)
      }
      return least.includes(held.meet(Use.setOf(use) as ScopeSet))
    })
  )
}

/**
 * What is needed of an authority so that all of these uses are permitted that it permits. It is always within what is
 * held; what it leaves out, nobody used.
 *
 * @since 0.1.0
 * @category lattice
 */
export const least = (
  held: Authority.Authority,
  uses: ReadonlyArray<Use.Use>,
  { kept = Authority.nothing, siblings = 0 }: Options = {}
): Least => {
  const byCapability = new Map<Capability, Array<Use.Use>>()
  for (const use of uses) {
    // What is not held says nothing of what is.
    if (Use.isWithin(use, held)) getOrSet(byCapability, use.capability, () => []).push(use)
  }
  const sets = new Map<Capability, AnySet>()
  const generalised: Array<Generalised> = []
  const crowded: Array<Capability> = []
  for (const { name, spec } of capabilities) {
    const own = Authority.scopesOf(held, name) as ScopeSet
    const used = byCapability.get(name) ?? []
    const made = together(spec, used, siblings)
    const stays = own.meet(Authority.scopesOf(kept, name) as ScopeSet)
    const set = made && own.meet(made.set).join([stays])
    const authority = (one: ScopeSet) => Authority.fromSets(new Map([[name, one]]))
    if (made === undefined || set === undefined || !leavesNothingOut(set, own, used, authority)) {
      crowded.push(name)
      sets.set(name, own)
      continue
    }
    sets.set(name, set)
    for (const { scope, set: grown, siblings: count, things } of made.grown) {
      const gives = own.meet(grown)
      const isMore = !own.meet(things).join([stays]).includes(gives)
      if (isMore) generalised.push({ capability: name, scope, siblings: count })
    }
  }
  return { authority: Authority.fromSets(sets), generalised, crowded }
}

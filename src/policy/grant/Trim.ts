/**
 * A grant cut down to what is needed of it. The lattice says what that is; here it is written as grants are, which cannot
 * say everything: what comes out gives all that is needed, and nothing that the grant did not give.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import * as Floor from "../gate/floor/Floor.js"
import * as Authority from "../lattice/Authority.js"
import { cutAll } from "../lattice/Cut.js"
import type { Capability } from "../lattice/Facets.js"
import type { ScopeSet } from "../lattice/ScopeSet.js"
import { getOrSet } from "../Memo.js"
import type * as Catalog from "./Catalog.js"
import * as Grant from "./Grant.js"
import { type Atom, atomsOf, grantOf, regrouped } from "./Parts.js"
import { rewritten } from "./rewritten.js"

/**
 * What a grant gives in its place.
 *
 * @since 0.1.0
 * @category models
 */
export type Compile = (grant: Grant.Grant) => Either.Either<Grant.Compiled, Grant.GrantInvalid>

/** The scopes of one capability; those of hosts have the same operations, and only the compiler needs to be told. */
const scopesOf = (authority: Authority.Authority, capability: Capability): ScopeSet =>
  Authority.scopesOf(authority, capability) as ScopeSet

/** What something gives, and what of that is needed. */
interface Need {
  readonly gives: ScopeSet
  readonly needed: ScopeSet
}

interface Part extends Need {
  readonly atom: Atom
}

const differing = (a: Grant.Scope, b: Grant.Scope): ReadonlyArray<Catalog.Key> =>
  ([...new Set([...Object.keys(a), ...Object.keys(b)])] as ReadonlyArray<Catalog.Key>).filter(
    (key) => JSON.stringify(a[key]) !== JSON.stringify(b[key])
  )

/** Two grants that differ in one list, as one. */
const merged = (a: Grant.Grant, b: Grant.Grant): Grant.Grant | undefined => {
  const [key, second] = differing(a.scope, b.scope)
  if (key === undefined) return a
  const [one, other] = [a.scope[key], b.scope[key]]
  if (second !== undefined || !Array.isArray(one) || !Array.isArray(other)) return undefined
  return { ...a, scope: { ...a.scope, [key]: [...new Set([...one, ...other])] } }
}

const joined = (grants: ReadonlyArray<Grant.Grant>): ReadonlyArray<Grant.Grant> => {
  const made: Array<Grant.Grant> = []
  for (const grant of grants) {
    const both = made.map((one) => merged(one, grant))
    const at = both.findIndex((one) => one !== undefined)
    made[at < 0 ? made.length : at] = both[at] ?? grant
  }
  return made
}

/** One grant that is cut down. */
class Trimming {
  private readonly lifted: ReadonlySet<string>

  constructor(
    private readonly grant: Grant.Grant,
    private readonly compiled: Grant.Compiled,
    private readonly compile: Compile
  ) {
    this.lifted = new Set(Floor.liftedBy(Grant.authority([compiled])))
  }

  /** What grants give together; nothing where one of them is none, gives nothing, or lifts what was not lifted. */
  private givenBy(grants: ReadonlyArray<Grant.Grant>): ScopeSet | undefined {
    const all = Either.all(grants.map(this.compile))
    if (grants.length === 0 || Either.isLeft(all)) return undefined
    if (all.right.some(({ inert }) => inert !== undefined)) return undefined
    const authority = Grant.authority(all.right)
    return Floor.liftedBy(authority).every((path) => this.lifted.has(path))
      ? scopesOf(authority, this.compiled.capability)
      : undefined
  }

  /** Whether grants give what is needed, no more than was given, and less than that. */
  fits(grants: ReadonlyArray<Grant.Grant>, { gives, needed }: Need): boolean {
    const made = this.givenBy(grants)
    return made?.includes(needed) === true && gives.includes(made) && !made.includes(gives)
  }

  private written(needed: ScopeSet, atom: Atom | undefined): ReadonlyArray<Grant.Grant> {
    return rewritten(this.grant, this.compiled.root, needed.encode(), atom?.[0])
  }

  /** All at once, where that can be written. */
  private together(parts: readonly [Part, ...ReadonlyArray<Part>]): ReadonlyArray<Grant.Grant> | undefined {
    // Each command may have its own directories.
    if (this.compiled.capability === "process.exec") return undefined
    const [first, ...rest] = parts
    const all = {
      gives: first.gives.join(rest.map(({ gives }) => gives)),
      needed: first.needed.join(rest.map(({ needed }) => needed))
    }
    const made = this.written(all.needed, undefined)
    return this.fits(made, all) ? made : undefined
  }

  /** What stays, and what of the parts is needed: together, or one by one, or as it was. */
  cut(parts: ReadonlyArray<Part>, stays: ReadonlyArray<Atom>): ReadonlyArray<Grant.Grant> {
    const kept = (atoms: ReadonlyArray<Atom>) => (atoms.length === 0 ? [] : regrouped(this.grant, atoms))
    const [first, ...rest] = parts
    if (first === undefined) return kept(stays)
    const together = this.together([first, ...rest])
    if (together !== undefined) return joined([...kept(stays), ...together])
    const atoms = [...stays]
    const alone = parts.flatMap((part) => {
      const made = this.written(part.needed, part.atom)
      if (this.fits(made, part)) return made
      atoms.push(part.atom)
      return []
    })
    return joined([...kept(atoms), ...alone])
  }
}

/**
 * The grants in the place of one, so that they give all of an authority that it gave, and little else: none where it gave
 * nothing of it, and the grant itself where it cannot be cut down.
 */
const trimmed = (
  grant: Grant.Grant,
  to: Authority.Authority,
  compile: Compile
): ReadonlyArray<Grant.Grant> => {
  const compiled = compile(grant)
  if (Either.isLeft(compiled) || compiled.right.inert !== undefined) return [grant]
  const { capability } = compiled.right
  const needs = scopesOf(to, capability)
  const whole = needOf(compiled.right, needs)
  if (whole.needed.isEmpty) return []
  const atoms = whole.needed.includes(whole.gives) ? undefined : atomsOf(grant)
  if (atoms === undefined) return [grant]
  const stays: Array<Atom> = []
  const parts: Array<Part> = []
  for (const atom of atoms) {
    const one = compile(grantOf(grant, atom))
    const need = Either.isLeft(one) ? undefined : needOf(one.right, needs)
    if (need === undefined || need.needed.includes(need.gives)) stays.push(atom)
    else if (!need.needed.isEmpty) parts.push({ atom, ...need })
  }
  const trimming = new Trimming(grant, compiled.right, compile)
  const made = trimming.cut(parts, stays)
  // As a whole it must hold, too, however it came about.
  return trimming.fits(made, whole) ? made : [grant]
}

const needOf = (compiled: Grant.Compiled, needs: ScopeSet): Need => {
  const gives = scopesOf(Grant.authority([compiled]), compiled.capability)
  return { gives, needed: gives.meet(needs) }
}

/** With what it gives, if it gives anything. */
const compiledAll = (grants: ReadonlyArray<Grant.Grant>, compile: Compile) =>
  grants
    .map((grant) => Either.getOrUndefined(compile(grant)))
    .map((one) => (one?.inert === undefined ? one : undefined))

/**
 * Grants that are held together, cut down to an authority: what stands in the place of each. That is none where it gave nothing
 * that is needed, and the grant itself where it cannot be cut down.
 *
 * @since 0.1.0
 * @category editing
 */
export const trimmedAll = (
  grants: ReadonlyArray<Grant.Grant>,
  to: Authority.Authority,
  compile: Compile
): ReadonlyArray<ReadonlyArray<Grant.Grant>> => {
  const all = grants.map((grant) => bothWays(grant, to))
  const stays = trimmedApart(all.flat(), to, compile)
  let at = 0
  return all.map(({ length }) => {
    at += length
    return stays.slice(at - length, at).flat()
  })
}

/** A secret that was only sent sealed need not be read: what gives both is taken as two, of which each is cut down. */
const bothWays = (grant: Grant.Grant, to: Authority.Authority): ReadonlyArray<Grant.Grant> => {
  const { read, seal } = to.scopes.secrets
  if (grant.name !== "secrets.read" || grant.scope.sealed !== undefined) return [grant]
  return seal.beyond(read.widened(seal.dimensions)).isEmpty
    ? [grant]
    : [grant, { ...grant, scope: { ...grant.scope, sealed: "true" } }]
}

/** What must still be given of a capability; what may be read may be sent sealed anyway. */
const neededOf = (to: Authority.Authority, capability: Capability): ScopeSet => {
  const needs = scopesOf(to, capability)
  return capability === "secrets.seal"
    ? needs.beyond(to.scopes.secrets.read.widened(needs.dimensions))
    : needs
}

const trimmedApart = (
  grants: ReadonlyArray<Grant.Grant>,
  to: Authority.Authority,
  compile: Compile
): ReadonlyArray<ReadonlyArray<Grant.Grant>> => {
  const made: Array<ReadonlyArray<Grant.Grant>> = grants.map((grant) => [grant])
  const places = new Map<Capability, Array<number>>()
  for (const [at, compiled] of compiledAll(grants, compile).entries()) {
    if (compiled !== undefined) getOrSet(places, compiled.capability, () => []).push(at)
  }
  for (const [capability, at] of places) {
    const none = scopesOf(Authority.nothing, capability)
    const stays = cutAll(
      at.flatMap((one) => grants[one] ?? []),
      neededOf(to, capability),
      {
        gives: (grant) => {
          const [compiled] = compiledAll([grant], compile)
          return compiled === undefined ? none : scopesOf(Grant.authority([compiled]), capability)
        },
        cut: (grant, needed) => trimmed(grant, Authority.fromSets(new Map([[capability, needed]])), compile)
      }
    )
    for (const [i, one] of at.entries()) made[one] = stays[i] ?? []
  }
  return made
}

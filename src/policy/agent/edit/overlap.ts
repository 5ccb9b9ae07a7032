/**
 * Which of many grants share something with a set of scopes. The list is halved where it does, so that a question costs
 * what it finds, and not the product of both lists.
 */
import * as Grant from "../../grant/Grant.js"
import * as Authority from "../../lattice/Authority.js"
import type { HostSet } from "../../lattice/HostSet.js"
import type { ScopeSet } from "../../lattice/ScopeSet.js"

/** Scopes of one capability. */
export type Scopes = HostSet | ScopeSet

/** Sets of one capability are of one kind; only the compiler needs to be told. */
const meet = (a: Scopes, b: Scopes): Scopes => (a as ScopeSet).meet(b as ScopeSet)

export const includes = (outer: Scopes, inner: Scopes): boolean =>
  (outer as ScopeSet).includes(inner as ScopeSet)

/** Grants of one capability, and at least one. */
export const scopesOf = (compiled: readonly [Grant.Compiled, ...ReadonlyArray<Grant.Compiled>]): Scopes =>
  Authority.scopesOf(Grant.authority(compiled), compiled[0].capability)

interface Compiled {
  readonly compiled: Grant.Compiled
}

/** A meet that is as large as this may leave something out: it tells that there is one, and not all of it. */
const WHOLE = 20_000

/** All are of the capability that the scopes are of; `overlap` is those of the scopes that may be shared. */
export const overlapping = <A extends Compiled>(
  items: ReadonlyArray<A>,
  scopes: Scopes
): ReadonlyArray<{ readonly item: A; readonly overlap: Scopes }> => {
  const [first, ...rest] = items
  if (first === undefined || scopes.isEmpty) return []
  const overlap = meet(scopesOf([first.compiled, ...rest.map(({ compiled }) => compiled)]), scopes)
  if (overlap.isEmpty) return []
  const near = overlap.size < WHOLE ? overlap : scopes
  if (rest.length === 0) return [{ item: first, overlap: near }]
  const half = items.length >> 1
  return [...overlapping(items.slice(0, half), near), ...overlapping(items.slice(half), near)]
}

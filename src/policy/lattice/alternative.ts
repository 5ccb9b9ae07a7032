/**
 * One way in which something may be allowed: globs that must all match, each on its dimension. No glob on a
 * dimension leaves it free.
 */

import type { Fuel } from "./automaton.js"
import * as Glob from "./Glob.js"

export interface Atom {
  readonly dimension: string
  readonly glob: Glob.Glob
}

export interface Alternative {
  readonly atoms: ReadonlyArray<Atom>
  readonly key: string
  /** The atom that the alternative is filed under: the one with the most leading literals. */
  readonly index: Atom | undefined
}

const atomKey = (atom: Atom): string => `${atom.dimension}\u0001${atom.glob.key}`

const byKey = (a: Atom, b: Atom): number => (atomKey(a) < atomKey(b) ? -1 : 1)

const implies = (a: Atom, b: Atom, spend: Fuel): boolean =>
  a.dimension === b.dimension && Glob.includes(b.glob, a.glob, spend)

const conflict = (a: Atom, b: Atom, spend: Fuel): boolean =>
  a.dimension === b.dimension && !Glob.overlaps(a.glob, b.glob, spend)

/** `undefined` when two atoms exclude each other. Atoms that another one implies are left out. */
export const make = (atoms: ReadonlyArray<Atom>, spend: Fuel): Alternative | undefined => {
  const kept: Array<Atom> = []
  for (const atom of atoms) {
    if (kept.some((other) => implies(other, atom, spend))) continue
    if (kept.some((other) => conflict(other, atom, spend))) return undefined
    for (let i = kept.length - 1; i >= 0; i--) if (implies(atom, kept[i] as Atom, spend)) kept.splice(i, 1)
    kept.push(atom)
  }
  if (kept.length > 1) kept.sort(byKey)
  const index = kept.reduce<Atom | undefined>(
    (best, atom) => (best === undefined || atom.glob.literals > best.glob.literals ? atom : best),
    undefined
  )
  return { atoms: kept, key: kept.map(atomKey).join("\u0002"), index }
}

/** Whether all that `inner` allows `outer` allows. */
export const includes = (outer: Alternative, inner: Alternative, spend: Fuel): boolean =>
  outer.atoms.every((wide) => inner.atoms.some((narrow) => implies(narrow, wide, spend)))

export type Element = Readonly<Record<string, ReadonlyArray<string> | undefined>>

/** A dimension that the element says nothing about satisfies no glob. */
export const matches = (alternative: Alternative, element: Element): boolean =>
  alternative.atoms.every(({ dimension, glob }) => {
    const segments = element[dimension]
    return segments !== undefined && Glob.matches(glob, segments)
  })

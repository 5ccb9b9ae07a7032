/**
 * A grant taken apart into grants of one element each, and put together again: what is done to a grant is done to its
 * elements.
 *
 * @since 0.1.0
 */
import type * as Catalog from "./Catalog.js"
import type { Scope, Written } from "./scope.js"

type Grant = Pick<Written, "name" | "scope">

/** Keys of one group allow each by itself; groups must all allow. */
const groups: ReadonlyArray<{
  readonly of: RegExp
  readonly keys: ReadonlyArray<ReadonlyArray<Catalog.Key>>
}> = [
  { of: /^records\./, keys: [["classes"], ["paths"]] },
  { of: /^agent\./, keys: [["id", "ids", "paths"]] },
  { of: /^fs\./, keys: [["paths"]] },
  { of: /^net\./, keys: [["hosts"]] },
  { of: /^proc\./, keys: [["cmds", "patterns"]] },
  { of: /^secrets\./, keys: [["refs"]] },
  { of: /^storage\./, keys: [["scopes"]] },
  { of: /^attachments\./, keys: [["kinds"]] }
]

/** @internal */
export type Option = readonly [key: Catalog.Key, value: string]

/**
 * One element of each group of keys; of a group of which nothing is written, one that says nothing.
 *
 * @internal
 */
export type Atom = ReadonlyArray<Option | undefined>

const optionsOf = (scope: Scope, keys: ReadonlyArray<Catalog.Key>): Atom =>
  keys.every((key) => scope[key] === undefined)
    ? [undefined]
    : keys.flatMap((key) => [scope[key] ?? []].flat().map((value): Option => [key, value]))

/** What is no list stays with every part. */
const scopeOf = ({ in: root, sealed }: Scope, options: Atom): Scope => {
  const lists = new Map<string, string | Array<string>>(root === undefined ? [] : [["in", root]])
  for (const option of options) {
    if (option === undefined) continue
    const [key, value] = option
    const list = lists.get(key)
    if (key === "id") lists.set(key, value)
    else if (Array.isArray(list)) list.push(value)
    else lists.set(key, [value])
  }
  if (sealed !== undefined) lists.set("sealed", sealed)
  return Object.fromEntries(lists)
}

/**
 * The grant of one element.
 *
 * @internal
 */
export const grantOf = <G extends Grant>(grant: G, atom: Atom): G => ({
  ...grant,
  scope: scopeOf(grant.scope, atom)
})

const distinct = (options: Atom): Atom => [
  ...new Map(options.map((option) => [JSON.stringify(option ?? null), option])).values()
]

/**
 * Elements as few grants: those that differ in their first group only are one.
 *
 * @internal
 */
export const regrouped = <G extends Grant>(grant: G, atoms: ReadonlyArray<Atom>): ReadonlyArray<G> => {
  const rows = new Map<string, { readonly first: Option | undefined; readonly rest: Array<Atom> }>()
  for (const [first, ...rest] of atoms) {
    const key = JSON.stringify(first ?? null)
    const row = rows.get(key) ?? { first, rest: [] }
    row.rest.push(rest)
    rows.set(key, row)
  }
  const merged = new Map<string, { readonly firsts: Array<Option | undefined>; readonly rest: Array<Atom> }>()
  for (const { first, rest } of rows.values()) {
    const key = JSON.stringify(rest)
    const same = merged.get(key) ?? { firsts: [], rest }
    same.firsts.push(first)
    merged.set(key, same)
  }
  return [...merged.values()].map(({ firsts, rest }) => grantOf(grant, [...firsts, ...distinct(rest.flat())]))
}

/** Lists that are multiplied out cost what they give; one list is as long as it is. */
const MOST = 10_000

const product = (axes: ReadonlyArray<Atom>): ReadonlyArray<Atom> =>
  axes.reduce<ReadonlyArray<Atom>>(
    (made, axis) => made.flatMap((atom) => axis.map((option) => [...atom, option])),
    [[]]
  )

const isTooMuch = (axes: ReadonlyArray<ReadonlyArray<unknown>>): boolean =>
  axes.filter(({ length }) => length > 1).length > 1 &&
  axes.reduce((size, { length }) => size * length, 1) > MOST

/**
 * The elements of a grant; `undefined` where they are too many.
 *
 * @internal
 */
export const atomsOf = ({ name, scope }: Grant): ReadonlyArray<Atom> | undefined => {
  const keys = groups.find(({ of }) => of.test(name))?.keys ?? []
  const axes = keys.map((group) => optionsOf(scope, group))
  return isTooMuch(axes) ? undefined : product(axes)
}

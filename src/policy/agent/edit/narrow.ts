/**
 * What is left of a grant when something is taken from it. There is no way to write "all but": an element of its lists
 * goes as a whole or stays as a whole, and what would have to be cut in two is refused.
 */
import { Either } from "effect"
import type * as Catalog from "../../grant/Catalog.js"
import * as Grant from "../../grant/Grant.js"
import * as Authority from "../../lattice/Authority.js"
import { quote } from "../../text/Quote.js"
import { type Edit, given, type Opened, refuse } from "./open.js"

/** Keys of one group allow each by itself; groups must all allow. */
const groups: ReadonlyArray<{
  readonly of: RegExp
  readonly keys: ReadonlyArray<ReadonlyArray<Catalog.Key>>
}> = [
  { of: /^records\./, keys: [["classes"], ["paths"]] },
  { of: /^agent\./, keys: [["id", "ids", "paths"]] },
  { of: /^fs\./, keys: [["paths"]] },
  { of: /^net\./, keys: [["hosts"]] },
  { of: /^proc\./, keys: [["cmds", "patterns"]] }
]

type Option = readonly [key: Catalog.Key, value: string]

/** The elements of one group; a group of which nothing is written is one element that says nothing. */
const optionsOf = (
  scope: Grant.Scope,
  keys: ReadonlyArray<Catalog.Key>
): ReadonlyArray<Option | undefined> =>
  keys.every((key) => scope[key] === undefined)
    ? [undefined]
    : keys.flatMap((key) => [scope[key] ?? []].flat().map((value): Option => [key, value]))

const scopeOf = (root: string | undefined, options: ReadonlyArray<Option | undefined>): Grant.Scope => {
  const lists = new Map<string, string | Array<string>>(root === undefined ? [] : [["in", root]])
  for (const option of options) {
    if (option === undefined) continue
    const [key, value] = option
    const list = lists.get(key)
    if (key === "id") lists.set(key, value)
    else if (Array.isArray(list)) list.push(value)
    else lists.set(key, [value])
  }
  return Object.fromEntries(lists)
}

const distinct = (options: ReadonlyArray<Option | undefined>): ReadonlyArray<Option | undefined> => [
  ...new Map(options.map((option) => [JSON.stringify(option ?? null), option])).values()
]

type Atom = ReadonlyArray<Option | undefined>

/** Atoms as few grants: those that differ in their first element only are one. */
const regrouped = (grant: Grant.Grant, atoms: ReadonlyArray<Atom>): ReadonlyArray<Grant.Grant> => {
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
  return [...merged.values()].map(({ firsts, rest }) => ({
    ...grant,
    scope: scopeOf(grant.scope.in, [...firsts, ...distinct(rest.flat())])
  }))
}

const MOST = 10_000

const product = (axes: ReadonlyArray<ReadonlyArray<Option | undefined>>): ReadonlyArray<Atom> =>
  axes.reduce<ReadonlyArray<Atom>>(
    (made, axis) => made.flatMap((atom) => axis.map((option) => [...atom, option])),
    [[]]
  )

const cannot = (grant: Grant.Grant, line: number, revoked: Grant.Grant): Edit<never> => {
  const held = Grant.print(grant)
  return refuse(
    "STILL_ALLOWED",
    `${quote(held)} in line ${line} allows more than ${quote(Grant.print(revoked))}, and a grant cannot leave something out`,
    `revoke '${held}' and grant what is to stay`
  )
}

/** What stays of a grant, or `undefined` when nothing of it goes. */
export const without = (
  opened: Opened,
  { grant, line }: { readonly grant: Grant.Grant; readonly line: number },
  revoked: Grant.Grant,
  authority: Authority.Authority
): Edit<ReadonlyArray<Grant.Grant> | undefined> => {
  const whole = given(opened, grant)
  if (Authority.isNothing(Authority.meet(whole, authority))) return Either.right(undefined)
  if (Authority.within(whole, authority)) return Either.right([])
  const keys = groups.find(({ of }) => of.test(grant.name))?.keys ?? []
  const axes = keys.map((group) => optionsOf(grant.scope, group))
  if (axes.reduce((size, axis) => size * axis.length, 1) > MOST) return cannot(grant, line, revoked)
  const kept: Array<Atom> = []
  for (const atom of product(axes)) {
    const part = given(opened, { ...grant, scope: scopeOf(grant.scope.in, atom) })
    if (Authority.isNothing(Authority.meet(part, authority))) kept.push(atom)
    else if (!Authority.within(part, authority)) return cannot(grant, line, revoked)
  }
  return Either.right(regrouped(grant, kept))
}

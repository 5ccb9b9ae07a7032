/**
 * What is left of a grant when something is taken from it. There is no way to write "all but": an element of its lists
 * goes as a whole or stays as a whole, and what would have to be cut in two is refused.
 */
import { Either } from "effect"
import type * as Catalog from "../../grant/Catalog.js"
import * as Grant from "../../grant/Grant.js"
import { quote } from "../../text/Quote.js"
import { type Edit, type Opened, refuse } from "./open.js"
import { includes, overlapping, type Scopes, scopesOf } from "./overlap.js"

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

/** Lists that are multiplied out cost what they give; one list is as long as it is. */
const MOST = 10_000

const product = (axes: ReadonlyArray<ReadonlyArray<Option | undefined>>): ReadonlyArray<Atom> =>
  axes.reduce<ReadonlyArray<Atom>>(
    (made, axis) => made.flatMap((atom) => axis.map((option) => [...atom, option])),
    [[]]
  )

const isTooMuch = (axes: ReadonlyArray<ReadonlyArray<unknown>>): boolean =>
  axes.filter(({ length }) => length > 1).length > 1 &&
  axes.reduce((size, { length }) => size * length, 1) > MOST

const cannot = (grant: Grant.Grant, line: number, revoked: Grant.Grant): Edit<never> => {
  const held = Grant.print(grant)
  return refuse(
    "STILL_ALLOWED",
    `${quote(held)} in line ${line} allows more than ${quote(Grant.print(revoked))}, and a grant cannot leave something out`,
    `revoke '${held}' and grant what is to stay`
  )
}

/** A grant, and what of it is to go. */
export interface Touched {
  readonly grant: Grant.Grant
  readonly line: number
  readonly compiled: Grant.Compiled
  readonly goes: Scopes
}

/** What stays of a grant of which something goes. */
export const without = (
  { compile }: Opened,
  { compiled, goes, grant, line }: Touched,
  revoked: Grant.Grant
): Edit<ReadonlyArray<Grant.Grant>> => {
  if (includes(goes, scopesOf([compiled]))) return Either.right([])
  const keys = groups.find(({ of }) => of.test(grant.name))?.keys ?? []
  const axes = keys.map((group) => optionsOf(grant.scope, group))
  if (isTooMuch(axes)) return cannot(grant, line, revoked)
  const parts = product(axes).flatMap((atom) => {
    const part = { ...grant, scope: scopeOf(grant.scope.in, atom) }
    return Either.match(compile(part), {
      onLeft: () => [],
      onRight: (made) => [{ atom, compiled: made }]
    })
  })
  const touched = overlapping(parts, goes)
  if (touched.some(({ item, overlap }) => !includes(overlap, scopesOf([item.compiled])))) {
    return cannot(grant, line, revoked)
  }
  const gone = new Set(touched.map(({ item }) => item))
  return Either.right(
    regrouped(
      grant,
      parts.filter((part) => !gone.has(part)).map(({ atom }) => atom)
    )
  )
}

/** What is left of a record when something is taken from it, entry by entry. */
import { Either } from "effect"
import * as Catalog from "../../grant/Catalog.js"
import * as Grant from "../../grant/Grant.js"
import * as Authority from "../../lattice/Authority.js"
import type { Capability } from "../../lattice/Facets.js"
import { getOrSet } from "../../Memo.js"
import type { Entry } from "../entries.js"
import { type Touched, without } from "./narrow.js"
import type { Edit, Opened } from "./open.js"
import { overlapping } from "./overlap.js"
import { isBare } from "./revocation.js"
import { isListed, Settling } from "./settling.js"

interface Narrowed extends Pick<Settling, "fates" | "gone" | "listed"> {
  /** What is left of the shorthands. */
  readonly short: Opened["entries"]
  readonly touched: boolean
}

/** What of each entry goes, of those of which something does. */
const touchedBy = (
  { compile, entries }: Opened,
  authority: Authority.Authority
): ReadonlyMap<Entry, Touched> => {
  const groups = new Map<Capability, Array<Omit<Touched, "goes"> & { readonly entry: Entry }>>()
  for (const entry of entries) {
    const compiled = compile(entry.grant)
    if (Either.isLeft(compiled)) continue
    const { capability } = compiled.right
    getOrSet(groups, capability, () => []).push({ ...entry, entry, compiled: compiled.right })
  }
  return new Map(
    [...groups].flatMap(([capability, all]) =>
      overlapping(all, Authority.scopesOf(authority, capability)).map(
        ({ item, overlap }) => [item.entry, { ...item, goes: overlap }] as const
      )
    )
  )
}

export const narrowed = (
  opened: Opened,
  revoked: Grant.Grant,
  authority: Authority.Authority
): Edit<Narrowed> =>
  Either.gen(function* () {
    const settling = new Settling(opened)
    const short: Array<Entry> = []
    const isMeant = (name: string) => isBare(revoked) && (Catalog.aliases.get(name) ?? name) === revoked.name
    const misspelt = opened.file.misspelt.filter(({ name }) => isMeant(name))
    for (const { item, line } of misspelt) {
      settling.drop({ item, line, why: "it is called as what is revoked, and nobody can read it" })
    }
    const touches = touchedBy(opened, authority)
    const revokedKey = Grant.keyOf(revoked)
    let touched = misspelt.length > 0
    for (const entry of opened.entries) {
      const { grant } = entry
      const of = touches.get(entry)
      const isNamed = isMeant(grant.name) || Grant.keyOf(grant) === revokedKey
      const rest = isNamed ? [] : of === undefined ? undefined : yield* without(opened, of, revoked)
      touched ||= rest !== undefined
      const stay = rest ?? [grant]
      if (isListed(entry)) settling.add(entry, stay)
      else for (const one of stay) short.push({ ...entry, grant: one })
    }
    const { fates, gone, listed } = settling
    return { fates, gone, listed, short, touched }
  })

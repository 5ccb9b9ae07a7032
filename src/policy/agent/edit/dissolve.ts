/**
 * Shorthands written out. Where a sandbox goes, what took its root from there gets it for its own, and what it cut down
 * is written as it was cut: the record gives after it exactly what it gave before.
 */
import { Either } from "effect"
import * as Catalog from "../../grant/Catalog.js"
import * as Grant from "../../grant/Grant.js"
import * as Authority from "../../lattice/Authority.js"
import type { Entry } from "../entries.js"
import { equal, given, type Opened } from "./open.js"

export type Dissolved = "access" | "sandbox" | "default"

/** The keys that are written out. One that cannot be read stands for nothing, and stays for whoever mends it. */
export const removable = ({ file: { access, sandbox }, bound }: Opened): ReadonlySet<string> =>
  new Set([
    ...(access?.readable === true ? ["access"] : []),
    ...(sandbox !== undefined && bound.root?.nowhere !== true ? ["sandbox"] : [])
  ])

/** The root that all that follows takes from the workspace, once the record has no sandbox of its own. */
const afterwards = (opened: Opened): Opened => ({
  ...opened,
  bound: { ...opened.bound, own: undefined, root: opened.bound.common }
})

/** A grant as it must be written when the sandbox is gone; none, where it gave nothing and would then give something. */
export const settled = (opened: Opened, grant: Grant.Grant): ReadonlyArray<Grant.Grant> => {
  const { bound, places } = opened
  const { own } = bound
  const goes = own !== undefined && removable(opened).has("sandbox")
  if (!goes || Catalog.find(grant.name)?.needsRoot !== true) return [grant]
  if (grant.scope.in === undefined) return [{ ...grant, scope: { in: own.written, ...grant.scope } }]
  const before = given(opened, grant)
  if (equal(before, given(afterwards(opened), grant))) return [grant]
  const compiled = Grant.compile(grant, { ...places, bound: bound.root })
  return Authority.isNothing(before) || Either.isLeft(compiled) ? [] : [compiled.right.effective]
}

/** What shorthands stand for and the list does not give anyway. */
export const writtenOut = (
  opened: Opened,
  entries: ReadonlyArray<Entry>,
  listed: ReadonlyArray<Grant.Grant>
): ReadonlyArray<Grant.Grant> => {
  const keys = removable(opened)
  const short = entries.filter(({ from }) => from === "default" || keys.has(from))
  const held = Authority.joinAll(listed.map((grant) => given(opened, grant)))
  return short.map(({ grant }) => grant).filter((grant) => !Authority.within(given(opened, grant), held))
}

export const dissolvedIn = (opened: Opened): ReadonlyArray<Dissolved> => {
  const keys = removable(opened)
  return (["default", "access", "sandbox"] as const).filter((one) =>
    one === "default" ? opened.entries.some(({ from }) => from === one) : keys.has(one)
  )
}

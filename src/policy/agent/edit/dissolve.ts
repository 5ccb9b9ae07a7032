/**
 * Shorthands written out. Where a sandbox goes, what took its root from there gets it for its own, and what it cut down
 * is written as it was cut: the record gives after it exactly what it gave before.
 */
import { Either } from "effect"
import * as Catalog from "../../grant/Catalog.js"
import * as Grant from "../../grant/Grant.js"
import * as Authority from "../../lattice/Authority.js"
import type { Entry } from "../entries.js"
import { given, type Opened } from "./open.js"

export type Dissolved = "access" | "sandbox" | "default"

/** The keys that are written out. One that cannot be read stands for nothing, and stays for whoever mends it. */
export const removable = ({ file: { access, sandbox }, bound }: Opened): ReadonlySet<string> =>
  new Set([
    ...(access?.readable === true ? ["access"] : []),
    ...(sandbox !== undefined && bound.root?.nowhere !== true ? ["sandbox"] : [])
  ])

/**
 * A grant as it must be written when the sandbox is gone: with the root that it has now, whatever the workspace's is, for
 * that may be another tomorrow. None, where it lies outside of that root: it gives nothing, and must not come to life.
 */
export const settled = (opened: Opened, grant: Grant.Grant): ReadonlyArray<Grant.Grant> => {
  const { root } = opened.bound
  const goes = root !== undefined && removable(opened).has("sandbox")
  if (!goes || Catalog.find(grant.name)?.needsRoot !== true) return [grant]
  if (grant.scope.in === undefined) return [{ ...grant, scope: { in: root.written, ...grant.scope } }]
  const compiled = Grant.compile(grant, { ...opened.places, bound: root })
  if (Either.isLeft(compiled)) return []
  const { effective, inert, narrowed } = compiled.right
  if (inert?.reason === "outside the root") return []
  return narrowed === undefined ? [grant] : [effective]
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

/**
 * Shorthands written out. Where a sandbox goes, what took its root from there gets it for its own, and what it cut down
 * is written as it was cut: the record gives after it exactly what it gave before.
 */
import { Either } from "effect"
import * as Catalog from "../../grant/Catalog.js"
import type * as Grant from "../../grant/Grant.js"
import * as Authority from "../../lattice/Authority.js"
import type { Entry } from "../entries.js"
import { given, givenBy, type Opened } from "./open.js"

export type Dissolved = "access" | "sandbox" | "default"

/** The keys that are written out. One that cannot be read stands for nothing, and stays for whoever mends it. */
export const removable = ({ file: { access, sandbox }, bound }: Opened): ReadonlySet<string> =>
  new Set([
    ...(access?.readable === true ? ["access"] : []),
    ...(sandbox !== undefined && bound.root?.nowhere !== true ? ["sandbox"] : [])
  ])

/** A grant to write in the place of another, or why none is written. */
export type Settled = Either.Either<Grant.Grant, string>

/**
 * A grant as it must be written when the sandbox is gone: with the root that it has now, whatever the workspace's is, for
 * that may be another tomorrow. None, where it lies outside of that root: it gives nothing, and must not come to life.
 */
export const settled = (opened: Opened, grant: Grant.Grant): Settled => {
  const { root } = opened.bound
  const goes = root !== undefined && opened.file.sandbox !== undefined && root.nowhere !== true
  if (!goes || Catalog.find(grant.name)?.needsRoot !== true) return Either.right(grant)
  if (grant.scope.in === undefined) {
    return Either.right({ ...grant, scope: { in: root.written, ...grant.scope } })
  }
  const compiled = opened.compile(grant)
  if (Either.isLeft(compiled)) return Either.left(compiled.left.detail)
  const { effective, inert, narrowed } = compiled.right
  if (inert?.reason === "outside the root") return Either.left(inert.detail)
  return Either.right(narrowed === undefined ? grant : effective)
}

/** Those that are written. */
export const settledAll = (opened: Opened, grants: ReadonlyArray<Grant.Grant>): ReadonlyArray<Grant.Grant> =>
  grants.flatMap((grant) =>
    Either.getOrElse(
      Either.map(settled(opened, grant), (one) => [one]),
      () => []
    )
  )

/** What shorthands stand for and the list does not give anyway. */
export const writtenOut = (
  opened: Opened,
  entries: ReadonlyArray<Entry>,
  listed: ReadonlyArray<Grant.Grant>
): ReadonlyArray<Grant.Grant> => {
  const keys = removable(opened)
  const short = entries.filter(({ from }) => from === "default" || keys.has(from))
  if (short.length === 0) return []
  const held = givenBy(opened.compile, listed)
  return short.map(({ grant }) => grant).filter((grant) => !Authority.within(given(opened, grant), held))
}

export const dissolvedIn = (opened: Opened): ReadonlyArray<Dissolved> => {
  const keys = removable(opened)
  return (["default", "access", "sandbox"] as const).filter((one) =>
    one === "default" ? opened.entries.some(({ from }) => from === one) : keys.has(one)
  )
}

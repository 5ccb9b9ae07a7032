/** The files below a directory that may be read, in the order of their paths. Links are not followed. */
import { Effect } from "effect"
import type { Proof } from "../../../policy/gate/Proof.js"
import type * as Request from "../../../policy/lattice/Request.js"
import { entries, within } from "../disk/Directory.js"
import type { Disk } from "../disk/Disk.js"
import { join } from "../disk/Reality.js"
import { reads } from "./reach.js"

/** Not entered, unless the search starts at or inside one. */
export const ignored: ReadonlySet<string> = new Set([".git", "node_modules"])

export interface Candidate {
  readonly path: string
  /** Below the root of the search. */
  readonly segments: ReadonlyArray<string>
}

export interface Walked {
  readonly files: ReadonlyArray<Candidate>
  /** A limit was met before the end. */
  readonly cut: boolean
}

export const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const ignores = (root: string): ((name: string) => boolean) => {
  const inside = root.split("/").some((segment) => ignored.has(segment))
  return (name) => !inside && ignored.has(name)
}

export const walk = (disk: Disk, proof: Proof<Request.Scoped>, root: string): Effect.Effect<Walked> => {
  const skips = ignores(root)
  const files: Array<Candidate> = []
  let left = disk.limits.entries
  let cut = false

  const visit = (path: string, segments: ReadonlyArray<string>): Effect.Effect<void> =>
    Effect.gen(function* () {
      if (segments.length > disk.limits.depth) cut = true
      if (cut) return
      // What cannot be opened any more, or not by us, has no lines to find.
      const found = yield* Effect.orElseSucceed(
        within(disk, path, (directory) => entries(disk, directory, left)),
        () => []
      )
      if (found === undefined) {
        cut = true
        return
      }
      left -= found.length
      const sorted = found
        .map(({ kind, name }) => ({ kind, name, key: kind === "directory" ? `${name}/` : name }))
        .sort((a, b) => order(a.key, b.key))
      for (const { kind, name } of sorted) {
        const child = join(path, name)
        if ((kind === "directory" && skips(name)) || !reads(proof, child)) continue
        if (kind === "directory") yield* visit(child, [...segments, name])
        else if (kind === "file") files.push({ path: child, segments: [...segments, name] })
      }
    })
  return Effect.map(visit(root, []), () => ({ files, cut }))
}

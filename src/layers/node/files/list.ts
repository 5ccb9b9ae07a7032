/** The children of a directory, and what each is. */
import { Effect } from "effect"
import type { Files } from "../../../capabilities/files/Files.js"
import type { FilesError } from "../../../capabilities/files/FilesOperations.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import type * as Request from "../../../policy/lattice/Request.js"
import { type Entry, entries, within } from "../disk/Directory.js"
import type { Disk } from "../disk/Disk.js"
import { join } from "../disk/Reality.js"
import { fail, type Trouble } from "../disk/Trouble.js"
import { leadsOut } from "./links.js"
import { reads } from "./reach.js"
import { order } from "./walk.js"

const childrenAt = (disk: Disk, path: string): Effect.Effect<ReadonlyArray<Entry>, FilesError | Trouble> =>
  Effect.flatMap(
    within(disk, path, (directory) => entries(disk, directory, disk.limits.entries)),
    (found) =>
      found === undefined
        ? fail(
            "LIMIT_EXCEEDED",
            `a directory holds more than the ${disk.limits.entries} entries that are listed`
          )
        : Effect.succeed([...found].sort((a, b) => order(a.name, b.name)))
  )

export const listAt = (
  disk: Disk,
  path: string
): Effect.Effect<ReadonlyArray<string>, FilesError | Trouble> =>
  Effect.map(childrenAt(disk, path), (found) => found.map(({ name }) => name))

/** What may not be read is no more than a name, be it closed itself or a link to what is. */
export const entriesAt = (
  disk: Disk,
  proof: Proof<Request.Scoped>,
  path: string
): Effect.Effect<ReadonlyArray<Files.Entry>, FilesError | Trouble> => {
  const entryOf = ({ kind, name }: Entry): Effect.Effect<Files.Entry> => {
    const child = join(path, name)
    if (!reads(proof, child)) return Effect.succeed({ name, kind: "unreachable" })
    if (kind !== "link") return Effect.succeed({ name, kind })
    return Effect.map(leadsOut(proof, child), (out) => ({ name, kind: out ? "unreachable" : kind }))
  }
  return Effect.flatMap(childrenAt(disk, path), (found) => Effect.forEach(found, entryOf))
}

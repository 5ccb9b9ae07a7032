/** All that is in a directory, looked at through handles before any of it is touched. Links are not followed. */
import { Effect } from "effect"
import { FilesBackend } from "../../../capabilities/files/FilesBackend.js"
import { FilesError } from "../../../capabilities/files/FilesOperations.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import type * as Request from "../../../policy/lattice/Request.js"
import { type Directory, type Entry, entries, inside } from "../disk/Directory.js"
import type { Disk } from "../disk/Disk.js"
import type { Trouble } from "../disk/Trouble.js"

export interface Planned {
  readonly name: string
  /** `undefined` for what is not a directory. */
  readonly children: ReadonlyArray<Planned> | undefined
}

const tooMany = (disk: Disk, path: string): FilesError =>
  new FilesError({
    code: "LIMIT_EXCEEDED",
    detail: `${path} holds more than ${disk.limits.entries} entries, or lies deeper than ${disk.limits.depth} directories; do it in parts`
  })

export const plan = (
  disk: Disk,
  proof: Proof<Request.Scoped>,
  above: Directory,
  root: string,
  permit: (directory: Directory, entry: Entry) => Effect.Effect<unknown, FilesError | Trouble>
): Effect.Effect<Planned, FilesError | Trouble> => {
  let left = disk.limits.entries
  const visit = (
    directory: Directory,
    name: string,
    depth: number
  ): Effect.Effect<Planned, FilesError | Trouble> =>
    inside(disk, directory, name, (open) =>
      Effect.gen(function* () {
        const found = depth > disk.limits.depth ? undefined : yield* entries(disk, open, left)
        if (found === undefined) return yield* tooMany(disk, FilesBackend.pathOf(proof))
        left -= found.length
        const children: Array<Planned> = []
        for (const entry of found) {
          yield* permit(open, entry)
          children.push(
            entry.kind === "directory"
              ? yield* visit(open, entry.name, depth + 1)
              : { name: entry.name, children: undefined }
          )
        }
        return { name, children }
      })
    )
  return visit(above, root, 1)
}

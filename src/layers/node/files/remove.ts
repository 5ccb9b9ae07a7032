/**
 * Removing never follows a link: a link is removed itself. A directory is walked first, and nothing is removed
 * unless all that was found in it may be; what appears in it afterwards stays, and the directory with it.
 */
import * as fs from "node:fs"
import { Effect } from "effect"
import type { FilesError } from "../../../capabilities/files/FilesOperations.js"
import { below, change, type Directory, inside, split, within } from "../disk/Directory.js"
import { type Disk, lstat } from "../disk/Disk.js"
import { join } from "../disk/Reality.js"
import { Trouble } from "../disk/Trouble.js"
import type { Place } from "./links.js"
import { type Planned, plan } from "./plan.js"
import { also } from "./reach.js"

const missing = new Trouble("ENOENT")

const unlink = (disk: Disk, directory: Directory, name: string) =>
  change(disk, directory, (done) => fs.unlink(below(disk, directory, name), done))

const rmdir = (disk: Disk, directory: Directory, name: string) =>
  change(disk, directory, (done) => fs.rmdir(below(disk, directory, name), done))

const clear = (disk: Disk, directory: Directory, { children, name }: Planned): Effect.Effect<void, Trouble> =>
  Effect.catchIf(
    children === undefined
      ? unlink(disk, directory, name)
      : Effect.zipRight(
          inside(disk, directory, name, (open) =>
            Effect.forEach(children, (child) => clear(disk, open, child), { discard: true })
          ),
          rmdir(disk, directory, name)
        ),
    ({ code }) => code === "ENOENT",
    // Another removed it first.
    () => Effect.void
  )

export const removeAt = (
  disk: Disk,
  { proof }: Place,
  path: string,
  recursive: boolean
): Effect.Effect<void, FilesError | Trouble> => {
  const { above, name } = split(path)
  if (name === "") return Effect.fail(new Trouble("EBUSY"))
  return within(disk, above, (directory) =>
    Effect.gen(function* () {
      const stats = yield* lstat(below(disk, directory, name))
      if (stats === undefined) return yield* Effect.fail(missing)
      if (!stats.isDirectory()) return yield* unlink(disk, directory, name)
      if (!recursive) return yield* rmdir(disk, directory, name)
      const planned = yield* plan(disk, proof, directory, name, (open, entry) =>
        also(proof, "delete", join(open.path, entry.name))
      )
      yield* clear(disk, directory, planned)
    })
  )
}

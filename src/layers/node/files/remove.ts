/**
 * Removing never follows a link: a link is removed itself. A directory is walked first, and nothing is removed
 * unless all that was found in it may be; what appears in it afterwards stays, and the directory with it.
 */
import * as fs from "node:fs"
import { Effect } from "effect"
import { FilesBackend } from "../../../capabilities/files/FilesBackend.js"
import { FilesError } from "../../../capabilities/files/FilesOperations.js"
import { below, change, type Directory, entries, inside, split, within } from "../disk/Directory.js"
import { type Disk, lstat } from "../disk/Disk.js"
import { join } from "../disk/Reality.js"
import { Trouble } from "../disk/Trouble.js"
import type { Place } from "./links.js"
import { also } from "./reach.js"

interface Planned {
  readonly name: string
  /** `undefined` for what is not a directory. */
  readonly children: ReadonlyArray<Planned> | undefined
}

const missing = new Trouble("ENOENT")

const tooMany = (disk: Disk, path: string): FilesError =>
  new FilesError({
    code: "LIMIT_EXCEEDED",
    detail: `${path} holds more than ${disk.limits.entries} entries, or lies deeper than ${disk.limits.depth} directories; remove it in parts`
  })

const plan = (
  disk: Disk,
  { proof }: Place,
  above: Directory,
  root: string
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
          yield* also(proof, "delete", join(open.path, entry.name))
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
  place: Place,
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
      yield* clear(disk, directory, yield* plan(disk, place, directory, name))
    })
  )
}

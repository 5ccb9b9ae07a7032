import * as fs from "node:fs"
import { Effect } from "effect"
import type { FilesError } from "../../../capabilities/files/FilesOperations.js"
import { below, change, split, within } from "../disk/Directory.js"
import { type Disk, lstat } from "../disk/Disk.js"
import { elsewhere, Trouble } from "../disk/Trouble.js"
import type { Place } from "./links.js"
import { also } from "./reach.js"

const exists = new Trouble("EEXIST")

/** Others do not even look into it. */
const PRIVATE = 0o700

/** One directory, in one that is there. */
export const makeAt = (disk: Disk, path: string, isPrivate = false): Effect.Effect<void, Trouble> => {
  const { above, name } = split(path)
  if (name === "") return Effect.fail(exists)
  return within(disk, above, (directory) =>
    change(disk, directory, (done) =>
      fs.mkdir(below(disk, directory, name), isPrivate ? { mode: PRIVATE } : {}, done)
    )
  )
}

/** Something other than a directory is in the way: a link, which is followed, or a file. */
const blocked = (disk: Disk, path: string): Effect.Effect<never, Trouble> => {
  const { above, name } = split(path)
  return within(disk, above, (directory) =>
    Effect.flatMap(lstat(below(disk, directory, name)), (stats) =>
      Effect.fail(stats === undefined || stats.isSymbolicLink() ? elsewhere : exists)
    )
  )
}

/** A directory and those that are missing above it, each of which needs to be permitted. */
export const makeAllAt = (
  disk: Disk,
  { proof }: Place,
  path: string
): Effect.Effect<void, FilesError | Trouble> => {
  const ensure = (wanted: string): Effect.Effect<void, FilesError | Trouble> =>
    Effect.catchTag(
      within(disk, wanted, () => Effect.void),
      "Trouble",
      (trouble) => {
        if (wanted === path && trouble.code === "ENOTDIR") return blocked(disk, path)
        if (trouble.code !== "ENOENT" || wanted === "/") return Effect.fail(trouble)
        return Effect.gen(function* () {
          if (wanted !== path) yield* also(proof, "write", wanted)
          yield* ensure(split(wanted).above)
          yield* Effect.catchIf(
            makeAt(disk, wanted),
            ({ code }) => code === "EEXIST",
            // Another made it first, or it is a link that leads nowhere.
            () => within(disk, wanted, () => Effect.void)
          )
        })
      }
    )
  return ensure(path)
}

/** Directories below the records, each reached through the handle of the one above, so that no link takes part. */
import * as fs from "node:fs"
import { Effect } from "effect"
import { below, change, type Directory, inside, within } from "../disk/Directory.js"
import { act, type Disk } from "../disk/Disk.js"
import type { Trouble } from "../disk/Trouble.js"

/** So that a new name survives a crash; file systems that cannot do this say so, and it is no failure. */
export const settle = ({ fd }: Directory): Effect.Effect<void> =>
  Effect.ignore(act((done) => fs.fsync(fd, done)))

const make = (disk: Disk, directory: Directory, name: string): Effect.Effect<void, Trouble> =>
  Effect.zipRight(
    change(disk, directory, (done) => fs.mkdir(below(disk, directory, name), done)),
    settle(directory)
  )

const enter = <A, E>(
  disk: Disk,
  directory: Directory,
  name: string,
  use: (directory: Directory) => Effect.Effect<A, E | Trouble>
): Effect.Effect<A, E | Trouble> =>
  Effect.zipRight(
    Effect.catchIf(
      inside(disk, directory, name, () => Effect.void),
      ({ code }) => code === "ENOENT",
      () =>
        Effect.catchIf(
          make(disk, directory, name),
          // Another made it first.
          ({ code }) => code === "EEXIST",
          () => Effect.void
        )
    ),
    inside(disk, directory, name, use)
  )

/** A directory below the root, made if need be. */
export const folder = <A, E>(
  disk: Disk,
  root: string,
  segments: ReadonlyArray<string>,
  use: (directory: Directory) => Effect.Effect<A, E | Trouble>
): Effect.Effect<A, E | Trouble> => {
  const descend = (
    directory: Directory,
    [name, ...rest]: ReadonlyArray<string>
  ): Effect.Effect<A, E | Trouble> =>
    name === undefined ? use(directory) : enter(disk, directory, name, (next) => descend(next, rest))
  return within(disk, root, (directory) => descend(directory, segments))
}

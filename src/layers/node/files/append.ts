/**
 * What is added to a file goes into it with one call of the system, so that two who add at once do not mix. The file is
 * the one that was checked, and has no other name under which it would change too.
 */
import * as fs from "node:fs"
import { Effect } from "effect"
import type { FilesError } from "../../../capabilities/files/FilesOperations.js"
import { sharedFile } from "../../files/Moved.js"
import { below, type Directory, settled, split, verified, within } from "../disk/Directory.js"
import { APPEND, act, CREATE, call, close, type Disk } from "../disk/Disk.js"
import { elsewhere, Trouble } from "../disk/Trouble.js"
import { writeAll } from "./write.js"

const PERMISSIONS = 0o777

/** To run with its owner's rights is taken from a file that is written, from root too. */
const SET_ID = 0o6000

const isMissing = ({ code }: Trouble): boolean => code === "ENOENT"
const isThere = ({ code }: Trouble): boolean => code === "EEXIST"

/** A new file in a directory that was not moved meanwhile; in one that was, it does not stay. */
const make = (
  disk: Disk,
  directory: Directory,
  path: string,
  name: string
): Effect.Effect<number, Trouble> => {
  const at = below(disk, directory, name)
  return Effect.zipRight(
    settled(disk, directory),
    Effect.tapError(verified(disk, at, CREATE | fs.constants.O_APPEND, path), ({ code }) =>
      code === "ELSEWHERE" ? Effect.ignore(act((done) => fs.unlink(at, done))) : Effect.void
    )
  )
}

/** What is at a name, or a new file there; a link is not opened. */
const open = (
  disk: Disk,
  directory: Directory,
  path: string,
  name: string
): Effect.Effect<number, Trouble> => {
  const existing = verified(disk, below(disk, directory, name), APPEND, path)
  return existing.pipe(
    Effect.catchIf(isMissing, () => make(disk, directory, path, name)),
    // Another made it first.
    Effect.catchIf(isThere, () => existing),
    Effect.catchIf(
      ({ code }) => code === "ELOOP" || code === "EMLINK",
      () => Effect.fail(elsewhere)
    )
  )
}

const add = (fd: number, path: string, content: Uint8Array): Effect.Effect<void, FilesError | Trouble> =>
  Effect.gen(function* () {
    const stats = yield* call<fs.Stats>((done) => fs.fstat(fd, done))
    if (!stats.isFile()) return yield* Effect.fail(new Trouble("SPECIAL"))
    if (stats.nlink > 1) return yield* sharedFile(path)
    // What nobody may write is not written by root either, who is never refused.
    if ((stats.mode & 0o222) === 0) return yield* Effect.fail(new Trouble("EACCES"))
    if ((stats.mode & SET_ID) !== 0) {
      yield* act((done) => fs.fchmod(fd, stats.mode & PERMISSIONS, done))
    }
    yield* writeAll(fd, content, content.length)
  })

export const appendAt = (
  disk: Disk,
  path: string,
  content: Uint8Array
): Effect.Effect<void, FilesError | Trouble> => {
  const { above, name } = split(path)
  if (name === "") return Effect.fail(new Trouble("EISDIR"))
  return within(disk, above, (directory) =>
    Effect.acquireUseRelease(open(disk, directory, path, name), (fd) => add(fd, path, content), close)
  )
}

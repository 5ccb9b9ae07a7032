/**
 * A file appears whole or not at all: it is written under another name in the directory that was checked, and takes
 * the place of the old one through the handle of that directory.
 */
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import { Effect } from "effect"
import type { FilesError } from "../../../capabilities/files/FilesOperations.js"
import { below, change, type Directory, settled, split, within } from "../disk/Directory.js"
import { act, CREATE, call, close, type Disk, lstat } from "../disk/Disk.js"
import { elsewhere, Trouble } from "../disk/Trouble.js"
import { putExclusively } from "./exclusively.js"

/** A fiber can be interrupted between two of them. */
const CHUNK = 1024 * 1024

/** Who may use the file stays; that it runs with its owner's rights does not, as when it is written in place. */
const PERMISSIONS = 0o777

export const writeAll = (
  fd: number,
  content: Uint8Array,
  most = CHUNK,
  written = 0
): Effect.Effect<void, Trouble> =>
  written >= content.length
    ? Effect.void
    : Effect.flatMap(
        call<number>((done) =>
          fs.write(fd, content, written, Math.min(most, content.length - written), null, done)
        ),
        (count) => writeAll(fd, content, most, written + count)
      )

const dress = (fd: number, old: fs.Stats): Effect.Effect<void, Trouble> =>
  Effect.zipRight(
    // Only a privileged process can give a file away; for all others it is theirs from now on.
    Effect.ignore(act((done) => fs.fchown(fd, old.uid, old.gid, done))),
    act((done) => fs.fchmod(fd, old.mode & PERMISSIONS, done))
  )

/** Writes a file under another name and has it put in its place; of what fails nothing is left. */
const beside = (
  disk: Disk,
  directory: Directory,
  content: Uint8Array,
  old: fs.Stats | undefined,
  put: (temporary: string) => Effect.Effect<void, Trouble>
): Effect.Effect<void, Trouble> => {
  const temporary = below(disk, directory, `.${randomBytes(12).toString("hex")}.tmp`)
  return Effect.acquireUseRelease(
    call<number>((done) => fs.open(temporary, CREATE, old === undefined ? 0o666 : 0o600, done)),
    (fd) =>
      Effect.gen(function* () {
        yield* writeAll(fd, content)
        if (old !== undefined) yield* dress(fd, old)
        yield* act((done) => fs.fsync(fd, done))
        yield* put(temporary)
        // So that the new name survives a crash; file systems that cannot do this say so, and it is no failure.
        yield* Effect.ignore(act((done) => fs.fsync(directory.fd, done)))
      }),
    (fd, exit) =>
      Effect.zipRight(
        close(fd),
        exit._tag === "Success" ? Effect.void : Effect.ignore(act((done) => fs.unlink(temporary, done)))
      )
  )
}

/** Why what is at a name does not give way to a file. */
export const occupied = (
  disk: Disk,
  directory: Directory,
  name: string,
  old: fs.Stats
): Effect.Effect<void, Trouble> => {
  if (!old.isFile()) return Effect.fail(new Trouble(old.isDirectory() ? "EISDIR" : "SPECIAL"))
  // Taking the place of a file needs no right to write it, but to write it does; and what nobody may write is not
  // replaced for root either, who is never refused.
  if ((old.mode & 0o222) === 0) return Effect.fail(new Trouble("EACCES"))
  return act((done) => fs.access(below(disk, directory, name), fs.constants.W_OK, done))
}

export const writeAt = (
  disk: Disk,
  path: string,
  content: Uint8Array
): Effect.Effect<void, FilesError | Trouble> => {
  const { above, name } = split(path)
  if (name === "") return Effect.fail(new Trouble("EISDIR"))
  return within(disk, above, (directory) =>
    Effect.gen(function* () {
      const old = yield* lstat(below(disk, directory, name))
      if (old?.isSymbolicLink() === true) return yield* Effect.fail(elsewhere)
      if (old !== undefined) yield* occupied(disk, directory, name, old)
      yield* beside(disk, directory, content, old, (temporary) =>
        change(disk, directory, (done) => fs.rename(temporary, below(disk, directory, name), done))
      )
    })
  )
}

/** A file where nothing is, not even a link. */
export const createAt = (
  disk: Disk,
  path: string,
  content: Uint8Array
): Effect.Effect<void, FilesError | Trouble> => {
  const { above, name } = split(path)
  if (name === "") return Effect.fail(new Trouble("EEXIST"))
  return within(disk, above, (directory) =>
    Effect.gen(function* () {
      if ((yield* lstat(below(disk, directory, name))) !== undefined) {
        return yield* Effect.fail(new Trouble("EEXIST"))
      }
      yield* beside(disk, directory, content, undefined, (temporary) =>
        Effect.zipRight(settled(disk, directory), putExclusively(temporary, below(disk, directory, name)))
      )
    })
  )
}

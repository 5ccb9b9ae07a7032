/**
 * A text appears whole or not at all: it is written and brought to the disk under another name, and only then takes
 * its own. What a killed process leaves behind starts with a dot, and is cleared away by a later write.
 */
import * as fs from "node:fs"
import { Effect } from "effect"
import { below, change, type Directory, entries } from "../disk/Directory.js"
import { act, CREATE, call, close, type Disk, lstat } from "../disk/Disk.js"
import * as Owner from "../disk/Owner.js"
import { elsewhere, Trouble } from "../disk/Trouble.js"
import { settle } from "./Folders.js"

const TEMPORARY = new RegExp(`^\\.(${Owner.NAME.source})\\.tmp$`)

/** What cannot be known to be abandoned is left for so long. */
const HOUR = 3_600_000

const PERMISSIONS = 0o777

const writeAll = (fd: number, content: Uint8Array, written = 0): Effect.Effect<void, Trouble> =>
  written >= content.length
    ? Effect.void
    : Effect.flatMap(
        call<number>((done) => fs.write(fd, content, written, content.length - written, null, done)),
        (count) => writeAll(fd, content, written + count)
      )

/** Who may use the file stays as it was. */
const dress = (fd: number, old: fs.Stats): Effect.Effect<void, Trouble> =>
  Effect.zipRight(
    // Only a privileged process can give a file away; for all others it is theirs from now on.
    Effect.ignore(act((done) => fs.fchown(fd, old.uid, old.gid, done))),
    act((done) => fs.fchmod(fd, old.mode & PERMISSIONS, done))
  )

/** Writes the text under a name of no record, and has it put in place from there. */
const prepared = (
  disk: Disk,
  directory: Directory,
  text: string,
  old: fs.Stats | undefined,
  place: (temporary: string) => Effect.Effect<void, Trouble>
): Effect.Effect<void, Trouble> => {
  const temporary = below(disk, directory, `.${Owner.name()}.tmp`)
  const clear = Effect.ignore(act((done) => fs.unlink(temporary, done)))
  return Effect.acquireUseRelease(
    call<number>((done) => fs.open(temporary, CREATE, old === undefined ? 0o666 : 0o600, done)),
    (fd) =>
      Effect.gen(function* () {
        yield* writeAll(fd, Buffer.from(text))
        if (old !== undefined) yield* dress(fd, old)
        yield* act((done) => fs.fsync(fd, done))
        yield* place(temporary)
      }),
    // After a rename there is nothing left under that name.
    (fd) => Effect.zipRight(close(fd), clear)
  )
}

/** File systems without a second name for a file. */
const LINKLESS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])

/** Fails with `EEXIST` when the name is taken. */
export const createIn = (
  disk: Disk,
  directory: Directory,
  name: string,
  text: string
): Effect.Effect<void, Trouble> => {
  const target = below(disk, directory, name)
  const renamed = (temporary: string) =>
    Effect.flatMap(lstat(target), (there) =>
      there === undefined
        ? change(disk, directory, (done) => fs.rename(temporary, target, done))
        : Effect.fail(new Trouble("EEXIST"))
    )
  return Effect.zipRight(
    prepared(disk, directory, text, undefined, (temporary) =>
      Effect.catchIf(
        // Unlike a rename, a link never takes the place of what is there.
        change(disk, directory, (done) => fs.link(temporary, target, done)),
        ({ code }) => LINKLESS.has(code),
        () => renamed(temporary)
      )
    ),
    settle(directory)
  )
}

/** What nobody may write is not replaced for root either, who is never refused. */
const writable = (target: string): Effect.Effect<fs.Stats, Trouble> =>
  Effect.gen(function* () {
    const old = yield* lstat(target)
    if (old === undefined) return yield* Effect.fail(new Trouble("ENOENT"))
    if (old.isSymbolicLink()) return yield* Effect.fail(elsewhere)
    if (!old.isFile()) return yield* Effect.fail(new Trouble("SPECIAL"))
    if ((old.mode & 0o222) === 0) return yield* Effect.fail(new Trouble("EACCES"))
    return old
  })

export const replaceIn = (
  disk: Disk,
  directory: Directory,
  name: string,
  text: string
): Effect.Effect<void, Trouble> => {
  const target = below(disk, directory, name)
  return Effect.gen(function* () {
    const old = yield* writable(target)
    yield* prepared(disk, directory, text, old, (temporary) =>
      change(disk, directory, (done) => fs.rename(temporary, target, done))
    )
    yield* settle(directory)
  })
}

const isLeftOver = (path: string, owner: string): Effect.Effect<boolean, Trouble> => {
  const ended = Owner.hasEnded(owner)
  if (ended !== undefined) return Effect.succeed(ended)
  return Effect.map(lstat(path), (stats) => stats !== undefined && Date.now() - stats.mtimeMs > HOUR)
}

/** Clears away what writers that have ended left in a directory. */
export const tidy = (disk: Disk, directory: Directory): Effect.Effect<void, Trouble> =>
  Effect.flatMap(entries(disk, directory, Number.POSITIVE_INFINITY), (found) =>
    Effect.forEach(
      found ?? [],
      ({ name }) => {
        const owner = TEMPORARY.exec(name)?.[1]
        if (owner === undefined) return Effect.void
        const path = below(disk, directory, name)
        return Effect.flatMap(isLeftOver(path, owner), (leftOver) =>
          leftOver ? Effect.ignore(act((done) => fs.unlink(path, done))) : Effect.void
        )
      },
      { discard: true }
    )
  )

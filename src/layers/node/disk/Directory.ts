/** An open directory that was at its path when it was opened, and through which its entries are reached. */
import * as fs from "node:fs"
import { Effect } from "effect"
import { act, call, close, type Disk, READ_DIRECTORY } from "./Disk.js"
import { join } from "./Reality.js"
import { elsewhere, Trouble } from "./Trouble.js"

export interface Directory {
  readonly fd: number
  readonly path: string
}

export interface Entry {
  readonly name: string
  readonly kind: "file" | "directory" | "link" | "other"
}

/** Why an open descriptor may not be used as the path that it was opened for. */
const misplaced = ({ reality }: Disk, fd: number, path: string): Trouble | undefined => {
  try {
    return reality.isAt(fd, path) ? undefined : elsewhere
  } catch (error) {
    return error instanceof Trouble ? error : elsewhere
  }
}

/** Opens, and hands over only what is where it should be. */
export const verified = (
  disk: Disk,
  from: string,
  flags: number,
  path: string
): Effect.Effect<number, Trouble> =>
  Effect.flatMap(
    call<number>((done) => fs.open(from, flags, done)),
    (fd) => {
      const trouble = misplaced(disk, fd, path)
      return trouble === undefined ? Effect.succeed(fd) : Effect.zipRight(close(fd), Effect.fail(trouble))
    }
  )

const opened = <A, E>(
  disk: Disk,
  from: string,
  path: string,
  use: (directory: Directory) => Effect.Effect<A, E>
): Effect.Effect<A, E | Trouble> =>
  Effect.acquireUseRelease(
    verified(disk, from, READ_DIRECTORY, path),
    (fd) => use({ fd, path }),
    (fd) => close(fd)
  )

export const within = <A, E>(
  disk: Disk,
  path: string,
  use: (directory: Directory) => Effect.Effect<A, E>
): Effect.Effect<A, E | Trouble> => opened(disk, path, path, use)

export const below = (disk: Disk, { fd, path }: Directory, name: string): string =>
  disk.reality.below(fd, path, name)

/** A directory in a directory, reached through its handle. */
export const inside = <A, E>(
  disk: Disk,
  directory: Directory,
  name: string,
  use: (directory: Directory) => Effect.Effect<A, E>
): Effect.Effect<A, E | Trouble> =>
  opened(disk, below(disk, directory, name), join(directory.path, name), use)

/** Fails unless a directory is still where it was when it was opened. */
export const settled = (disk: Disk, { fd, path }: Directory): Effect.Effect<void, Trouble> =>
  Effect.suspend(() => {
    const trouble = misplaced(disk, fd, path)
    return trouble === undefined ? Effect.void : Effect.fail(trouble)
  })

/** A change to an entry; the directory must not have been moved since it was opened. */
export const change = (
  disk: Disk,
  directory: Directory,
  run: (done: (error: Error | null) => void) => void
): Effect.Effect<void, Trouble> => Effect.zipRight(settled(disk, directory), act(run))

/** The directory above a path, and the name in it. */
export const split = (path: string): { readonly above: string; readonly name: string } => {
  const at = path.lastIndexOf("/")
  return { above: at === 0 ? "/" : path.slice(0, at), name: path.slice(at + 1) }
}

const kindOf = (entry: fs.Dirent): Entry["kind"] =>
  entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "other"

/** `undefined` when there are more than the limit. */
export const entries = (
  disk: Disk,
  directory: Directory,
  limit: number
): Effect.Effect<ReadonlyArray<Entry> | undefined, Trouble> =>
  Effect.acquireUseRelease(
    call<fs.Dir>((done) => fs.opendir(below(disk, directory, "."), { bufferSize: 512 }, done)),
    (open) =>
      call<ReadonlyArray<Entry> | undefined>((done) => {
        const found: Array<Entry> = []
        const next = (): void =>
          open.read((error, entry) => {
            if (error !== null) return done(error, undefined)
            if (entry === null) return done(null, found)
            if (found.length === limit) return done(null, undefined)
            found.push({ name: entry.name, kind: kindOf(entry) })
            next()
          })
        next()
      }),
    (open) => Effect.ignore(act((done) => open.close(done)))
  )

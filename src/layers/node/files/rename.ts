/**
 * A move is one call of the system between two directories that are held open. What arrives must be what was checked; if it
 * is something else, it goes back.
 */
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import { Effect } from "effect"
import type { FilesBackend } from "../../../capabilities/files/FilesBackend.js"
import type { FilesError } from "../../../capabilities/files/FilesOperations.js"
import { fixedLink, staysInside } from "../../files/Moved.js"
import { below, type Directory, type Entry, settled, split, within } from "../disk/Directory.js"
import { act, call, type Disk, lstat } from "../disk/Disk.js"
import * as Kept from "../disk/Kept.js"
import { join } from "../disk/Reality.js"
import { elsewhere, fail, kept, Trouble } from "../disk/Trouble.js"
import { putExclusively } from "./exclusively.js"
import { located } from "./links.js"
import { plan } from "./plan.js"
import { moves } from "./reach.js"
import { occupied } from "./write.js"

type Proofs = Parameters<FilesBackend.Service["rename"]>[0]
type Options = Parameters<FilesBackend.Service["rename"]>[1]

interface Place {
  readonly directory: Directory
  readonly name: string
  readonly path: string
}

interface Source extends Place {
  readonly stats: fs.Stats
}

const isSame = (a: fs.Stats | undefined, b: fs.Stats): boolean => a?.dev === b.dev && a.ino === b.ino

/** All that is in a directory may be moved with it, and no link of it leads elsewhere afterwards. */
const wholeTree = (
  disk: Disk,
  proofs: Proofs,
  { directory, name, path }: Source,
  target: string
): Effect.Effect<unknown, FilesError | Trouble> => {
  const permit = (open: Directory, entry: Entry): Effect.Effect<unknown, FilesError | Trouble> =>
    Effect.gen(function* () {
      const child = join(open.path, entry.name)
      yield* moves(proofs, child, `${target}${child.slice(path.length)}`)
      if (entry.kind !== "link") return
      const leads = yield* call<string>((done) => fs.readlink(below(disk, open, entry.name), done))
      if (!staysInside(path, child, leads)) yield* fixedLink(child)
    })
  return plan(disk, proofs.from, directory, name, permit)
}

const permitted = (
  disk: Disk,
  proofs: Proofs,
  options: Options,
  source: Source,
  target: string
): Effect.Effect<unknown, FilesError | Trouble> =>
  Effect.gen(function* () {
    yield* moves(proofs, source.path, target)
    if (!source.stats.isDirectory()) return
    if (target.startsWith(`${source.path}/`)) {
      return yield* fail("FILES_FAILED", `${source.path} cannot be moved into itself`)
    }
    yield* options.directory(source.path, target)
    if (Kept.hasBelow(source.path)) yield* kept(proofs.from, "delete", source.path, "it holds what is kept")
    if (Kept.hasBelow(target)) yield* kept(proofs.to, "write", target, "it holds what is kept")
    yield* wholeTree(disk, proofs, source, target)
  })

/** What went somewhere that it was not checked for goes back, and if its name is taken, beside it. */
const putBack = (disk: Disk, source: Source, at: string): Effect.Effect<never, Trouble> =>
  Effect.gen(function* () {
    const home = below(disk, source.directory, source.name)
    const taken = yield* lstat(home)
    const beside = below(disk, source.directory, `.${randomBytes(12).toString("hex")}.tmp`)
    const to = (path: string) => act((done) => fs.rename(at, path, done))
    // What takes the name in this moment is perhaps nothing that can be replaced.
    yield* taken === undefined ? Effect.orElse(to(home), () => to(beside)) : to(beside)
    return yield* Effect.fail(elsewhere)
  })

const gone = new Trouble("ENOENT")
const taken = new Trouble("EEXIST")

/**
 * Between what is moved and what goes back comes no other move of this program: it would take that for what it was asked to
 * move, and put it back where it found it.
 */
const alone = Effect.unsafeMakeSemaphore(1)

/** The step itself. What is wrong with the source is no trouble of the target, and answered. */
const step = (
  disk: Disk,
  source: Source,
  target: Place,
  isExclusive: boolean
): Effect.Effect<Trouble | undefined, Trouble> =>
  Effect.gen(function* () {
    const [from, to] = [
      below(disk, source.directory, source.name),
      below(disk, target.directory, target.name)
    ]
    const moved = yield* Effect.either(settled(disk, source.directory))
    if (moved._tag === "Left") return moved.left
    yield* settled(disk, target.directory)
    const done = yield* Effect.either(
      isExclusive ? putExclusively(from, to) : act((called) => fs.rename(from, to, called))
    )
    if (done._tag === "Left") return done.left.code === "ENOENT" ? gone : yield* Effect.fail(done.left)
    const arrived = yield* lstat(to)
    if (arrived !== undefined && !isSame(arrived, source.stats)) {
      return yield* Effect.catchAll(putBack(disk, source, to), (trouble) => Effect.succeed(trouble))
    }
    return undefined
  }).pipe(alone.withPermits(1), Effect.uninterruptible)

const into = (
  disk: Disk,
  source: Source,
  path: string,
  { replace }: Options
): Effect.Effect<Trouble | undefined, Trouble> => {
  const { above, name } = split(path)
  if (name === "") return Effect.fail(taken)
  return within(disk, above, (directory) =>
    Effect.gen(function* () {
      const old = yield* lstat(below(disk, directory, name))
      if (old !== undefined) {
        if (source.stats.isDirectory() || !replace) return yield* Effect.fail(taken)
        if (!old.isSymbolicLink()) yield* occupied(disk, directory, name, old)
        // Two names of one file: the system would keep both.
        if (isSame(old, source.stats)) {
          yield* act((done) => fs.unlink(below(disk, source.directory, source.name), done))
          return undefined
        }
      }
      const isExclusive = !replace && !source.stats.isDirectory()
      return yield* step(disk, source, { directory, name, path }, isExclusive)
    })
  )
}

const held = <A, E>(
  disk: Disk,
  path: string,
  use: (source: Source) => Effect.Effect<A, E>
): Effect.Effect<A, E | FilesError | Trouble> => {
  const { above, name } = split(path)
  if (name === "") return Effect.fail(new Trouble("EBUSY"))
  return within(disk, above, (directory) =>
    Effect.gen(function* () {
      const stats = yield* lstat(below(disk, directory, name))
      if (stats === undefined) return yield* Effect.fail(gone)
      if (stats.isSymbolicLink()) return yield* fixedLink(path)
      if (!stats.isFile() && !stats.isDirectory()) return yield* Effect.fail(new Trouble("SPECIAL"))
      return yield* use({ directory, name, path, stats })
    })
  )
}

/** Troubles of the source are answered, so that the target is not blamed for them. */
const attempt = (
  disk: Disk,
  proofs: Proofs,
  options: Options,
  source: Source,
  to: string
): Effect.Effect<Trouble | undefined, FilesError | Trouble> =>
  Effect.gen(function* () {
    if (to === source.path) return undefined
    const checked = yield* Effect.either(permitted(disk, proofs, options, source, to))
    if (checked._tag === "Right") return yield* into(disk, source, to, options)
    return checked.left._tag === "Trouble" ? checked.left : yield* checked.left
  })

export const rename = (disk: Disk, proofs: Proofs, options: Options): Effect.Effect<void, FilesError> =>
  located({ proof: proofs.from, verb: "delete", leaf: "keep" }, (from) =>
    held(disk, from, (source) =>
      Effect.flatMap(
        located({ proof: proofs.to, verb: "write", leaf: "keep" }, (to) =>
          attempt(disk, proofs, options, source, to)
        ),
        (trouble) => (trouble === undefined ? Effect.void : Effect.fail(trouble))
      )
    )
  )

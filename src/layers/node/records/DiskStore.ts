/** Texts as files. A record `notes/today` is `notes/today.md`; what starts with a dot is never a record. */
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import { Clock, Effect } from "effect"
import type { RecordsError } from "../../../capabilities/records/RecordsOperations.js"
import { Index } from "../../../capabilities/records/store/RecordIndex.js"
import type { Look, Store } from "../../../capabilities/records/store/RecordStore.js"
import { missing } from "../../../capabilities/records/store/Refusals.js"
import { MAX_BYTES } from "../../../capabilities/records/store/Texts.js"
import { below, change, type Directory } from "../disk/Directory.js"
import type { Disk } from "../disk/Disk.js"
import { readAt } from "../disk/Read.js"
import { join } from "../disk/Reality.js"
import { Trouble } from "../disk/Trouble.js"
import { folder, settle } from "./Folders.js"
import { exclusively } from "./Lock.js"
import { root } from "./root.js"
import { Sweep } from "./sweep.js"
import { decode, inWords, type Way } from "./trouble.js"
import { createIn, replaceIn, tidy } from "./write.js"

export const LOCKS = ".lock"
const TRASH = ".trash"

/** What the store keeps beside the records, for itself. */
export const own: ReadonlyArray<string> = [LOCKS, TRASH]

/** Writers of one process wait here for each other, and only the first of them in the directory of locks. */
const QUEUES = 64

interface Named extends Way {
  readonly folders: ReadonlyArray<string>
  readonly stem: string
}

const named = (id: string, root: string): Named => {
  const folders = id.split("/")
  const stem = folders.pop() ?? ""
  return { id, root, path: join(root, `${id}.md`), folders, stem }
}

const worded =
  (way: Way) =>
  <A>(effect: Effect.Effect<A, RecordsError | Trouble>): Effect.Effect<A, RecordsError> =>
    Effect.catchTag(effect, "Trouble", (trouble) => Effect.fail(inWords(way, trouble)))

/** A directory that cannot be entered or made, because something else is there. */
const blocked = <A>(
  effect: Effect.Effect<A, RecordsError | Trouble>
): Effect.Effect<A, RecordsError | Trouble> =>
  Effect.catchIf(
    effect,
    (error): error is Trouble => error._tag === "Trouble" && error.code === "ENOTDIR",
    () => Effect.fail(new Trouble("BLOCKED"))
  )

const textAt = (disk: Disk, path: string): Effect.Effect<string, Trouble> =>
  Effect.flatMap(readAt(disk, path, {}, MAX_BYTES), (bytes) => {
    const text = decode(bytes)
    return text === undefined ? Effect.fail(new Trouble("NOT_TEXT")) : Effect.succeed(text)
  })

const queueOf = (id: string): number => {
  let sum = 0
  for (let i = 0; i < id.length; i++) sum = (sum * 31 + id.charCodeAt(i)) | 0
  return Math.abs(sum) % QUEUES
}

/** A name that no earlier one had: what was removed before is never replaced. */
const trashName = (stem: string): Effect.Effect<string> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const stamp = new Date(now).toISOString().replace(/[-:.]/g, "")
    return `${stem}.${stamp}.${randomBytes(6).toString("hex")}.md`
  })

export const store = (disk: Disk, directory: string): Store => {
  const place = root(directory)
  const index = new Index()
  const sweep = new Sweep(disk, index)
  const sweeping = Effect.unsafeMakeSemaphore(1)
  const queues = Array.from({ length: QUEUES }, () => Effect.unsafeMakeSemaphore(1))
  const tidied = new Set<string>()

  const tidyOnce = (open: Directory): Effect.Effect<void> =>
    tidied.has(open.path)
      ? Effect.void
      : Effect.zipRight(
          Effect.sync(() => tidied.add(open.path)),
          Effect.ignore(tidy(disk, open))
        )

  const locked = <A>(
    way: Named,
    use: Effect.Effect<A, RecordsError | Trouble>
  ): Effect.Effect<A, RecordsError> => {
    const alone = folder(disk, way.root, [LOCKS], (locks) => exclusively(disk, locks, way.id, use))
    const queue = queues[queueOf(way.id)]
    return worded(way)(queue === undefined ? alone : queue.withPermits(1)(alone))
  }

  const inFolder = (way: Named, use: (open: Directory) => Effect.Effect<void, Trouble>) =>
    blocked(folder(disk, way.root, way.folders, (open) => Effect.zipRight(tidyOnce(open), use(open))))

  /** What is there, if it is what was permitted. */
  const looked = (way: Named, look: Look): Effect.Effect<unknown, RecordsError | Trouble> =>
    Effect.flatMap(textAt(disk, way.path), look)

  const there = <A>(id: string, use: (way: Named) => Effect.Effect<A, RecordsError>) =>
    Effect.flatMap(place.found, (root) =>
      root === undefined ? Effect.fail(missing(id)) : use(named(id, root))
    )

  const toTrash = (way: Named, from: Directory): Effect.Effect<void, Trouble> =>
    Effect.flatMap(trashName(way.stem), (name) =>
      folder(disk, way.root, [TRASH, ...way.folders], (trash) =>
        Effect.gen(function* () {
          yield* change(disk, from, (done) =>
            fs.rename(below(disk, from, `${way.stem}.md`), below(disk, trash, name), done)
          )
          yield* settle(trash)
          yield* settle(from)
        })
      )
    )

  return {
    read: (id) => there(id, (way) => worded(way)(textAt(disk, way.path))),
    create: (id, text) =>
      Effect.flatMap(place.made, (root) => {
        const way = named(id, root)
        return locked(
          way,
          inFolder(way, (open) => createIn(disk, open, `${way.stem}.md`, text))
        )
      }),
    replace: (id, text, look) =>
      there(id, (way) =>
        locked(
          way,
          Effect.zipRight(
            looked(way, look),
            inFolder(way, (open) => replaceIn(disk, open, `${way.stem}.md`, text))
          )
        )
      ),
    remove: (id, look) =>
      there(id, (way) =>
        locked(
          way,
          Effect.zipRight(
            looked(way, look),
            inFolder(way, (open) => toTrash(way, open))
          )
        )
      ),
    index: sweeping.withPermits(1)(
      Effect.flatMap(place.found, (root) =>
        Effect.as(root === undefined ? Effect.sync(() => sweep.clear()) : sweep.run(root), index)
      )
    )
  }
}

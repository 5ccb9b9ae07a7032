/**
 * A pack of the loose files of a worker: one file that it starts from in a fraction of the time that Node takes to load them one
 * by one. They are seen all the same. It is made by a process that is held as a worker is, and runs nothing of them; what it says
 * of its sources is believed when they are files that it saw, and are as it says.
 */
import { readFileSync, realpathSync, statSync } from "node:fs"
import { Effect } from "effect"
import type { IsolatedError } from "../host/IsolatedError.js"
import { defaults } from "../host/Limits.js"
import { type Index, indexOf } from "../protocol/Pack.js"
import { heapOf } from "./heap.js"
import { packedFile } from "./library.js"
import type { Loose } from "./loose.js"
import { isWithin } from "./packaged.js"
import { type Run, written } from "./run.js"
import { digestOfAll, withPackages } from "./sources.js"
import { digestOf, type Store } from "./store.js"

/**
 * What V8 made for a process with some options it takes only in one with the same. Where a policy gives a worker more memory, or
 * less, it compiles the texts anew.
 */
const OPTIONS = [
  "--experimental-vm-modules",
  "--experimental-import-meta-resolve",
  "--disable-warning=ExperimentalWarning"
]

const HEAP = heapOf(defaults.memoryBytes)

const PACK = "/tool.pack"

const MEMORY = 2048 * 1024 * 1024

const UNPACKED = "its files cannot be packed"

/** What was made of the files, and from what. */
interface Made {
  /** What is seen, from where. */
  readonly around: string
  readonly files: ReadonlyArray<string>
  readonly sources: string
  /** The digest of the pack; nothing where there is none. */
  readonly pack?: string | undefined
}

export interface Pack {
  readonly args: ReadonlyArray<string>
  readonly seen: { readonly path: string; readonly kind: "file"; readonly at: string }
}

const entryAt = (path: string) => ({ path, kind: "file" as const, at: ENTRY })

export const ENTRY = "/entry.mjs"

const known = (store: Store, name: string, around: string): Made | undefined => {
  try {
    const made = JSON.parse(store.read(`${name}.packed`)?.toString("utf8") ?? "null") as Made | null
    if (made === null || made.around !== around || made.sources !== digestOfAll(made.files)) return undefined
    const isThere = made.pack === undefined || store.verified(`${name}.pack`, made.pack) !== undefined
    return isThere ? made : undefined
  } catch {
    return undefined
  }
}

/** Whether a file is one that was seen in there, and not only said to be. */
const isSeen = (path: string, { seen }: Loose): boolean =>
  seen.some((one) => (one.kind === "file" ? one.path === path : isWithin(path, one.path))) &&
  realpathSync(path) === path &&
  statSync(path).isFile()

/** Its sources, where they are as it says. */
const sourcesOf = ({ sources }: Index, loose: Loose): ReadonlyArray<string> | undefined => {
  const isSame = sources.every(
    ([path, digest]) => isSeen(path, loose) && digestOf(readFileSync(path)) === digest
  )
  return isSame ? sources.map(([path]) => path) : undefined
}

const madeOf = (file: Buffer, loose: Loose, around: string): Made | undefined => {
  try {
    const index = indexOf(file)
    const found = sourcesOf(index, loose)
    if (found === undefined) return undefined
    const files = withPackages([...found, packedFile()])
    const sources = digestOfAll(files)
    if (sources === undefined) return undefined
    return { around, files, sources, pack: index.isWhole === true ? digestOf(file) : undefined }
  } catch {
    return undefined
  }
}

const packed = (
  store: Store,
  name: string,
  loose: Loose,
  around: string,
  run: Run
): Effect.Effect<Made | undefined, IsolatedError> =>
  Effect.gen(function* () {
    const { links, seen } = loose
    const { content, drop, keep } = yield* written(store, run, PACK, {
      args: [HEAP, ...OPTIONS, packedFile(), ENTRY, PACK],
      seen: [...seen, entryAt(store.pathOf(`${name}.entry.mjs`))],
      links,
      memoryBytes: MEMORY
    })
    const made = content === undefined ? undefined : madeOf(content, loose, around)
    const other = known(store, name, around)
    if (made === undefined || other !== undefined) {
      drop()
      // Another program was quicker, and starts from its own.
      return other
    }
    if (made.pack === undefined) drop()
    else keep(`${name}.pack`)
    store.write(`${name}.packed`, JSON.stringify(made))
    return made
  })

/** What a process is started with; or why there is none, in words. */
export const pack = (store: Store, name: string, loose: Loose, run: Run): Effect.Effect<Pack | string> =>
  Effect.gen(function* () {
    const { entry, links, seen } = loose
    const around = digestOf(JSON.stringify([entry, links, seen, HEAP, OPTIONS]))
    // Where no process can be started for it, the files are what is left.
    const making = Effect.orElseSucceed(packed(store, name, loose, around, run), () => undefined)
    const made = known(store, name, around) ?? (yield* making)
    if (made?.pack === undefined) return UNPACKED
    return {
      args: [...OPTIONS, packedFile(), PACK],
      seen: { path: store.pathOf(`${name}.pack`), kind: "file", at: PACK }
    }
  })

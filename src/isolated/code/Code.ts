/**
 * The code of a worker: a module with all that it imports, in the form in which a process is started from it. Where it can
 * be, that is one file, and a start-up snapshot of it; both are made once, and made again when anything in them changes.
 *
 * @since 0.1.0
 */
import { realpathSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { stateDirectory } from "../../layers/node/disk/StateDirectory.js"
import type { Enclosed } from "../../layers/node/sandbox/enclosure/Enclosure.js"
import { IsolatedError } from "../host/IsolatedError.js"
import { ASKED } from "../protocol/Exits.js"
import { bundle } from "./bundle.js"
import { heapOf } from "./heap.js"
import { type Around, aroundBundle, loose } from "./loose.js"
import { ENTRY, pack } from "./pack.js"
import { type Run, written } from "./run.js"
import { digestOfAll, withPackages } from "./sources.js"
import { digestOf, Store } from "./store.js"
import { Unbundled } from "./Unbundled.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Code {
  /** What it is started as, with this much memory. */
  readonly enclosed: (memoryBytes: number) => Enclosed
  /** How it is there: from a snapshot, from one file, from a pack of all its files, or from those. */
  readonly form: "snapshot" | "bundle" | "pack" | "files"
  /** Why it is there in no better form. */
  readonly why?: string | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Where bundles and snapshots are kept. */
  readonly directory?: string | undefined
  /** Directories that the module may be made of, besides those of packages. */
  readonly within?: ReadonlyArray<string> | undefined
  /** Whether a start-up snapshot is made. */
  readonly snapshot?: boolean | undefined
}

const MEBIBYTE = 1024 * 1024

/** With it Node answers where an import of any file would lead. */
const RESOLVE_FROM = "--experimental-import-meta-resolve"

/** What was made of a module, and from what. */
interface Made {
  readonly format: "cjs" | "esm"
  readonly files: ReadonlyArray<string>
  readonly sources: string
  readonly bundle: string
  /** It asks where it is. Then a snapshot would keep what it has found there. */
  readonly isPlaced: boolean
  /** The digest of its snapshot; why there is none. */
  readonly snapshot?: string | undefined
  readonly unsnapped?: string | undefined
  /** It is not written down yet. */
  readonly isNew?: true | undefined
}

const VERSION = 4

/** One for each module, and each Node. */
const nameOf = (module: string, within: Options["within"]): string =>
  digestOf(JSON.stringify([VERSION, module, process.version, process.arch, within])).slice(0, 32)

const endingOf = ({ format }: Pick<Made, "format">): string => (format === "cjs" ? "cjs" : "mjs")

/** What was made before, if it is still of the same sources. */
const known = (store: Store, name: string): Made | undefined => {
  try {
    const made = JSON.parse(store.read(`${name}.json`)?.toString("utf8") ?? "null") as Made | null
    if (made === null || made.sources !== digestOfAll(made.files)) return undefined
    return store.verified(`${name}.${endingOf(made)}`, made.bundle) === undefined ? undefined : made
  } catch {
    return undefined
  }
}

const bundled = async (
  store: Store,
  name: string,
  module: string,
  within: Options["within"]
): Promise<Made> => {
  const { format, inputs, isPlaced, isUnsnappable, text } = await bundle(module, within)
  const files = withPackages(inputs)
  const sources = digestOfAll(files)
  if (sources === undefined) throw new Unbundled("its files changed while they were read")
  store.write(`${name}.${endingOf({ format })}`, text)
  const unsnapped = isUnsnappable ? "it imports what it names as it runs, or starts threads" : undefined
  return { format, files, sources, bundle: digestOf(text), isPlaced, unsnapped, isNew: true }
}

const BLOB = "/tool.blob"

const entryOf = (store: Store, name: string, made: Made) => {
  const at = `/tool.${endingOf(made)}`
  return { at, seen: { path: store.pathOf(`${name}.${endingOf(made)}`), kind: "file" as const, at } }
}

const SNAPSHOT_MEMORY = 2048 * MEBIBYTE

/** Has Node write the snapshot in there: what a module does when it is loaded is done there, too. */
const snapped = (store: Store, name: string, made: Made, run: Run): Effect.Effect<Made, IsolatedError> =>
  Effect.gen(function* () {
    const { at, seen } = entryOf(store, name, made)
    const { content, drop, how, keep } = yield* written(store, run, BLOB, {
      args: ["--snapshot-blob", BLOB, "--build-snapshot", at],
      seen: [seen],
      memoryBytes: SNAPSHOT_MEMORY
    })
    if (content === undefined) {
      drop()
      const why =
        how === `with ${ASKED}`
          ? "it asks for the time, or for chance, while it is loaded"
          : `Node could not make a snapshot of it: it ended ${how}`
      return { ...made, unsnapped: why }
    }
    const other = known(store, name)
    // Another program was quicker, and starts from its own.
    if (other?.bundle === made.bundle && isSnapped(store, name, other)) {
      drop()
      return other
    }
    keep(`${name}.blob`)
    return { ...made, snapshot: digestOf(content) }
  })

const isSnapped = (store: Store, name: string, { snapshot }: Made): boolean =>
  snapshot !== undefined && store.verified(`${name}.blob`, snapshot) !== undefined

const refused = (module: string, why: string) =>
  new IsolatedError({ code: "MODULE_NOT_LOADED", detail: `${module} is not made a worker: ${why}` })

const whyOf = (error: unknown): string => (error instanceof Unbundled ? error.message : "it cannot be read")

/** As one file, from before or made now; or why it is none. */
const asOne = (
  store: Store,
  name: string,
  module: string,
  within: Options["within"]
): Effect.Effect<Made, Unbundled> =>
  Effect.tryPromise({
    try: async () => known(store, name) ?? (await bundled(store, name, module, within)),
    catch: (error) => (error instanceof Unbundled ? error : new Unbundled(whyOf(error)))
  })

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (module: URL, options: Options, run: Run): Effect.Effect<Code, IsolatedError> =>
  Effect.gen(function* () {
    const file = yield* Effect.try({
      try: () => realpathSync(fileURLToPath(module)),
      catch: () => refused(module.pathname, "it is not there")
    })
    const store = yield* Effect.try({
      try: () => new Store(options.directory ?? join(stateDirectory(process.env), "isolated")),
      catch: () => refused(file, "there is no directory to keep what is made of it")
    })
    const name = nameOf(file, options.within)
    const found = yield* Effect.either(asOne(store, name, file, options.within))
    if (found._tag === "Left")
      return yield* inFiles(store, name, file, options.within, found.left.message, run)
    let made = found.right
    const isWanted = options.snapshot !== false && made.format === "cjs" && !made.isPlaced
    const isNeeded = isWanted && made.unsnapped === undefined && !isSnapped(store, name, made)
    if (isNeeded) made = yield* snapped(store, name, made, run)
    if (made !== found.right || found.right.isNew === true) {
      store.write(`${name}.json`, JSON.stringify({ ...made, isNew: undefined }))
    }
    const around = yield* Effect.try({
      try: () => (made.isPlaced ? aroundBundle(file, made.files, options.within) : undefined),
      catch: (error) => refused(file, whyOf(error))
    })
    return isWanted && made.snapshot !== undefined
      ? fromSnapshot(store, name)
      : fromBundle(store, name, made, around)
  })

const fromSnapshot = (store: Store, name: string): Code => ({
  form: "snapshot",
  enclosed: (memoryBytes) => ({
    args: ["--snapshot-blob", BLOB],
    seen: [{ path: store.pathOf(`${name}.blob`), kind: "file", at: BLOB }],
    memoryBytes
  })
})

const fromBundle = (
  store: Store,
  name: string,
  made: Made,
  { links, seen: others }: Around = { links: [], seen: [] }
): Code => {
  const { at, seen } = entryOf(store, name, made)
  const resolving = made.isPlaced && made.format === "esm" ? [RESOLVE_FROM] : []
  return {
    form: "bundle",
    why: made.isPlaced ? "it asks where it is, by import.meta" : made.unsnapped,
    enclosed: (memoryBytes) => ({
      args: [heapOf(memoryBytes), ...resolving, at],
      seen: [...others, seen],
      links,
      memoryBytes
    })
  }
}

/** From a pack of its files, or else from those. */
const inFiles = (
  store: Store,
  name: string,
  file: string,
  within: Options["within"],
  why: string,
  run: Run
): Effect.Effect<Code, IsolatedError> =>
  Effect.gen(function* () {
    const files = yield* Effect.try({
      try: () => loose(file, within),
      catch: (error) => refused(file, `${why}; and ${whyOf(error)}`)
    })
    const { entry, links, seen } = files
    const path = store.write(`${name}.entry.mjs`, entry)
    const packed = yield* pack(store, name, files, run)
    if (typeof packed !== "string") {
      return {
        form: "pack" as const,
        why,
        enclosed: (memoryBytes: number) => ({
          args: [heapOf(memoryBytes), ...packed.args],
          seen: [...seen, packed.seen],
          links,
          memoryBytes
        })
      }
    }
    return {
      form: "files" as const,
      why: `${why}; and ${packed}`,
      enclosed: (memoryBytes: number) => ({
        args: [heapOf(memoryBytes), ENTRY],
        seen: [...seen, { path, kind: "file" as const, at: ENTRY }],
        links,
        memoryBytes
      })
    }
  })

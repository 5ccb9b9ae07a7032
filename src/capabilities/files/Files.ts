/**
 * Files and directories under the paths a tool declares.
 *
 * @since 0.1.0
 */
import { Context, Effect, type Layer, Schema, type Scope } from "effect"
import { parseTree } from "../../policy/lattice/dimensions/Path.js"
import { bytesOf, textOf } from "../bytes.js"
import { declared } from "../declared.js"
import { complete } from "../doubles.js"
import type { Anchored, Climbing, Dynamic, IfLiteral, Items, PathPattern } from "../Literals.js"
import { access, layerOf } from "../phantom.js"
import { made } from "../Remote.js"
import type { UnknownKey } from "../spelling.js"
import {
  FileEntry,
  FileQuery,
  FileRange,
  FileStat,
  FilesError,
  FilesFound,
  type FilesOperations,
  operationSchemas
} from "./FilesOperations.js"
import { memoryTree } from "./memoryTree.js"

/**
 * A path that a tool declares, from the root or from home. It covers everything under it.
 *
 * @since 0.1.0
 * @category schemas
 */
const DeclaredPath = declared("DeclaredPath", (text) => parseTree(text.replace(/^~(?=\/|$)/, "/~")))

const Reach = Schema.optionalWith(
  Schema.Union(Schema.Literal("from-personality"), Schema.Array(DeclaredPath)),
  {
    exact: true
  }
)

/**
 * The `fs_reach` of a declaration. Reach to write is also reach to delete.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FilesDeclaration = Schema.Struct({ read: Reach, write: Reach }).annotations({
  parseOptions: { onExcessProperty: "error" }
})

/**
 * @since 0.1.0
 * @category symbols
 */
const FilesReadTypeId: unique symbol = Symbol.for("bailiwick/FilesRead")

/**
 * @since 0.1.0
 * @category symbols
 */
const FilesWriteTypeId: unique symbol = Symbol.for("bailiwick/FilesWrite")

/**
 * @since 0.1.0
 * @category symbols
 */
const FilesTraversalTypeId: unique symbol = Symbol.for("bailiwick/FilesTraversal")

/**
 * @since 0.1.0
 */
export declare namespace Files {
  /**
   * The requirement "may read at P". A declared root supplies the pattern of everything under it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export interface Read<out P extends string> {
    readonly [FilesReadTypeId]: P
  }

  /**
   * The requirement "may write and delete at P".
   *
   * @since 0.1.0
   * @category requirements
   */
  export interface Write<out P extends string> {
    readonly [FilesWriteTypeId]: P
  }

  /**
   * The requirement of a path with a `..` segment. Nothing supplies it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export interface Traversal<out P extends string> {
    readonly [FilesTraversalTypeId]: P
  }

  /**
   * The requirement of reading at a path: the path when it is literal and starts at the root or at home, the category
   * otherwise.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type ReadBy<P extends string> = string extends P ? Files : ReadByLiteral<P>

  type ReadByLiteral<P extends string> = P extends Climbing
    ? Traversal<P>
    : P extends Anchored
      ? Read<P>
      : Files

  /**
   * The requirement of writing at a path, in the same way.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type WriteBy<P extends string> = string extends P ? Files : WriteByLiteral<P>

  type WriteByLiteral<P extends string> = P extends Climbing
    ? Traversal<P>
    : P extends Anchored
      ? Write<P>
      : Files

  /**
   * The requirement that a declared path to read supplies, or the sentence that says why it can never match.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type DeclaredRead<D extends string> = D extends "from-personality" | Dynamic
    ? Read<string>
    : D extends Unusable
      ? Malformed<D, "read">
      : D extends Anchored
        ? IfLiteral<D, Read<PathPattern<D>>, Read<string>>
        : IfLiteral<D, Malformed<D, "read">, Read<string>>

  /**
   * The requirement that a declared path to write supplies, in the same way.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type DeclaredWrite<D extends string> = D extends "from-personality" | Dynamic
    ? Write<string>
    : D extends Unusable
      ? Malformed<D, "write">
      : D extends Anchored
        ? IfLiteral<D, Write<PathPattern<D>>, Write<string>>
        : IfLiteral<D, Malformed<D, "write">, Write<string>>

  type Unusable = Climbing | `${string}${"*" | "?"}${string}`

  type Malformed<D extends string, Verb extends string> = D extends Climbing
    ? `fs_reach.${Verb}: '${D}' contains '..'`
    : D extends Unusable
      ? `fs_reach.${Verb}: '${D}' is a glob: declare the directory above it`
      : `fs_reach.${Verb}: '${D}' is not an absolute path: start it with '/' or '~/'`

  /**
   * The requirements that a declaration supplies, or the sentences that say what is wrong with it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Supplied<D> = keyof D extends "read" | "write"
    ?
        | Files
        | (D extends { readonly read: infer P } ? DeclaredRead<Items<P>> : never)
        | (D extends { readonly write: infer P } ? DeclaredWrite<Items<P>> : never)
    :
        | UnknownKey<"fs_reach", D, "read" | "write", "read, write">
        | Supplied<Pick<D, keyof D & ("read" | "write")>>

  /**
   * Everything that the category can be asked for. A mock supplies it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Everything = Files | Read<string> | Write<string>

  /**
   * @since 0.1.0
   * @category models
   */
  export type Stat = typeof FileStat.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export type Entry = typeof FileEntry.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export type Range = typeof FileRange.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export type Query = typeof FileQuery.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export type Found = typeof FilesFound.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export interface Options {
    readonly recursive?: boolean
  }

  /**
   * Without `replace`, or with `replace: true`, a file takes the place of another.
   *
   * @since 0.1.0
   * @category models
   */
  export interface RenameOptions {
    readonly replace?: boolean
  }

  /**
   * Where a temporary directory is made, and how its name begins.
   *
   * @since 0.1.0
   * @category models
   */
  export interface TemporaryOptions<P extends string = string> {
    readonly within?: P
    readonly prefix?: string
  }

  /**
   * The operations over plain data, as a backend implements them.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Operations extends FilesOperations {}

  /**
   * `list` answers with the names of a directory's children, `entries` also with what each is.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly read: <const P extends string>(path: P) => Effect.Effect<string, FilesError, ReadBy<P>>
    readonly readBytes: <const P extends string>(
      path: P,
      range?: Range
    ) => Effect.Effect<Uint8Array, FilesError, ReadBy<P>>
    readonly write: <const P extends string>(
      path: P,
      content: string | Uint8Array
    ) => Effect.Effect<void, FilesError, WriteBy<P>>
    readonly append: <const P extends string>(
      path: P,
      content: string | Uint8Array
    ) => Effect.Effect<void, FilesError, WriteBy<P>>
    readonly create: <const P extends string>(
      path: P,
      content: string | Uint8Array
    ) => Effect.Effect<void, FilesError, WriteBy<P>>
    readonly exists: <const P extends string>(path: P) => Effect.Effect<boolean, FilesError, ReadBy<P>>
    readonly list: <const P extends string>(
      path: P
    ) => Effect.Effect<ReadonlyArray<string>, FilesError, ReadBy<P>>
    readonly entries: <const P extends string>(
      path: P
    ) => Effect.Effect<ReadonlyArray<Entry>, FilesError, ReadBy<P>>
    readonly stat: <const P extends string>(path: P) => Effect.Effect<Stat, FilesError, ReadBy<P>>
    readonly mkdir: <const P extends string>(
      path: P,
      options?: Options
    ) => Effect.Effect<void, FilesError, WriteBy<P>>
    readonly remove: <const P extends string>(
      path: P,
      options?: Options
    ) => Effect.Effect<void, FilesError, WriteBy<P>>
    readonly rename: <const P extends string, const Q extends string>(
      from: P,
      to: Q,
      options?: RenameOptions
    ) => Effect.Effect<void, FilesError, WriteBy<P> | WriteBy<Q>>
    readonly temporary: <const P extends string = string>(
      options?: TemporaryOptions<P>
    ) => Effect.Effect<string, FilesError, WriteBy<P> | Scope.Scope>
    readonly search: <const P extends string>(
      path: P,
      query: Query
    ) => Effect.Effect<Found, FilesError, ReadBy<P>>
  }

  /**
   * @since 0.1.0
   * @category testing
   */
  export type MockFiles =
    | Readonly<Record<string, string | Uint8Array>>
    | ReadonlyMap<string, string | Uint8Array>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Files extends Context.Tag("bailiwick/Files")<Files, Files.Service>() {
  /** Schemas of the declaration, and of what goes in and out of the operations. */
  static readonly schemas = {
    Declaration: FilesDeclaration,
    Path: DeclaredPath,
    Stat: FileStat,
    Entry: FileEntry,
    Range: FileRange,
    Query: FileQuery,
    Found: FilesFound
  } as const

  /** The operations as data, for a service on the far side of a process boundary. */
  static readonly operations = operationSchemas

  /** Makes the service from its operations. */
  static make(operations: Files.Operations): Files.Service {
    const service: Files.Service = {
      read: (path) => Effect.map(operations.readBytes({ path }), textOf),
      readBytes: (path, range) => operations.readBytes({ path, ...range }),
      write: (path, content) => operations.writeBytes({ path, content: bytesOf(content) }),
      append: (path, content) => operations.appendBytes({ path, content: bytesOf(content) }),
      create: (path, content) => operations.createBytes({ path, content: bytesOf(content) }),
      exists: (path) =>
        Effect.catchIf(
          Effect.as(operations.stat({ path }), true),
          ({ code }) => code === "NOT_FOUND" || code === "NOT_A_DIRECTORY",
          () => Effect.succeed(false)
        ),
      list: (path) => operations.list({ path }),
      entries: (path) => operations.entries({ path }),
      stat: (path) => operations.stat({ path }),
      mkdir: (path, options) => operations.mkdir({ path, recursive: options?.recursive ?? false }),
      remove: (path, options) => operations.remove({ path, recursive: options?.recursive ?? false }),
      rename: (from, to, options) => operations.rename({ from, to, replace: options?.replace ?? true }),
      temporary: (options) =>
        Effect.acquireRelease(
          operations.temporary({ within: options?.within ?? null, prefix: options?.prefix ?? "tmp-" }),
          (path) => Effect.ignore(operations.remove({ path, recursive: true }))
        ),
      search: (path, query) => operations.search({ path, ...query })
    }
    return made(service, operations)
  }

  /**
   * Reads the text of a file. The path must lie in `fs_reach.read`. Fails with `PATH_NOT_REACHABLE` outside of it,
   * `NOT_FOUND` when there is nothing, and `NOT_A_FILE` for a directory.
   *
   * @example
   * ```ts
   * import { Files } from "bailiwick"
   *
   * export const note = (name: string) => Files.read(`/notes/${name}.md`)
   * ```
   */
  static readonly read: Files.Service["read"] = (path) => access(Files, (files) => files.read(path))

  /**
   * Reads the bytes of a file, or a part of them. It needs the path and fails as `read` does; `LIMIT_EXCEEDED` says
   * to read in parts.
   *
   * @example
   * ```ts
   * import { Files } from "bailiwick"
   *
   * export const header = Files.readBytes("/data/image.png", { offset: 0, length: 16 })
   * ```
   */
  static readonly readBytes: Files.Service["readBytes"] = (path, range) =>
    access(Files, (files) => files.readBytes(path, range))

  /**
   * Writes a file, in place of what was there. The path must lie in `fs_reach.write`. Fails with `PATH_NOT_REACHABLE`
   * outside of it, and with `NOT_FOUND` when the directory above is missing: make it with `mkdir`.
   *
   * @example
   * ```ts
   * import { Files } from "bailiwick"
   *
   * export const save = Files.write("/notes/today.md", "Buy milk")
   * ```
   */
  static readonly write: Files.Service["write"] = (path, content) =>
    access(Files, (files) => files.write(path, content))

  /**
   * Adds to the end of a file, and makes the file where there is none. What is given goes into the file in one piece:
   * two who append at once do not mix. It needs the path and fails as `write` does. A file with several names is
   * refused, because it would change under all of them.
   *
   * @example
   * ```ts
   * import { Files } from "bailiwick"
   *
   * export const log = (line: string) => Files.append("/notes/log.txt", `${line}\n`)
   * ```
   */
  static readonly append: Files.Service["append"] = (path, content) =>
    access(Files, (files) => files.append(path, content))

  /**
   * Writes a file where there is nothing, and fails with `ALREADY_EXISTS` where there is something, be it a link that
   * leads nowhere. Of several who create the same file at once, exactly one does. It needs the path as `write` does.
   *
   * @example
   * ```ts
   * import { Files } from "bailiwick"
   *
   * export const lock = Files.create("/notes/.lock", "")
   * ```
   */
  static readonly create: Files.Service["create"] = (path, content) =>
    access(Files, (files) => files.create(path, content))

  /**
   * Tells whether a file or a directory is there. The path must lie in `fs_reach.read`; outside of it the answer is
   * `PATH_NOT_REACHABLE`, not `false`.
   *
   * @example
   * ```ts
   * import { Files } from "bailiwick"
   *
   * export const configured = Files.exists("/notes/settings.json")
   * ```
   */
  static readonly exists: Files.Service["exists"] = (path) => access(Files, (files) => files.exists(path))

  /**
   * Lists the names in a directory, sorted. The path must lie in `fs_reach.read`. Fails with `PATH_NOT_REACHABLE`
   * outside of it, `NOT_FOUND` when there is nothing, and `NOT_A_DIRECTORY` for a file.
   *
   * @example
   * ```ts
   * import { Files } from "bailiwick"
   *
   * export const notes = Files.list("/notes")
   * ```
   */
  static readonly list: Files.Service["list"] = (path) => access(Files, (files) => files.list(path))

  /**
   * Lists the children of a directory as `list` does, each with its kind: `file`, `directory`, `link`, `unreachable` for
   * what may not be read, as a link that leads out of reach, and `other`. Links are not followed.
   *
   * @example
   * ```ts
   * import { Files } from "bailiwick"
   * import { Effect } from "effect"
   *
   * export const folders = Effect.map(Files.entries("/notes"), (entries) =>
   *   entries.filter(({ kind }) => kind === "directory").map(({ name }) => name)
   * )
   * ```
   */
  static readonly entries: Files.Service["entries"] = (path) => access(Files, (files) => files.entries(path))

  /**
   * Tells what is at a path: its kind, its size, and when it was changed. The path must lie in `fs_reach.read`. Fails
   * with `PATH_NOT_REACHABLE` outside of it, and with `NOT_FOUND` when there is nothing.
   *
   * @example
   * ```ts
   * import { Files } from "bailiwick"
   * import { Effect } from "effect"
   *
   * export const size = Effect.map(Files.stat("/notes/today.md"), (stat) => stat.size)
   * ```
   */
  static readonly stat: Files.Service["stat"] = (path) => access(Files, (files) => files.stat(path))

  /**
   * Makes a directory; with `recursive` also those that are missing above it. The path must lie in `fs_reach.write`.
   * Without `recursive` it fails with `ALREADY_EXISTS` when something is there, and with `NOT_FOUND` when the
   * directory above is missing.
   *
   * @example
   * ```ts
   * import { Files } from "bailiwick"
   *
   * export const archive = Files.mkdir("/notes/archive/2025", { recursive: true })
   * ```
   */
  static readonly mkdir: Files.Service["mkdir"] = (path, options) =>
    access(Files, (files) => files.mkdir(path, options))

  /**
   * Removes a file or an empty directory; with `recursive` a directory with all that is in it. The path must lie in
   * `fs_reach.write`. Fails with `NOT_FOUND` when there is nothing, and with `FILES_FAILED` for a directory that is
   * not empty.
   *
   * @example
   * ```ts
   * import { Files } from "bailiwick"
   *
   * export const tidy = Files.remove("/notes/inbox", { recursive: true })
   * ```
   */
  static readonly remove: Files.Service["remove"] = (path, options) =>
    access(Files, (files) => files.remove(path, options))

  /**
   * Moves a file or a directory to another name, in one step. Both paths must lie in `fs_reach.write`; the first must be
   * readable too where the second is. A file takes the place of another, unless `replace` is `false`; nothing takes the
   * place of a directory. Fails with `NOT_FOUND`, with `ALREADY_EXISTS`, and with `FILES_FAILED` between two disks.
   *
   * @example
   * ```ts
   * import { Files } from "bailiwick"
   *
   * export const archive = (name: string) => Files.rename(`/notes/inbox/${name}`, `/notes/archive/${name}`)
   * ```
   */
  static readonly rename: Files.Service["rename"] = (from, to, options) =>
    access(Files, (files) => files.rename(from, to, options))

  /**
   * Makes a directory for its maker alone, whose name nobody can guess, and removes it with all that is in it when the
   * scope closes. It is made in `within`, which must lie in `fs_reach.write`; otherwise in the working directory, or in
   * the first directory that may be written.
   *
   * @example
   * ```ts
   * import { Files } from "bailiwick"
   * import { Effect } from "effect"
   *
   * export const scratch = Files.temporary({ within: "/notes" }).pipe(
   *   Effect.flatMap((directory) => Files.write(`${directory}/draft.md`, "Buy milk")),
   *   Effect.scoped
   * )
   * ```
   */
  static readonly temporary: Files.Service["temporary"] = (options) =>
    access(Files, (files) => files.temporary(options))

  /**
   * Finds the lines that match a regular expression, in a file or in all files below a directory. It needs the path
   * and fails as `stat` does. A pattern that cannot be read fails with `FILES_FAILED`.
   *
   * @example
   * ```ts
   * import { Files } from "bailiwick"
   *
   * export const open = Files.search("/notes", { pattern: "TODO|FIXME", glob: "*.md", limit: 20 })
   * ```
   */
  static readonly search: Files.Service["search"] = (path, query) =>
    access(Files, (files) => files.search(path, query))

  /** A layer of the service over these operations. It supplies everything that the category can be asked for. */
  static layer(operations: () => Files.Operations): Layer.Layer<Files.Everything> {
    return layerOf<Files.Everything>()(Files, () => Files.make(operations()))
  }

  /**
   * A test double that keeps the given files in memory, with the directories above them. Nothing is checked; use
   * `TestFiles.layerMemory` to test refusals.
   *
   * @example
   * ```ts
   * import { Files } from "bailiwick"
   * import { Effect } from "effect"
   *
   * const files = Files.mock({ "/notes/a.md": "apples", "/notes/b.md": "bananas" })
   * console.log(await Effect.runPromise(Effect.provide(Files.list("/notes"), files)))
   * ```
   *
   * ```text output
   * [ 'a.md', 'b.md' ]
   * ```
   */
  static mock(files: Files.MockFiles = {}): Layer.Layer<Files.Everything> {
    return Files.layer(() => Files.memory(files))
  }

  /** The operations of the mock. */
  static memory(files: Files.MockFiles): Files.Operations {
    return memoryTree(files, (code, detail) => new FilesError({ code, detail }))
  }

  /** A test double made of a part of the service. A method that is missing dies when it is called, and names itself. */
  static layerTest(service: Partial<Files.Service>): Layer.Layer<Files.Everything> {
    return layerOf<Files.Everything>()(Files, () =>
      complete(
        "Files",
        {
          read: "effect",
          readBytes: "effect",
          write: "effect",
          append: "effect",
          create: "effect",
          exists: "effect",
          list: "effect",
          entries: "effect",
          stat: "effect",
          mkdir: "effect",
          remove: "effect",
          rename: "effect",
          temporary: "effect",
          search: "effect"
        },
        service
      )
    )
  }
}

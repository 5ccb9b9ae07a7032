/**
 * `FileSystem` and `Path` of the platform, made from the `Files` of a tool.
 *
 * @since 0.1.0
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { Context, Effect, Layer, Scope, Stream } from "effect"
import { Files } from "../capabilities/files/Files.js"
import { as, refused } from "./fileErrors.js"
import { open } from "./fileHandle.js"
import { infoOf } from "./fileInfo.js"
import { copy, copyFile, spliced, walked } from "./fileParts.js"
import { below, type PlainFiles, plainFiles } from "./plainFiles.js"

const MODES = "leave the mode out: new files and directories have the usual one"

const LINKS = "use the path that the link leads to"

/** A mode that is left aside would make something readable that was not to be. */
const withoutMode = <A, R>(
  method: string,
  path: string,
  mode: number | undefined,
  run: Effect.Effect<A, PlatformError, R>
): Effect.Effect<A, PlatformError, R> =>
  mode === undefined ? run : Effect.fail(refused(method, path, MODES))

const isMissing = (error: PlatformError): boolean =>
  error._tag === "SystemError" && error.reason === "NotFound"

const fileSystemOf = (files: PlainFiles, lasting: Scope.Scope): FileSystem.FileSystem => {
  const no = (method: string, remedy: string) => (path: string) => Effect.fail(refused(method, path, remedy))
  const stat = (path: string) => as("stat", path, files.stat(path))

  const writeFile: FileSystem.FileSystem["writeFile"] = (path, data, { flag = "w", mode } = {}) => {
    const operation = flag.includes("x") ? files.create : flag.startsWith("a") ? files.append : files.write
    const written =
      flag === "r+"
        ? spliced(files, "writeFile", path, { bytes: data })
        : flag === "r"
          ? Effect.fail(refused("writeFile with 'r'", path, "open it to write"))
          : as("writeFile", path, operation(path, data))
    return withoutMode("writeFile", path, mode, written)
  }

  const tempDirectory = (method: string, options: FileSystem.MakeTempDirectoryOptions = {}) =>
    as(
      method,
      options.directory ?? "",
      files.temporary({
        ...(options.directory === undefined ? {} : { within: options.directory }),
        ...(options.prefix === undefined ? {} : { prefix: options.prefix })
      })
    )
  const tempFile = (method: string, { suffix = "", ...options }: FileSystem.MakeTempFileOptions = {}) =>
    suffix.includes("/")
      ? Effect.fail(refused(method, suffix, "give a suffix without '/'"))
      : Effect.gen(function* () {
          const path = `${yield* tempDirectory(method, options)}/file${suffix}`
          yield* as(method, path, files.create(path, new Uint8Array(0)))
          return path
        })

  const whole = FileSystem.make({
    access: (path, options) =>
      Effect.gen(function* () {
        const { kind } = yield* as("access", path, files.stat(path))
        if (options?.writable !== true) return
        if (kind === "directory") {
          return yield* refused(
            "access",
            path,
            "write into the directory to find out whether it may be written"
          )
        }
        yield* as("access", path, files.append(path, new Uint8Array(0)))
      }),
    chmod: no("chmod", MODES),
    chown: no("chown", "files belong to the user of the program"),
    copy: (from, to, options) =>
      options?.preserveTimestamps === true
        ? Effect.fail(refused("copy", from, "leave preserveTimestamps out"))
        : copy(files, from, to, options?.overwrite ?? false),
    copyFile: (from, to) => as("copyFile", from, copyFile(files, from, to, true)),
    link: no("link", "copy the file"),
    makeDirectory: (path, { mode, recursive = false } = {}) =>
      withoutMode("makeDirectory", path, mode, as("makeDirectory", path, files.mkdir(path, { recursive }))),
    makeTempDirectory: (options) => Scope.extend(tempDirectory("makeTempDirectory", options), lasting),
    makeTempDirectoryScoped: (options) => tempDirectory("makeTempDirectoryScoped", options),
    makeTempFile: (options) => Scope.extend(tempFile("makeTempFile", options), lasting),
    makeTempFileScoped: (options) => tempFile("makeTempFileScoped", options),
    open: (path, { flag = "r", mode } = {}) => withoutMode("open", path, mode, open(files, path, flag)),
    readDirectory: (path, options) =>
      options?.recursive === true
        ? Effect.map(walked(files, "readDirectory", path), (all) => all.map(({ name }) => name).sort())
        : Effect.map(as("readDirectory", path, files.entries(path)), (all) => all.map(({ name }) => name)),
    readFile: (path) => as("readFile", path, files.readBytes(path)),
    readLink: no("readLink", LINKS),
    realPath: no("realPath", "use the path as it is: links in it are followed where they lead into reach"),
    remove: (path, { force = false, recursive = false } = {}) =>
      Effect.catchIf(
        as("remove", path, files.remove(path, { recursive })),
        (error) => force && isMissing(error),
        () => Effect.void
      ),
    rename: (from, to) => as("rename", from, files.rename(from, to)),
    stat: (path) => Effect.map(stat(path), infoOf),
    symlink: no("symlink", "copy the file"),
    truncate: (path, length = 0) => spliced(files, "truncate", path, { length: Number(length) }),
    utimes: no("utimes", "a file has the time of its last change"),
    watch: (path) => Stream.fail(refused("watch", path, "ask stat again when the answer is needed")),
    writeFile
  })
  return { ...whole, exists: (path) => as("exists", path, files.exists(path)) }
}

const layerOf = <R>(make: (context: Context.Context<R>) => PlainFiles) =>
  Layer.scoped(
    FileSystem.FileSystem,
    Effect.gen(function* () {
      const context = yield* Effect.context<R>()
      return fileSystemOf(make(context), yield* Effect.scope)
    })
  )

/**
 * The file system of a tool: whatever a library does with it is asked of `Files`. What cannot be done safely (links, modes,
 * owners, times, watching) fails with `PermissionDenied`, and says what to do instead. Temporary files and directories are
 * removed with the layer at the latest.
 *
 * @example
 * ```ts
 * import { FileSystem } from "@effect/platform"
 * import { Files } from "bailiwick"
 * import { layerFileSystem } from "bailiwick/platform"
 * import { Effect } from "effect"
 *
 * const lines = Effect.gen(function* () {
 *   const fs = yield* FileSystem.FileSystem
 *   return (yield* fs.readFileString("/notes/a.md")).split("\n").length
 * })
 * const counted = lines.pipe(Effect.provide(layerFileSystem), Effect.provide(Files.mock({ "/notes/a.md": "one\ntwo" })))
 * console.log(await Effect.runPromise(counted))
 * ```
 *
 * ```text output
 * 2
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerFileSystem: Layer.Layer<FileSystem.FileSystem, never, Files> = layerOf<Files>((context) =>
  plainFiles(Context.get(context, Files))
)

/**
 * The same for one literal directory: the declaration must name it, to read and to write, and the file system goes nowhere
 * else. Relative paths begin there.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerFileSystemAt = <const P extends string>(
  root: P
): Layer.Layer<FileSystem.FileSystem, never, Files.ReadBy<P> | Files.WriteBy<P>> =>
  layerOf<Files.ReadBy<P> | Files.WriteBy<P>>((context) =>
    below(plainFiles(Context.unsafeGet(context, Files)), root)
  )

/**
 * Paths as they are written on every system: with `/`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerPath: Layer.Layer<Path.Path> = Path.layer

/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import { Files } from "../capabilities/files/Files.js"
import { FilesBackend } from "../capabilities/files/FilesBackend.js"
import * as Scoped from "../capabilities/files/ScopedFiles.js"
import type { Paths } from "../capabilities/Paths.js"
import { holder } from "../policy/gate/Asking.js"
import type { Authority } from "../policy/lattice/Authority.js"
import { type Recording, record } from "./Recording.js"

/**
 * Files in memory that keep each call. `read` shows up as `readBytes`, and `write` as `writeBytes`.
 *
 * @example
 * ```ts
 * import { TestFiles } from "bailiwick/testing"
 *
 * export const { calls, layer } = TestFiles.recording({ "/notes/milk.md": "Buy milk" })
 * ```
 *
 * @since 0.1.0
 * @category mocks
 */
export const recording = (files: Files.MockFiles = {}): Recording<Files.Everything> =>
  record(Files.memory(files), (operations) => Files.layer(() => operations))

/**
 * Files in memory that obey an authority. Relative paths start at the root unless a working directory is given.
 *
 * @example
 * ```ts
 * import { Authority, Files } from "bailiwick"
 * import { TestFiles } from "bailiwick/testing"
 * import { Effect, Schema } from "effect"
 *
 * const authority = Schema.decodeSync(Authority.FromJson)({ files: { read: ["/notes/"] } })
 * const files = TestFiles.layerMemory(authority, { "/notes/milk.md": "Buy milk", "/etc/passwd": "root" })
 * const refused = Files.read("/etc/passwd").pipe(Effect.flip, Effect.provide(files))
 * console.log((await Effect.runPromise(refused)).message)
 * ```
 *
 * ```text output
 * PATH_NOT_REACHABLE: read not permitted for /etc/passwd
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory = (
  authority: Authority,
  files: Files.MockFiles,
  paths: Paths = { workdir: "/" }
): Layer.Layer<Files.Everything> =>
  Files.layer(() =>
    Scoped.scoped(holder({ authority }), paths, FilesBackend.fromOperations(Files.memory(files)))
  )

/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import { FilesBackend } from "../capabilities/backends/FilesBackend.js"
import { Files } from "../capabilities/Files.js"
import type { Authority } from "../policy/Authority.js"
import { holder } from "../policy/Proof.js"
import type { Places } from "../registry/scoped/Places.js"
import * as Scoped from "../registry/scoped/ScopedFiles.js"
import { type Recording, record } from "./Recording.js"

/**
 * Files in memory, with a note of each call.
 *
 * @since 0.1.0
 * @category mocks
 */
export const recording = (files: Files.MockFiles = {}): Recording<Files.Everything> =>
  record(Files.memory(files), (operations) => Files.layer(() => operations))

/**
 * Files in memory that obey an authority. Relative paths start at the root unless a working directory is given.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory = (
  authority: Authority,
  files: Files.MockFiles,
  places: Places = { workdir: "/" }
): Layer.Layer<Files.Everything> =>
  Files.layer(() =>
    Scoped.scoped(holder({ authority }), places, FilesBackend.fromOperations(Files.memory(files)))
  )

/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import { Files } from "../capabilities/files/Files.js"
import { FilesBackend } from "../capabilities/files/FilesBackend.js"
import * as Scoped from "../capabilities/files/ScopedFiles.js"
import type { Paths } from "../capabilities/Paths.js"
import { holder } from "../policy/gate/Proof.js"
import type { Authority } from "../policy/lattice/Authority.js"
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
  paths: Paths = { workdir: "/" }
): Layer.Layer<Files.Everything> =>
  Files.layer(() =>
    Scoped.scoped(holder({ authority }), paths, FilesBackend.fromOperations(Files.memory(files)))
  )

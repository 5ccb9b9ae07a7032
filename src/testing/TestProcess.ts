/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import type { Paths } from "../capabilities/Paths.js"
import { Process } from "../capabilities/process/Process.js"
import { ProcessBackend } from "../capabilities/process/ProcessBackend.js"
import * as Scoped from "../capabilities/process/ScopedProcess.js"
import { holder } from "../policy/gate/Asking.js"
import type { Authority } from "../policy/lattice/Authority.js"
import { type Recording, record } from "./Recording.js"

/**
 * Processes that are never started. The handler says what each answers, and each call is kept.
 *
 * @example
 * ```ts
 * import { TestProcess } from "bailiwick/testing"
 *
 * export const { calls, layer } = TestProcess.recording((binary) => (binary === "rg" ? { exitCode: 1 } : "done"))
 * ```
 *
 * @since 0.1.0
 * @category mocks
 */
export const recording = (handler: Process.MockHandler): Recording<Process.Everything> =>
  record(Process.memory(handler), (operations) => Process.layer(() => operations))

/**
 * Processes that are never started, and that obey an authority. A command runs in the working directory unless it
 * names another.
 *
 * @example
 * ```ts
 * import { Authority } from "bailiwick"
 * import { TestProcess } from "bailiwick/testing"
 * import { Schema } from "effect"
 *
 * const authority = Schema.decodeSync(Authority.FromJson)({ process: { exec: [{ argv: "git log *", in: "/work" }] } })
 * export const processes = TestProcess.layerMemory(authority, () => "done", { workdir: "/work" })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory = (
  authority: Authority,
  handler: Process.MockHandler,
  paths: Paths = { workdir: "/" }
): Layer.Layer<Process.Everything> =>
  Process.layer(() =>
    Scoped.scoped(holder({ authority }), paths, ProcessBackend.fromOperations(Process.memory(handler)))
  )

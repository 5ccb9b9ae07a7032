/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import { Process } from "../capabilities/Process.js"
import type { Places } from "../layers/scoped/Places.js"
import * as Scoped from "../layers/scoped/ScopedProcess.js"
import type { Authority } from "../policy/Authority.js"
import { type Recording, record } from "./Recording.js"

/**
 * Processes that are never started: the handler says what each would have answered, and each is noted.
 *
 * @since 0.1.0
 * @category mocks
 */
export const recording = (handler: Process.MockHandler): Recording<Process.Everything> =>
  record(Process.memory(handler), (operations) => Process.layer(() => operations))

/**
 * The same, obeying an authority. A command runs in the working directory unless it names another.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory = (
  authority: Authority,
  handler: Process.MockHandler,
  places: Places = { workdir: "/" }
): Layer.Layer<Process.Everything> =>
  Process.layer(() => Scoped.scoped(authority, places, Process.memory(handler)))

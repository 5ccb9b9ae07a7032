/**
 * Children of this program: found on the operator's path, started without a shell in a directory that was checked,
 * with few variables, and ended with all that they have started.
 *
 * @since 0.1.0
 */
import { Effect, Layer, type Scope } from "effect"
import type { Process } from "../../../capabilities/process/Process.js"
import { ProcessBackend } from "../../../capabilities/process/ProcessBackend.js"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import { stream } from "./events.js"
import { Machine, type Wanted } from "./machine.js"
import { type Options, settle } from "./options.js"
import { Capture } from "./output.js"
import { directoriesOf, pin } from "./pin.js"
import * as refusals from "./refusals.js"
import { run } from "./supervise.js"

/** Children lead groups of their own, and do not end with this program unless they are told. */
const machines = new Set<Machine>()

const killAll = () => {
  for (const { running } of machines) for (const child of running) child.kill()
}

const watch = (machine: Machine): void => {
  if (machines.size === 0) process.on("exit", killAll)
  machines.add(machine)
}

const unwatch = (machine: Machine): void => {
  machines.delete(machine)
  if (machines.size === 0) process.off("exit", killAll)
}

export type {
  /**
   * @since 0.1.0
   * @category models
   */
  CheckedCommand
} from "./CheckedCommand.js"

export {
  /**
   * @since 0.1.0
   * @category defaults
   */
  defaults,
  /**
   * @since 0.1.0
   * @category models
   */
  type Options
} from "./options.js"

const captured = (machine: Machine, wanted: Wanted): Effect.Effect<Process.Result, ProcessError> =>
  Effect.suspend(() => {
    const capture = new Capture(machine.settings.maxOutputBytes)
    return Effect.map(run(machine, wanted, capture), ({ exitCode, signal }) => ({
      exitCode,
      signal,
      stdout: capture.text("Stdout"),
      stderr: capture.text("Stderr"),
      truncated: capture.truncated
    }))
  })

/**
 * The operator's environment is taken when this runs. When its scope closes, every child is ended.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options = {}): Effect.Effect<ProcessBackend.Service, never, Scope.Scope> =>
  Effect.gen(function* () {
    const machine = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const made = new Machine(settle(options))
        watch(made)
        return made
      }),
      (made) =>
        Effect.ensuring(
          Effect.promise(() => made.close()),
          Effect.sync(() => unwatch(made))
        )
    )
    const directories = directoriesOf(machine.settings.path)
    return {
      pin: (name) =>
        Effect.suspend(() => (process.platform === "win32" ? refusals.notHere : pin(name, directories))),
      spawn: (proof, binary, surroundings) => captured(machine, { proof, binary, surroundings }),
      stream: (proof, binary, surroundings) => stream(machine, { proof, binary, surroundings }),
      shell: (proof, binary, script, surroundings) =>
        captured(machine, { proof, binary, script, surroundings })
    }
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<ProcessBackend> =>
  Layer.scoped(ProcessBackend, make(options))

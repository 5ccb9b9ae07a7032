/**
 * Children of this program. The backend finds them on the operator's path, and starts them without a shell, in a
 * checked directory and with few variables. It ends them with everything that they have started.
 *
 * @since 0.1.0
 */
import { Effect, type Either, Layer, type Scope } from "effect"
import type { Process } from "../../../capabilities/process/Process.js"
import { ProcessBackend } from "../../../capabilities/process/ProcessBackend.js"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import * as Bwrap from "../sandbox/Bwrap.js"
import * as ChildNetwork from "../sandbox/ChildNetwork.js"
import { started, stream } from "./events.js"
import { Fence } from "./fence.js"
import { Machine, type Wanted } from "./machine.js"
import { type Options, settle } from "./options.js"
import { Capture } from "./output.js"
import { directoriesOf, pin, pinShell } from "./pin.js"
import * as refusals from "./refusals.js"
import { seenBy } from "./seen.js"
import { serve } from "./serve.js"
import { run } from "./supervise.js"

/** Children lead groups of their own. They do not end with this program unless it ends them. */
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
  type Options,
  /**
   * @since 0.1.0
   * @category models
   */
  type SandboxOptions
} from "./options.js"

const captured = (machine: Machine, wanted: Wanted): Effect.Effect<Process.Result, ProcessError> =>
  Effect.suspend(() => {
    const capture = new Capture(machine.settings.maxOutputBytes)
    return Effect.map(run(machine, wanted, capture), (ended) => ({ ...ended, ...capture.result }))
  })

/**
 * Makes the backend. It takes the operator's environment as it is then, and ends every child when its scope closes.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options = {}): Effect.Effect<ProcessBackend.Service, never, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Bwrap.lasting
    const settings = settle(options)
    const network = yield* ChildNetwork.make(settings.sandbox.network)
    const { bwrap, cgroup, platform, quarantine, seatbelt } = settings.sandbox
    const path = settings.environment.PATH
    const fence = yield* Fence.make({ path, bwrap, cgroup, platform, quarantine, seatbelt }, network)
    const machine = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const made = new Machine(settings, fence)
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
    const here = (find: () => Either.Either<ProcessBackend.Pinned, ProcessError>) =>
      Effect.suspend(() => (process.platform === "win32" ? refusals.notHere : find()))
    return ProcessBackend.guarded({
      holding: fence.holding,
      pin: (name) => here(() => pin(name, directories)),
      pinShell: here(() => pinShell(machine.settings.shell)),
      sees: (proof, binary) => seenBy(machine, proof, binary),
      spawn: (proof, binary, surroundings, input) =>
        captured(machine, { proof, binary, surroundings, input }),
      stream: (proof, binary, surroundings, input) => stream(machine, { proof, binary, surroundings, input }),
      start: (proof, binary, surroundings, input) => started(machine, { proof, binary, surroundings, input }),
      serve: (proof, binary, surroundings, ears) => serve(machine, { proof, binary, surroundings }, ears),
      shell: (proof, binary, script, surroundings, input) =>
        captured(machine, { proof, binary, script, surroundings, input })
    })
  })

/**
 * Runs the commands that the policy permits, and ends every child when the layer closes. The kernel holds each
 * to what its tool may touch: see `docs/process.md`.
 *
 * @example
 * ```ts
 * import { NodeProcess } from "bailiwick/node"
 *
 * export const processes = NodeProcess.layer({ deadline: "30 seconds", maxOutputBytes: 256 * 1024 })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<ProcessBackend> =>
  Layer.scoped(ProcessBackend, make(options))

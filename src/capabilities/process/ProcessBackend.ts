/**
 * What starts permitted commands.
 *
 * @since 0.1.0
 */
import { Context, Effect, Stream } from "effect"
import type { Plan } from "../../policy/confinement/Plan.js"
import { guarded, type Proof } from "../../policy/gate/Proof.js"
import type { Scoped } from "../../policy/lattice/Request.js"
import type { Limits } from "../../policy/Sandbox.js"
import type { Process } from "./Process.js"
import {
  type ProcessCommand,
  ProcessError,
  type ProcessEvent,
  type ProcessInput,
  type ProcessOperations
} from "./ProcessOperations.js"

/**
 * @since 0.1.0
 */
export declare namespace ProcessBackend {
  /**
   * A binary that was found, and what it was then: another file at the same path is not it.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Pinned {
    readonly name: string
    /** Where it was found, and where that leads. */
    readonly found: string
    readonly path: string
    /** Every directory and link on the way there: who changes one changes what the name stands for. */
    readonly way: ReadonlyArray<string>
    /** What tells this file from another. */
    readonly identity: string
  }

  /**
   * What goes with a permitted command.
   *
   * @since 0.1.0
   * @category models
   */
  export type Surroundings = Omit<typeof ProcessCommand.Type, "binary" | "args" | "cwd">

  /**
   * Whether the backend holds children to the authority of their tools. `isExpected` says whether it could on a system
   * like this one: there commands run held unless a policy says otherwise. A backend that starts nothing says `held`.
   * `by` names what holds them, as in `bwrap 0.8.0`; `why` is a clause, and `remedy` what its reader does about it.
   *
   * @since 0.1.0
   * @category models
   */
  export type Holding =
    | { readonly held: true; readonly by?: string }
    | {
        readonly held: false
        readonly isExpected: boolean
        readonly kind?: Unheld
        readonly why: string
        readonly remedy: string
      }

  /**
   * Why nothing holds children: what would is not installed, too old, has privileges that it must not have, or can be
   * replaced by others; the kernel forbids it; it is forbidden inside of this container; there is none for this system.
   *
   * @since 0.1.0
   * @category models
   */
  export type Unheld =
    | "not_installed"
    | "too_old"
    | "setuid"
    | "not_trusted"
    | "forbidden"
    | "in_container"
    | "unsupported"

  /**
   * What a child would see, and what would bound it: that of the policy, and the backend's own where that is silent.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Seen {
    readonly plan: Plan
    readonly limits: Limits
  }

  /**
   * How a child ended.
   *
   * @since 0.1.0
   * @category models
   */
  export type Ended = Omit<Extract<typeof ProcessEvent.Type, { readonly exitCode: number }>, "_tag">

  /**
   * Who hears a child that serves, as it speaks: nothing waits for them, so that they bound what they keep.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Ears {
    /** It runs, and can be told things. */
    readonly begun: (mouth: Mouth) => void
    readonly stdout: (bytes: Uint8Array) => void
    readonly stderr: (bytes: Uint8Array) => void
  }

  /**
   * What a child that serves is told. What it does not read at once waits, and `unread` says how many bytes do. `speaks` says
   * whether it still could, where that can be told: it may live on with its output closed.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Mouth {
    readonly write: (text: string) => void
    readonly unread: () => number
    readonly speaks?: (() => boolean) | undefined
  }

  /**
   * `sees` says what a child of the proof would see, and starts nothing; a backend that starts nothing has none.
   * `serve` starts a child that is spoken with for as long as somebody waits for its end. A
   * backend without it is spoken with through `start`.
   * `pin` looks on the operator's path, never on a tool's. `pinShell` looks on none: the shell that scripts run in is one
   * file, which the backend or its operator chose.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly holding: Effect.Effect<Holding>
    readonly pin: (name: string) => Effect.Effect<Pinned, ProcessError>
    readonly pinShell: Effect.Effect<Pinned, ProcessError>
    readonly sees?: (proof: Proof<Scoped>, binary: Pinned) => Effect.Effect<Seen, ProcessError>
    readonly spawn: (
      proof: Proof<Scoped>,
      binary: Pinned,
      surroundings: Surroundings,
      input?: ProcessInput
    ) => Effect.Effect<Process.Result, ProcessError>
    readonly stream: (
      proof: Proof<Scoped>,
      binary: Pinned,
      surroundings: Surroundings,
      input?: ProcessInput
    ) => Stream.Stream<Process.Event, ProcessError>
    readonly start: (
      proof: Proof<Scoped>,
      binary: Pinned,
      surroundings: Surroundings,
      input?: ProcessInput
    ) => ReturnType<ProcessOperations["start"]>
    readonly serve?: (
      proof: Proof<Scoped>,
      binary: Pinned,
      surroundings: Surroundings,
      ears: Ears
    ) => Effect.Effect<Ended, ProcessError>
    readonly shell: (
      proof: Proof<Scoped>,
      shell: Pinned,
      script: string,
      surroundings: Surroundings,
      input?: ProcessInput
    ) => Effect.Effect<Process.Result, ProcessError>
  }
}

/**
 * @since 0.1.0
 * @category tags
 */
export class ProcessBackend extends Context.Tag("bailiwick/ProcessBackend")<
  ProcessBackend,
  ProcessBackend.Service
>() {
  /** A backend that takes proofs which were made for itself, and nothing else: every implementation is one. */
  static guarded(service: ProcessBackend.Service): ProcessBackend.Service {
    return guarded(service, ["sees", "spawn", "stream", "start", "serve", "shell"])
  }

  /** The words and the directory of a proof. */
  static commandOf({ request: { element } }: Proof<Scoped>) {
    const [binary = "", ...args] = element.argv ?? []
    return { binary, args, cwd: `/${(element.in ?? []).join("/")}` }
  }

  /** Operations that need no proof, such as a mock's, behind the door. What starts nothing needs nothing to hold it. */
  static fromOperations(
    operations: Process.Operations,
    holding: ProcessBackend.Holding = { held: true }
  ): ProcessBackend.Service {
    const opened = (proof: Proof<Scoped>, surroundings: ProcessBackend.Surroundings) => ({
      ...surroundings,
      ...ProcessBackend.commandOf(proof)
    })
    const of = <A>(
      proof: Proof<Scoped>,
      capability: "process.exec" | "process.eval",
      run: () => A
    ): A | ProcessError =>
      proof.request.capability === capability
        ? run()
        : new ProcessError({ code: "BINARY_NOT_ALLOWED", detail: `the proof is not of ${capability}` })
    const pinned = (name: string) => ({ name, found: name, path: name, way: [], identity: name })
    return ProcessBackend.guarded({
      holding: Effect.succeed(holding),
      pin: (name) => Effect.succeed(pinned(name)),
      pinShell: Effect.succeed(pinned("sh")),
      spawn: (proof, _binary, surroundings, input) =>
        Effect.suspend(() =>
          of(proof, "process.exec", () => operations.spawn(opened(proof, surroundings), input))
        ),
      stream: (proof, _binary, surroundings, input) =>
        Stream.suspend(() =>
          of(proof, "process.exec", () => operations.stream(opened(proof, surroundings), input))
        ),
      start: (proof, _binary, surroundings, input) =>
        Stream.suspend(() =>
          of(proof, "process.exec", () => operations.start(opened(proof, surroundings), input))
        ),
      shell: (proof, _shell, script, surroundings, input) =>
        Effect.suspend(() =>
          of(proof, "process.eval", () =>
            operations.shell({ ...surroundings, script, cwd: ProcessBackend.commandOf(proof).cwd }, input)
          )
        )
    })
  }
}

/**
 * Child processes of the binaries a tool declares.
 *
 * @since 0.1.0
 */
import { Context, Effect, type Layer, Schema, type Scope, Stream } from "effect"
import { parseName } from "../../policy/lattice/dimensions/Command.js"
import { bytesOf } from "../bytes.js"
import { declared } from "../declared.js"
import { type Answer, complete } from "../doubles.js"
import type { Dynamic, IfLiteral, IsLiteral } from "../Literals.js"
import { access, accessStream, layerOf } from "../phantom.js"
import { made } from "../Remote.js"
import type { MissingKey, UnknownKey } from "../spelling.js"
import { fed, fedStream, type Source } from "./feed.js"
import { type MockResult as Answered, operationsOf } from "./memory.js"
import {
  ProcessCommand,
  ProcessError,
  ProcessEvent,
  type ProcessInput,
  type ProcessOperations,
  ProcessOrder,
  ProcessResult,
  ProcessScript,
  ProcessSignal,
  ProcessStarted
} from "./ProcessOperations.js"
import * as Running_ from "./Running.js"

/**
 * A binary that a tool declares: a name, or `*` for all that the policy allows.
 *
 * @since 0.1.0
 * @category schemas
 */
const BinaryPattern = declared("BinaryPattern", (text) => parseName(text === "*" ? "any" : text))

/**
 * The `process` of a declaration.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ProcessDeclaration = Schema.Struct({ allowedBinaries: Schema.Array(BinaryPattern) }).annotations(
  {
    parseOptions: { onExcessProperty: "error" }
  }
)

/**
 * @since 0.1.0
 * @category symbols
 */
const ProcessBinaryTypeId: unique symbol = Symbol.for("bailiwick/ProcessBinary")

/**
 * @since 0.1.0
 * @category symbols
 */
const ProcessShellTypeId: unique symbol = Symbol.for("bailiwick/ProcessShell")

/**
 * @since 0.1.0
 */
export declare namespace Process {
  /**
   * @since 0.1.0
   * @category models
   */
  export type Command = typeof ProcessCommand.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export type Script = typeof ProcessScript.Type

  /**
   * The requirement "may spawn the binary B".
   *
   * @since 0.1.0
   * @category requirements
   */
  export interface Binary<out B extends string> {
    readonly [ProcessBinaryTypeId]: B
  }

  /**
   * The requirement "may run a shell". A shell can run anything, so only a declared `*` supplies it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export interface Shell {
    readonly [ProcessShellTypeId]: true
  }

  /**
   * The requirement of a command: the binary when it is literal, the category otherwise.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type RequiredBy<B extends string> = string extends B ? Process : RequiredByLiteral<B>

  type RequiredByLiteral<B extends string> = B extends unknown
    ? IsLiteral<B> extends true
      ? Binary<B>
      : Process
    : never

  /**
   * The requirements that a declared binary supplies.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Declared<D extends string> = D extends "*"
    ? Binary<string> | Shell
    : D extends Dynamic
      ? Binary<string>
      : IfLiteral<D, Binary<D>, Binary<string> | Shell>

  /**
   * The requirements that a declaration supplies, or the sentences that say what is wrong with it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Supplied<D> = keyof D extends "allowedBinaries"
    ? D extends { readonly allowedBinaries: ReadonlyArray<infer B extends string> }
      ? Process | Declared<B>
      : MissingKey<"process", D, "allowedBinaries">
    : UnknownKey<"process", D, "allowedBinaries"> | Known<D>

  type Known<D> = D extends { readonly allowedBinaries: unknown }
    ? Supplied<Pick<D, "allowedBinaries">>
    : never

  /**
   * Everything that the category can be asked for. A mock supplies it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Everything = Process | Binary<string> | Shell

  /**
   * What a command reads. A stream is pulled as fast as the command reads, and no further. One that fails ends the command.
   *
   * @since 0.1.0
   * @category models
   */
  export type Stdin = string | Uint8Array | Stream.Stream<Uint8Array, unknown, unknown>

  /**
   * @since 0.1.0
   * @category models
   */
  export interface Options<S extends Stdin = string | Uint8Array> {
    readonly cwd?: string
    readonly env?: Readonly<Record<string, string>>
    readonly timeoutMillis?: number
    readonly stdin?: S
  }

  /**
   * The failures and the requirements of a stream that a command reads; of text and bytes none.
   *
   * @since 0.1.0
   * @category models
   */
  export type Fails<S> = S extends Stream.Stream<unknown, infer E, unknown> ? E : never

  /**
   * @since 0.1.0
   * @category requirements
   */
  export type Needs<S> = S extends Stream.Stream<unknown, unknown, infer R> ? R : never

  /**
   * @since 0.1.0
   * @category models
   */
  export type Signal = typeof ProcessSignal.Type

  /**
   * A command that was started, and runs until it ends, is ended, or its scope closes.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Running<out E = never> extends Running_.Running<E> {}

  /**
   * @since 0.1.0
   * @category models
   */
  export type Result = typeof ProcessResult.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export type Event = typeof ProcessEvent.Type

  /**
   * The operations over plain data, as a backend implements them.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Operations extends ProcessOperations {}

  /**
   * An exit code other than 0 is a result, not a failure.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly spawn: <const B extends string, S extends Stdin = never>(
      binary: B,
      args?: ReadonlyArray<string>,
      options?: Options<S>
    ) => Effect.Effect<Result, ProcessError | Fails<S>, RequiredBy<B> | Needs<S>>
    readonly stream: <const B extends string, S extends Stdin = never>(
      binary: B,
      args?: ReadonlyArray<string>,
      options?: Options<S>
    ) => Stream.Stream<Event, ProcessError | Fails<S>, RequiredBy<B> | Needs<S>>
    readonly start: <const B extends string, S extends Stdin = never>(
      binary: B,
      args?: ReadonlyArray<string>,
      options?: Options<S>
    ) => Effect.Effect<Running<Fails<S>>, ProcessError | Fails<S>, RequiredBy<B> | Needs<S> | Scope.Scope>
    readonly shell: <S extends Stdin = never>(
      script: string,
      options?: Options<S>
    ) => Effect.Effect<Result, ProcessError | Fails<S>, Shell | Needs<S>>
  }

  /**
   * The answers that a mock may give. Text is the standard output of a process that exits with 0.
   *
   * @since 0.1.0
   * @category testing
   */
  export type MockResult = Answered

  /**
   * @since 0.1.0
   * @category testing
   */
  export type MockHandler = (
    binary: string,
    args: ReadonlyArray<string>,
    options: Options
  ) => Answer<MockResult, ProcessError>
}

/** Keeps only the options that are described, so that another key cannot take the place of the binary. */
const toSurroundings = ({ cwd, env, stdin, timeoutMillis }: Process.Options<Process.Stdin> = {}) => ({
  ...(cwd === undefined ? {} : { cwd }),
  ...(env === undefined ? {} : { env: { ...env } }),
  ...(timeoutMillis === undefined ? {} : { timeoutMillis }),
  ...(stdin === undefined || isStream(stdin) ? {} : { stdin: bytesOf(stdin) })
})

const isStream = (stdin: Process.Stdin): stdin is Exclude<Process.Stdin, string | Uint8Array> =>
  typeof stdin === "object" && Stream.StreamTypeId in stdin

/** The stream among the options, by what it fails with and needs. */
const sourceOf = <S extends Process.Stdin>({
  stdin
}: Process.Options<S> = {}): Source<Process.Fails<S>, Process.Needs<S>> | undefined =>
  stdin !== undefined && isStream(stdin) ? (stdin as Source<Process.Fails<S>, Process.Needs<S>>) : undefined

const running = <A, S extends Process.Stdin>(
  options: Process.Options<S> | undefined,
  run: (input?: ProcessInput) => Effect.Effect<A, ProcessError>
): Effect.Effect<A, ProcessError | Process.Fails<S>, Process.Needs<S>> => {
  const source = sourceOf(options)
  return source === undefined ? run() : fed(source, (stdin) => run({ stdin }))
}

const withStdin = { stdin: Schema.Uint8ArrayFromBase64 } as const

/**
 * @since 0.1.0
 * @category tags
 */
export class Process extends Context.Tag("bailiwick/Process")<Process, Process.Service>() {
  /** Schemas of the declaration, and of what goes in and out of the operations. */
  static readonly schemas = {
    Declaration: ProcessDeclaration,
    BinaryPattern,
    Command: ProcessCommand,
    Script: ProcessScript,
    Result: ProcessResult,
    Event: ProcessEvent,
    Started: ProcessStarted,
    Order: ProcessOrder,
    Signal: ProcessSignal
  } as const

  /**
   * The operations as data, for a service on the far side of a process boundary. Each answer of `stream` and `start` is
   * one event. What goes to a command while it runs are lanes of their own: see `inputs`.
   */
  static readonly operations = {
    spawn: { payload: ProcessCommand, success: ProcessResult, failure: ProcessError, inputs: withStdin },
    stream: {
      payload: ProcessCommand,
      success: ProcessEvent,
      failure: ProcessError,
      stream: true,
      inputs: withStdin
    },
    start: {
      payload: ProcessCommand,
      success: Schema.Union(ProcessStarted, ProcessEvent),
      failure: ProcessError,
      stream: true,
      inputs: { ...withStdin, orders: ProcessOrder }
    },
    shell: { payload: ProcessScript, success: ProcessResult, failure: ProcessError, inputs: withStdin }
  } as const

  /** The lanes to a running command, as data: one message each. `start` has both, the others have `stdin`. */
  static readonly inputs = { ...withStdin, orders: ProcessOrder } as const

  /** Makes the service from its operations. `standing` refuses to those who may no longer use a running command. */
  static make(
    operations: Process.Operations,
    standing: Effect.Effect<void, ProcessError> = Effect.void
  ): Process.Service {
    const service: Process.Service = {
      spawn: (binary, args = [], options) =>
        running(options, (input) =>
          operations.spawn({ binary, args: [...args], ...toSurroundings(options) }, input)
        ),
      stream: (binary, args = [], options) => {
        const run = (input?: ProcessInput) =>
          operations.stream({ binary, args: [...args], ...toSurroundings(options) }, input)
        const source = sourceOf(options)
        return source === undefined ? run() : fedStream(source, (stdin) => run({ stdin }))
      },
      start: (binary, args = [], options) =>
        Running_.begin(
          (input) => operations.start({ binary, args: [...args], ...toSurroundings(options) }, input),
          sourceOf(options),
          standing
        ),
      shell: (script, options) =>
        running(options, (input) => operations.shell({ script, ...toSurroundings(options) }, input))
    }
    return made(service, operations)
  }

  /**
   * Runs a binary to its end, without a shell. The binary must be in `process.allowedBinaries`. An exit code other
   * than 0 is a result, not a failure. Fails with `BINARY_NOT_ALLOWED` or `CWD_NOT_REACHABLE` when the command is not
   * permitted, with `BINARY_NOT_FOUND` when it is not installed, and with `TIMED_OUT` at its deadline.
   *
   * @example
   * ```ts
   * import { Process } from "bailiwick"
   *
   * export const history = (directory: string) =>
   *   Process.spawn("git", ["log", "--oneline", "-5"], { cwd: directory, timeoutMillis: 10_000 })
   * ```
   */
  static readonly spawn: Process.Service["spawn"] = (binary, args, options) =>
    access(Process, (process) => process.spawn(binary, args, options))

  /**
   * Runs a binary, and streams its output as it comes; the last event is its exit. It needs the binary and fails as
   * `spawn` does. Leaving the stream ends the process.
   *
   * @example
   * ```ts
   * import { Process } from "bailiwick"
   * import { Option, Stream } from "effect"
   *
   * export const output = Process.stream("make", ["test"]).pipe(
   *   Stream.filterMap((event) => (event._tag === "Stdout" ? Option.some(event.bytes) : Option.none())),
   *   Stream.decodeText()
   * )
   * ```
   */
  static readonly stream: Process.Service["stream"] = (binary, args, options) =>
    accessStream(Process, (process) => process.stream(binary, args, options))

  /**
   * Starts a binary, and answers when it runs: its output can be read and its end awaited, each when it suits, and it can
   * be ended. It needs the binary and fails as `spawn` does. Closing the scope ends the process with all that it has
   * started, and so does the end of the call.
   *
   * @example
   * ```ts
   * import { Process } from "bailiwick"
   * import { Effect, Stream } from "effect"
   *
   * export const firstLine = (file: string) =>
   *   Effect.scoped(
   *     Effect.gen(function* () {
   *       const tail = yield* Process.start("tail", ["--follow", "--", file])
   *       const line = yield* tail.stdout.pipe(Stream.decodeText(), Stream.splitLines, Stream.runHead)
   *       yield* tail.kill
   *       return line
   *     })
   *   )
   * ```
   */
  static readonly start: Process.Service["start"] = (binary, args, options) =>
    access(Process, (process) => process.start(binary, args, options))

  /**
   * Runs a script in a shell. A shell can run anything, so `process.allowedBinaries` must hold `*`, and the policy
   * must permit shells in the directory; otherwise it fails with `SHELL_NOT_ALLOWED`. Prefer `spawn`, which needs no
   * quoting.
   *
   * @example
   * ```ts
   * import { Process } from "bailiwick"
   *
   * export const count = Process.shell("ls | wc -l", { cwd: "/work" })
   * ```
   */
  static readonly shell: Process.Service["shell"] = (script, options) =>
    access(Process, (process) => process.shell(script, options))

  /** A layer of the service over these operations. It supplies everything that the category can be asked for. */
  static layer(operations: () => Process.Operations): Layer.Layer<Process.Everything> {
    return layerOf<Process.Everything>()(Process, () => Process.make(operations()))
  }

  /**
   * A test double that starts nothing: the handler says what each command answers. A shell is `sh` with the script.
   *
   * @example
   * ```ts
   * import { Process } from "bailiwick"
   * import { Effect } from "effect"
   *
   * const processes = Process.mock((binary, args) => (binary === "git" ? `git ${args.join(" ")}` : { exitCode: 127 }))
   * const { stdout } = await Effect.runPromise(Effect.provide(Process.spawn("git", ["status"]), processes))
   * console.log(stdout)
   * ```
   *
   * ```text output
   * git status
   * ```
   */
  static mock(handler: Process.MockHandler): Layer.Layer<Process.Everything> {
    return Process.layer(() => Process.memory(handler))
  }

  /** The operations of the mock. It answers when it has all of its input, and ends at the first signal. */
  static memory(handler: Process.MockHandler): Process.Operations {
    return operationsOf(handler)
  }

  /** A test double made of a part of the service. A method that is missing dies when it is called, and names itself. */
  static layerTest(service: Partial<Process.Service>): Layer.Layer<Process.Everything> {
    return layerOf<Process.Everything>()(Process, () =>
      complete("Process", { spawn: "effect", stream: "stream", start: "effect", shell: "effect" }, service)
    )
  }
}

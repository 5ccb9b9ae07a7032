/**
 * Child processes of the binaries a tool declares.
 *
 * @since 0.1.0
 */
import { Context, Effect, type Layer, Schema, Stream } from "effect"
import { parseName } from "../../policy/lattice/dimensions/Command.js"
import { bytesOf } from "../bytes.js"
import { declared } from "../declared.js"
import { type Answer, answer, complete } from "../doubles.js"
import type { Dynamic, IfLiteral, IsLiteral } from "../Literals.js"
import { access, accessStream, layerOf } from "../phantom.js"
import type { MissingKey, UnknownKey } from "../spelling.js"
import {
  ProcessCommand,
  ProcessError,
  ProcessEvent,
  type ProcessOperations,
  ProcessResult,
  ProcessScript
} from "./ProcessOperations.js"

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
   * @since 0.1.0
   * @category models
   */
  export interface Options {
    readonly cwd?: string
    readonly env?: Readonly<Record<string, string>>
    readonly timeoutMillis?: number
    readonly stdin?: string | Uint8Array
  }

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
    readonly spawn: <const B extends string>(
      binary: B,
      args?: ReadonlyArray<string>,
      options?: Options
    ) => Effect.Effect<Result, ProcessError, RequiredBy<B>>
    readonly stream: <const B extends string>(
      binary: B,
      args?: ReadonlyArray<string>,
      options?: Options
    ) => Stream.Stream<Event, ProcessError, RequiredBy<B>>
    readonly shell: (script: string, options?: Options) => Effect.Effect<Result, ProcessError, Shell>
  }

  /**
   * The answers that a mock may give. Text is the standard output of a process that exits with 0.
   *
   * @since 0.1.0
   * @category testing
   */
  export type MockResult = string | Partial<Result>

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
const toSurroundings = ({ cwd, env, stdin, timeoutMillis }: Process.Options = {}) => ({
  ...(cwd === undefined ? {} : { cwd }),
  ...(env === undefined ? {} : { env: { ...env } }),
  ...(timeoutMillis === undefined ? {} : { timeoutMillis }),
  ...(stdin === undefined ? {} : { stdin: bytesOf(stdin) })
})

const toResult = (given: Process.MockResult): Process.Result => ({
  exitCode: 0,
  signal: null,
  stdout: "",
  stderr: "",
  truncated: false,
  ...(typeof given === "string" ? { stdout: given } : given)
})

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
    Event: ProcessEvent
  } as const

  /**
   * The operations as data, for a service on the far side of a process boundary. Each answer of `stream` is one
   * event.
   */
  static readonly operations = {
    spawn: { payload: ProcessCommand, success: ProcessResult, failure: ProcessError },
    stream: { payload: ProcessCommand, success: ProcessEvent, failure: ProcessError },
    shell: { payload: ProcessScript, success: ProcessResult, failure: ProcessError }
  } as const

  /** Makes the service from its operations. */
  static make(operations: Process.Operations): Process.Service {
    return {
      spawn: (binary, args = [], options) =>
        operations.spawn({ binary, args: [...args], ...toSurroundings(options) }),
      stream: (binary, args = [], options) =>
        operations.stream({ binary, args: [...args], ...toSurroundings(options) }),
      shell: (script, options) => operations.shell({ script, ...toSurroundings(options) })
    }
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

  /** The operations of the mock. */
  static memory(handler: Process.MockHandler): Process.Operations {
    const run = (binary: string, args: ReadonlyArray<string>, options: Process.Options) =>
      Effect.map(
        answer(() => handler(binary, args, options)),
        toResult
      )
    const spawn = ({ binary, args, ...options }: typeof ProcessCommand.Type) => run(binary, args, options)
    return {
      spawn,
      stream: (command) =>
        Stream.unwrap(
          Effect.map(spawn(command), ({ exitCode, signal, stderr, stderrBytes, stdout, stdoutBytes }) =>
            Stream.make<Array<Process.Event>>(
              { _tag: "Stdout", bytes: stdoutBytes ?? bytesOf(stdout) },
              { _tag: "Stderr", bytes: stderrBytes ?? bytesOf(stderr) },
              { _tag: "Exit", exitCode, signal }
            )
          )
        ),
      shell: ({ script, ...options }) => run("sh", ["-c", script], options)
    }
  }

  /** A test double made of a part of the service. A method that is missing dies when it is called, and names itself. */
  static layerTest(service: Partial<Process.Service>): Layer.Layer<Process.Everything> {
    return layerOf<Process.Everything>()(Process, () =>
      complete("Process", { spawn: "effect", stream: "stream", shell: "effect" }, service)
    )
  }
}

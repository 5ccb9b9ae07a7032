/**
 * `CommandExecutor` over `Process`: a `Command` of `@effect/platform` runs as a command of the tool.
 *
 * @since 0.1.0
 */
import type * as Command from "@effect/platform/Command"
import * as CommandExecutor from "@effect/platform/CommandExecutor"
import type { PlatformError } from "@effect/platform/Error"
import { Chunk, Effect, HashMap, Inspectable, Layer, Mailbox, Option, type Scope, Sink, Stream } from "effect"
import { Process } from "../capabilities/process/Process.js"
import type { ProcessError } from "../capabilities/process/ProcessOperations.js"
import { endedBySignal, refusal, truncated, wrapped } from "./commandErrors.js"

type Starting = Effect.Effect<CommandExecutor.Process, PlatformError, Scope.Scope>

type Bytes = Stream.Stream<Uint8Array, PlatformError>

/** What a tool may send, besides what ends a command for good. */
const isSignal = (name: CommandExecutor.Signal): name is CommandExecutor.Signal & Process.Signal =>
  Process.schemas.Signal.literals.some((literal) => literal === name)

/** Why a command cannot be run, if it cannot. */
const refused = (command: Command.StandardCommand): ProcessError | undefined => {
  if (command.shell !== false) return refusal.shell
  if (command.stdin === "inherit" || command.stdout === "inherit" || command.stderr === "inherit") {
    return refusal.inherit
  }
  return Option.isSome(command.uid) || Option.isSome(command.gid) ? refusal.user : undefined
}

const through = (output: Bytes, to: Command.Command.Output): Bytes =>
  typeof to === "string" ? output : Stream.transduce(output, to)

/** Input that comes later, by the sink of a running command. It is not taken any more once the command reads no more. */
const openInput = Effect.map(Mailbox.make<Uint8Array>({ capacity: 1 }), (box) => ({
  stream: Stream.ensuring(Mailbox.toStream(box), box.shutdown),
  sink: Sink.forEachWhile((bytes: Uint8Array) => box.offer(bytes)).pipe(
    Sink.ignoreLeftover,
    Sink.ensuring(box.end)
  )
}))

const noInput = { stream: undefined, sink: Sink.drain }

const proto = {
  [CommandExecutor.ProcessTypeId]: CommandExecutor.ProcessTypeId,
  ...Inspectable.BaseProto,
  toJSON(this: CommandExecutor.Process) {
    return { _id: "@effect/platform/CommandExecutor/Process", pid: this.pid }
  }
}

/** A library has no place for what is to be known of how a command ran: whoever reads the log hears of it. */
const heard = <A extends { readonly notes?: ReadonlyArray<string> }, E>(
  exit: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.tap(exit, ({ notes = [] }) =>
    notes.length === 0 ? Effect.void : Effect.logWarning(notes.join("; "))
  )

const processOf = (
  command: Command.StandardCommand,
  running: Process.Running<PlatformError>,
  stdin: CommandExecutor.Process["stdin"]
): CommandExecutor.Process => {
  const named = (method: string) => wrapped(method, command.command)
  const exitCode = heard(running.exit).pipe(
    Effect.mapError(named("exitCode")),
    Effect.filterOrFail(
      ({ signal }) => signal === null,
      ({ signal }) => named("exitCode")(endedBySignal(signal ?? ""))
    ),
    Effect.map(({ exitCode }) => CommandExecutor.ExitCode(exitCode))
  )
  const sent = (signal: CommandExecutor.Signal): Effect.Effect<unknown, ProcessError | PlatformError> => {
    if (signal === "SIGTERM" || signal === "SIGKILL") return running.kill
    return isSignal(signal)
      ? Effect.zipRight(running.signal(signal), running.exit)
      : Effect.fail(refusal.signal(signal))
  }
  const members: Omit<CommandExecutor.Process, keyof typeof proto> = {
    // Where the backend tells none, a number that names nobody: 0 and -1 would name many.
    pid: CommandExecutor.ProcessId(running.pid ?? Number.NaN),
    exitCode,
    isRunning: Effect.mapError(running.isRunning, named("isRunning")),
    kill: (signal = "SIGTERM") => Effect.asVoid(Effect.mapError(sent(signal), named("kill"))),
    stdin,
    stdout: through(Stream.mapError(running.stdout, named("stdout")), command.stdout),
    stderr: through(Stream.mapError(running.stderr, named("stderr")), command.stderr)
  }
  return Object.assign(Object.create(proto), members)
}

/** A command that nobody can write to reads nothing, and so does not wait for ever. */
const begin = (process: Process.Service, command: Command.StandardCommand, isOpen: boolean) =>
  Effect.gen(function* () {
    const why = refused(command)
    if (why !== undefined) return yield* wrapped("start", command.command)(why)
    const input =
      typeof command.stdin !== "string"
        ? { stream: command.stdin, sink: Sink.drain }
        : isOpen
          ? yield* openInput
          : noInput
    const options: Process.Options<Bytes> = {
      ...(Option.isSome(command.cwd) ? { cwd: command.cwd.value } : {}),
      env: Object.fromEntries(HashMap.toEntries(command.env)),
      ...(input.stream === undefined ? {} : { stdin: input.stream })
    }
    const running = yield* process.start<string, Bytes>(command.command, command.args, options).pipe(
      // The command is computed: what it requires is the category, and that is this service.
      Effect.provideService(Process, process),
      Effect.mapError(wrapped("start", command.command))
    )
    return { running, process: processOf(command, running, input.sink) }
  })

const standard = <A, E, R>(
  command: Command.Command,
  run: (command: Command.StandardCommand) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | PlatformError, R> =>
  command._tag === "PipedCommand" ? Effect.fail(wrapped("start", "|")(refusal.pipe)) : run(command)

const executorOf = (process: Process.Service): CommandExecutor.CommandExecutor => {
  const start = (command: Command.Command): Starting =>
    standard(command, (one) => Effect.map(begin(process, one, true), (begun) => begun.process))
  /** All of what a command writes, or a failure: a library has no other way to hear that a part was dropped. */
  const stream = (command: Command.Command): Bytes =>
    Stream.unwrapScoped(
      standard(command, (one) =>
        Effect.gen(function* () {
          const begun = yield* begin(process, one, false)
          yield* Effect.forkScoped(Effect.ignore(Stream.runDrain(begun.running.stderr)))
          const end = Effect.flatMap(heard(begun.running.exit), (exit) =>
            exit.truncated === true ? Effect.fail(truncated) : Effect.void
          )
          return Stream.concat(
            begun.process.stdout,
            Stream.drain(Stream.mapError(Stream.fromEffect(end), wrapped("stdout", one.command)))
          )
        })
      )
    )
  const streamLines = (command: Command.Command, encoding = "utf-8") =>
    Stream.splitLines(Stream.decodeText(stream(command), encoding))
  return {
    [CommandExecutor.TypeId]: CommandExecutor.TypeId,
    start,
    exitCode: (command) =>
      Effect.scoped(
        standard(command, (one) =>
          Effect.flatMap(begin(process, one, false), (begun) => begun.process.exitCode)
        )
      ),
    stream,
    streamLines,
    string: (command, encoding) => Stream.mkString(Stream.decodeText(stream(command), encoding)),
    lines: (command, encoding) => Effect.map(Stream.runCollect(streamLines(command, encoding)), Chunk.toArray)
  }
}

/**
 * Runs the commands of a library as commands of the tool, which must declare their binaries. A shell, a pipe of commands,
 * another user and the terminal of the program are refused, with a `ProcessError` as cause.
 *
 * @example
 * ```ts
 * import { Command } from "@effect/platform"
 * import { Tool } from "bailiwick"
 * import { absorbed, layerCommandExecutor } from "bailiwick/platform"
 * import { Effect, Schema } from "effect"
 *
 * export const branches = Tool.make({
 *   name: "branches",
 *   description: "The branches of a repository",
 *   parameters: Schema.Struct({ directory: Schema.String }),
 *   success: Schema.Array(Schema.String),
 *   readOnly: true,
 *   capabilities: { process: { allowedBinaries: ["git"] } },
 *   execute: ({ directory }) =>
 *     Command.make("git", "branch", "--list").pipe(
 *       Command.workingDirectory(directory),
 *       Command.lines,
 *       Effect.provide(layerCommandExecutor),
 *       absorbed
 *     )
 * })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerCommandExecutor: Layer.Layer<CommandExecutor.CommandExecutor, never, Process> =
  Layer.effect(CommandExecutor.CommandExecutor, Effect.map(Process, executorOf))

/** Processes that are never started: a function says what each would have answered. */
import { Chunk, Effect, Option, Stream } from "effect"
import { bytesOf, joined } from "../bytes.js"
import { type Answer, answer } from "../doubles.js"
import type {
  ProcessCommand,
  ProcessError,
  ProcessEvent,
  ProcessInput,
  ProcessOperations,
  ProcessOrder,
  ProcessResult
} from "./ProcessOperations.js"

type Result = typeof ProcessResult.Type

/** Text is the standard output of a process that exits with 0. */
export type MockResult = string | Partial<Result>

type Surroundings = Omit<typeof ProcessCommand.Type, "binary" | "args">

export type Run = (
  binary: string,
  args: ReadonlyArray<string>,
  options: Surroundings
) => Answer<MockResult, ProcessError>

const toResult = (given: MockResult): Result => ({
  exitCode: 0,
  signal: null,
  stdout: "",
  stderr: "",
  truncated: false,
  ...(typeof given === "string" ? { stdout: given } : given)
})

const eventsOf = ({ exitCode, notes, signal, stderr, stderrBytes, stdout, stdoutBytes }: Result) =>
  [
    { _tag: "Stdout", bytes: stdoutBytes ?? bytesOf(stdout) },
    { _tag: "Stderr", bytes: stderrBytes ?? bytesOf(stderr) },
    { _tag: "Exit", exitCode, signal, ...(notes === undefined ? {} : { notes }) }
  ] as const satisfies ReadonlyArray<typeof ProcessEvent.Type>

/** What a signal does to those who do not listen for it. */
const endedBy = (order: typeof ProcessOrder.Type): typeof ProcessEvent.Type => {
  const signal = order === "END" ? "SIGTERM" : order
  const numbers = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGUSR1: 10, SIGUSR2: 12, SIGTERM: 15 }
  return { _tag: "Exit", exitCode: 128 + numbers[signal], signal }
}

/** All of its input first: a function answers once. */
const collected = <O extends { readonly stdin?: Uint8Array }>(
  options: O,
  input: ProcessInput = {}
): Effect.Effect<O> =>
  input.stdin === undefined
    ? Effect.succeed(options)
    : Effect.map(Stream.runCollect(input.stdin), (chunks) => ({ ...options, stdin: joined([...chunks]) }))

export const operationsOf = (handler: Run): ProcessOperations => {
  const run = (binary: string, args: ReadonlyArray<string>, options: Surroundings, input?: ProcessInput) =>
    Effect.flatMap(collected(options, input), (given) =>
      Effect.map(
        answer(() => handler(binary, args, given)),
        toResult
      )
    )
  const spawn = ({ args, binary, ...options }: typeof ProcessCommand.Type, input?: ProcessInput) =>
    run(binary, args, options, input)
  return {
    spawn,
    stream: (command, input) =>
      Stream.unwrap(Effect.map(spawn(command, input), (result) => Stream.fromIterable(eventsOf(result)))),
    start: (command, input) => {
      const ordered = Effect.flatMap(Stream.runHead(input?.orders ?? Stream.never), (order) =>
        Option.isNone(order) ? Effect.never : Effect.succeed(Chunk.of(endedBy(order.value)))
      )
      const answered = Effect.map(spawn(command, input), (result) => Chunk.fromIterable(eventsOf(result)))
      const rest = Stream.unwrap(
        Effect.map(Effect.raceFirst(answered, ordered), (events) =>
          Stream.fromChunk<typeof ProcessEvent.Type>(events)
        )
      )
      return Stream.concat(Stream.succeed({ _tag: "Started" as const }), rest)
    },
    shell: ({ script, ...options }, input) => run("sh", ["-c", script], options, input)
  }
}

/**
 * What is done with child processes, as plain data: what a scoped service asks for, a backend answers, and a process boundary
 * can carry.
 *
 * @since 0.1.0
 */
import { type Effect, Schema, type Stream } from "effect"
import { Denial } from "../../policy/lattice/Denial.js"

const surroundings = {
  cwd: Schema.optionalWith(Schema.String, { exact: true }),
  env: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), { exact: true }),
  timeoutMillis: Schema.optionalWith(Schema.Finite, { exact: true }),
  stdin: Schema.optionalWith(Schema.Uint8ArrayFromBase64, { exact: true })
}

/**
 * @since 0.1.0
 * @category errors
 */
export class ProcessError extends Schema.TaggedError<ProcessError>("bailiwick/ProcessError")("ProcessError", {
  code: Schema.Literal(
    "BINARY_NOT_ALLOWED",
    "SHELL_NOT_ALLOWED",
    "CWD_NOT_REACHABLE",
    "ENV_REFUSED",
    "BINARY_NOT_FOUND",
    "SPAWN_FAILED",
    "TIMED_OUT",
    "LIMIT_EXCEEDED",
    "ENDED"
  ),
  detail: Schema.String,
  denial: Schema.optional(Denial)
}) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.detail}`
  }
}

/**
 * @since 0.1.0
 * @category schemas
 */
export const ProcessCommand = Schema.Struct({
  binary: Schema.String,
  args: Schema.Array(Schema.String),
  ...surroundings
})

/**
 * @since 0.1.0
 * @category schemas
 */
export const ProcessScript = Schema.Struct({ script: Schema.String, ...surroundings })

/** What is to be known of how a command ran, in sentences: that nothing held it, what limit it met, what was taken from it. */
const Notes = Schema.optionalWith(Schema.Array(Schema.String), { exact: true })

/**
 * `truncated` says that output was dropped at a limit. `stdoutBytes` and `stderrBytes` are there where what was written is
 * not UTF-8, and only there: the text beside them has U+FFFD for what could not be read.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ProcessResult = Schema.Struct({
  exitCode: Schema.Finite,
  signal: Schema.NullOr(Schema.String),
  stdout: Schema.String,
  stderr: Schema.String,
  truncated: Schema.Boolean,
  stdoutBytes: Schema.optionalWith(Schema.Uint8ArrayFromBase64, { exact: true }),
  stderrBytes: Schema.optionalWith(Schema.Uint8ArrayFromBase64, { exact: true }),
  notes: Notes
})

/**
 * @since 0.1.0
 * @category schemas
 */
export const ProcessEvent = Schema.Union(
  Schema.Struct({ _tag: Schema.Literal("Stdout", "Stderr"), bytes: Schema.Uint8ArrayFromBase64 }),
  Schema.Struct({
    _tag: Schema.Literal("Exit"),
    exitCode: Schema.Finite,
    signal: Schema.NullOr(Schema.String),
    truncated: Schema.optionalWith(Schema.Boolean, { exact: true }),
    notes: Notes
  })
)

/**
 * The first event of a command that is started to be spoken with. `pid` is missing where the backend has none to tell.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ProcessStarted = Schema.Struct({
  _tag: Schema.Literal("Started"),
  pid: Schema.optionalWith(Schema.Int, { exact: true })
})

/**
 * The signals that a tool may send. None of them holds a process, so that none outlives its deadline unheard.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ProcessSignal = Schema.Literal("SIGINT", "SIGHUP", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2")

/**
 * What a command can be told while it runs: a signal to its group, or `END`: to end, with all that it has started, politely
 * first and then by force.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ProcessOrder = Schema.Union(Schema.Literal("END"), ProcessSignal)

/**
 * What goes to a command while it runs, in two lanes: orders never wait behind input. A backend takes the next input when
 * the command has taken the one before; the end of the lane is the end of the input. A lane does not fail: who feeds it
 * interrupts the operation instead.
 *
 * @since 0.1.0
 * @category models
 */
export interface ProcessInput {
  readonly stdin?: Stream.Stream<Uint8Array> | undefined
  readonly orders?: Stream.Stream<typeof ProcessOrder.Type> | undefined
}

/**
 * The operations themselves, over plain data, as a backend writes them. `input` comes besides, bit by bit.
 *
 * @since 0.1.0
 * @category models
 */
export interface ProcessOperations {
  readonly spawn: (
    command: typeof ProcessCommand.Type,
    input?: ProcessInput
  ) => Effect.Effect<typeof ProcessResult.Type, ProcessError>
  readonly stream: (
    command: typeof ProcessCommand.Type,
    input?: ProcessInput
  ) => Stream.Stream<typeof ProcessEvent.Type, ProcessError>
  readonly start: (
    command: typeof ProcessCommand.Type,
    input?: ProcessInput
  ) => Stream.Stream<typeof ProcessStarted.Type | typeof ProcessEvent.Type, ProcessError>
  readonly shell: (
    script: typeof ProcessScript.Type,
    input?: ProcessInput
  ) => Effect.Effect<typeof ProcessResult.Type, ProcessError>
}

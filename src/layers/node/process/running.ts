/** One child from its start to its end. Whoever starts it hears of its end once. */
import { type ChildProcess, spawn } from "node:child_process"
import { constants } from "node:os"
import { Either } from "effect"
import type { Process } from "../../../capabilities/process/Process.js"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import { Inherits, withoutInherited } from "../sandbox/Inherited.js"
import type { CheckedCommand } from "./CheckedCommand.js"
import type { Sink } from "./output.js"
import { type Child, type Reaper, signalGroup } from "./reaper.js"
import * as refusals from "./refusals.js"

export type Ended = Pick<Process.Result, "exitCode" | "signal">

export interface Start {
  readonly command: CheckedCommand
  /** How the child gets into its directory. */
  readonly at: string
  readonly mark: string
  readonly stdin: Uint8Array | undefined
  /** Whether more comes than `stdin`. */
  readonly isFed: boolean
  readonly sink: Sink
  readonly reaper: Reaper
  readonly done: (outcome: Either.Either<Ended, ProcessError>) => void
}

export interface Running {
  readonly hasExited: () => boolean
  /** Ends the child and all that it has started, for this reason; answers when nobody is left. */
  readonly stop: (reason: ProcessError) => Promise<void>
  /** At once and without waiting, for when this program itself ends. */
  readonly kill: () => void
  /** Whether output is wanted now. */
  readonly flow: (isOpen: boolean) => void
  /** Nothing, if it could not be started. */
  readonly pid: number | undefined
  /** Answers when the child's pipe has taken the bytes: `false` if the child reads no more. */
  readonly write: (bytes: Uint8Array) => Promise<boolean>
  /** There is no more to read. */
  readonly endInput: () => void
  /** To the group; not to a child that has ended, whose number may be another's by now. */
  readonly signal: (name: NodeJS.Signals) => void
  /** Ends the child and all that it has started, which is its result and no failure. */
  readonly end: () => void
}

const notRunning: Running = {
  hasExited: () => true,
  stop: () => Promise.resolve(),
  kill: () => {},
  flow: () => {},
  pid: undefined,
  write: () => Promise.resolve(false),
  endInput: () => {},
  signal: () => {},
  end: () => {}
}

/** How long after its end somebody may hold a child's output before they are taken for lost. */
const LINGER_MILLIS = 100

const ignored = () => {}

/** As a shell has it: 128 and the number of the signal. */
const endedBy = (code: number | null, signal: NodeJS.Signals | null): Ended => ({
  exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
  signal
})

const launch = ({ at, command, isFed, stdin }: Start): ChildProcess => {
  const [argv0 = command.path, ...args] = command.argv
  const own = [
    stdin === undefined && !isFed ? "ignore" : "pipe",
    "pipe",
    "pipe",
    ...command.descriptors
  ] as const
  return withoutInherited(own.length, (rest) =>
    spawn(command.path, args, {
      argv0,
      cwd: at,
      env: command.env,
      // A session and a group of its own, so that all of it can be ended together.
      detached: true,
      shell: false,
      stdio: [...own, ...rest]
    })
  )
}

export const start = (given: Start): Running => {
  const { command, done, isFed, mark, reaper, sink, stdin } = given
  const name = command.proof.request.element.argv?.[0] ?? "sh"
  let process: ChildProcess
  try {
    process = launch(given)
  } catch (cause) {
    // Like every other end, it comes after the start.
    const refusal = cause instanceof Inherits ? refusals.inherits(name) : refusals.notStarted(name, cause)
    queueMicrotask(() => done(Either.left(refusal)))
    return notRunning
  }
  const { stderr, stdin: input, stdout } = process
  const outputs = [stdout, stderr]
  let ended: Ended | undefined
  let isSettled = false
  let isClosed = false
  let isEnding = false
  let stopping: Promise<void> | undefined
  let lingering: NodeJS.Timeout | undefined
  const child: Child = { pid: process.pid ?? 0, mark, hasExited: () => ended !== undefined }

  const release = () => {
    clearTimeout(lingering)
    for (const stream of [input, ...outputs]) stream?.destroy()
  }
  const settle = (outcome: Either.Either<Ended, ProcessError>) => {
    if (isSettled) return
    isSettled = true
    release()
    done(outcome)
  }

  process.on("error", (cause) => {
    if (process.pid === undefined) settle(Either.left(refusals.notStarted(name, cause)))
  })
  // A child need not read what it is given.
  input?.on("error", ignored)
  if (stdin !== undefined) input?.write(stdin)
  if (!isFed) input?.end()
  stdout?.on("error", ignored).on("data", (chunk: Buffer) => sink.write("Stdout", chunk))
  stderr?.on("error", ignored).on("data", (chunk: Buffer) => sink.write("Stderr", chunk))
  process.on("exit", (code, signal) => {
    ended = endedBy(code, signal)
    signalGroup(child, "SIGKILL")
    if (stopping !== undefined || isEnding) return
    // What has been read to its end needs nobody to wait for it.
    if (outputs.every((stream) => stream === null || stream.closed)) return
    flow(true)
    lingering = setTimeout(abandon, LINGER_MILLIS)
  })
  process.on("close", () => {
    isClosed = true
    if (ended !== undefined && stopping === undefined && !isEnding) settle(Either.right(ended))
  })

  const flow = (isOpen: boolean) => {
    for (const stream of outputs) isOpen || ended !== undefined ? stream?.resume() : stream?.pause()
  }
  /** The child is gone and its output is not: what is written is read once more, and who holds it is ended. */
  const abandon = () => {
    setImmediate(async () => {
      if (isSettled || stopping !== undefined || isEnding) return
      await reaper.abandon(child)
      if (isSettled || stopping !== undefined || isEnding) return
      lingering = setTimeout(settleSoon, LINGER_MILLIS)
    })
  }
  const settleSoon = () =>
    setImmediate(() => ended !== undefined && stopping === undefined && settle(Either.right(ended)))
  const stop = (reason: ProcessError): Promise<void> => {
    if (isSettled || process.pid === undefined) return Promise.resolve()
    clearTimeout(lingering)
    stopping ??= reaper.end(child).finally(() => settle(Either.left(reason)))
    return stopping
  }
  const kill = () => {
    if (ended === undefined) signalGroup(child, "SIGKILL")
  }
  const end = () => {
    if (isSettled || isEnding || stopping !== undefined || process.pid === undefined) return
    clearTimeout(lingering)
    isEnding = true
    // What it wrote last is still read: nobody is left who could hold the pipes open.
    reaper.end(child).finally(() => {
      isEnding = false
      if (isSettled || stopping !== undefined) return
      if (ended === undefined) return settle(Either.left(refusals.undying(name)))
      if (isClosed) return settle(Either.right(ended))
      flow(true)
      lingering = setTimeout(settleSoon, LINGER_MILLIS)
    })
  }
  const write = (bytes: Uint8Array) =>
    new Promise<boolean>((resolve) => {
      if (input?.writable !== true) resolve(false)
      else input.write(bytes, (error) => resolve(error === undefined || error === null))
    })
  return {
    hasExited: child.hasExited,
    stop,
    kill,
    flow,
    pid: process.pid,
    write,
    endInput: () => input?.end(),
    signal: (signal) => {
      if (ended === undefined && !isSettled) signalGroup(child, signal)
    },
    end
  }
}

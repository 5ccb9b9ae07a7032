/** One child from its start to its end. Whoever starts it hears of its end once. */

import { type ChildProcess, spawn } from "node:child_process"
import { constants } from "node:os"
import { Either } from "effect"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import { Inherits, withoutInherited } from "../sandbox/Inherited.js"
import type { Ended } from "./ended.js"
import * as ending from "./ending.js"
import { gateOf } from "./gate.js"
import type { Launch } from "./launch.js"
import { type Sink, Tail } from "./output.js"
import type { Child, Reaper } from "./reaper.js"
import * as refusals from "./refusals.js"

export interface Start {
  readonly launch: Launch
  readonly mark: string
  readonly graceMillis: number
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
  /** Writes without waiting, and says how much of all that its pipe has not taken. */
  readonly tell: (text: string) => void
  readonly untold: () => number
  /** Whether anybody is left who could write to its output. */
  readonly speaks: () => boolean
  /** There is no more to read. */
  readonly endInput: () => void
  /** Of one that is held before its command begins, its first process inside, and what lets it begin. */
  readonly born: Promise<number | undefined>
  readonly release: () => void
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
  tell: () => {},
  untold: () => 0,
  speaks: () => false,
  endInput: () => {},
  born: Promise.resolve(undefined),
  release: () => {},
  signal: () => {},
  end: () => {}
}

/** How long after its end somebody may hold a child's output before they are taken for lost. */
const LINGER_MILLIS = 100

const ignored = () => {}

/** As a shell has it: 128 and the number of the signal. */
const endedBy = (code: number | null, signal: NodeJS.Signals | null): Ended => ({
  exitCode: code ?? numberOf(signal),
  signal
})

const numberOf = (signal: NodeJS.Signals | null): number =>
  128 + (signal === null ? 0 : constants.signals[signal])

/** What holds a child tells of a signal by its number alone. One that was sent from here is known by it. */
const named = (ended: Ended, sent: ReadonlySet<NodeJS.Signals>): Ended => ({
  ...ended,
  signal: ended.signal ?? [...sent].find((signal) => numberOf(signal) === ended.exitCode) ?? null
})

const spawned = ({ isFed, launch, stdin }: Start): ChildProcess => {
  const own = [
    stdin === undefined && !isFed ? "ignore" : "pipe",
    "pipe",
    "pipe",
    ...(launch.hold?.descriptors ?? [])
  ] as const
  return withoutInherited(own.length, (rest) =>
    spawn(launch.file, launch.args, {
      argv0: launch.argv0,
      cwd: launch.at,
      env: launch.env,
      // A session and a group of its own, so that all of it can be ended together.
      detached: true,
      shell: false,
      stdio: [...own, ...rest]
    })
  )
}

export const start = (given: Start): Running => {
  const { done, graceMillis, isFed, launch, mark, reaper, sink, stdin } = given
  const { hold, name } = launch
  let process: ChildProcess
  try {
    process = spawned(given)
  } catch (cause) {
    // Like every other end, it comes after the start.
    const refusal = cause instanceof Inherits ? refusals.inherits(name) : refusals.notStarted(name, cause)
    queueMicrotask(() => done(Either.left(refusal)))
    return notRunning
  }
  const { stderr, stdin: input, stdout } = process
  const outputs = [stdout, stderr]
  const tail = new Tail()
  const gate = hold === undefined ? undefined : gateOf(hold, process)
  let ended: Ended | undefined
  let isSettled = false
  let isClosed = false
  let isEnding = false
  let leaving: Promise<void> | undefined
  const sent = new Set<NodeJS.Signals>()
  let stopping: Promise<void> | undefined
  let lingering: NodeJS.Timeout | undefined
  const child: Child = { pid: process.pid ?? 0, mark, hasExited: () => ended !== undefined }
  const ends =
    hold === undefined ? ending.unheld(reaper, child) : ending.held(hold.inside, child, graceMillis)

  const release = () => {
    clearTimeout(lingering)
    gate?.close()
    for (const stream of [input, ...outputs]) stream?.destroy()
  }
  const settle = (outcome: Either.Either<Ended, ProcessError>) => {
    if (isSettled) return
    isSettled = true
    release()
    done(outcome)
  }
  /** Its own end, as it would be without whatever holds it. */
  const finish = (own: Ended) => settle(launch.verdict(own, tail.text))

  process.on("error", (cause) => {
    if (process.pid === undefined) settle(Either.left(refusals.notStarted(name, cause)))
  })
  // A child need not read what it is given.
  input?.on("error", ignored)
  if (stdin !== undefined) input?.write(stdin)
  if (!isFed) input?.end()
  stdout?.on("error", ignored).on("data", (chunk: Buffer) => sink.write("Stdout", chunk))
  stderr?.on("error", ignored).on("data", (chunk: Buffer) => {
    tail.add(chunk)
    sink.write("Stderr", chunk)
  })
  process.on("exit", (code, signal) => {
    ended = named(endedBy(code, signal), sent)
    gate?.close()
    leaving = ends.left(signal)
    if (stopping !== undefined || isEnding) return
    // What has been read to its end needs nobody to wait for it.
    if (outputs.every((stream) => stream === null || stream.closed)) return
    flow(true)
    lingering = setTimeout(abandon, LINGER_MILLIS)
  })
  process.on("close", () => {
    isClosed = true
    if (leaving === undefined) closed()
    else leaving.then(closed)
  })
  const closed = () => {
    if (ended !== undefined && stopping === undefined && !isEnding) finish(ended)
  }

  const flow = (isOpen: boolean) => {
    for (const stream of outputs) isOpen || ended !== undefined ? stream?.resume() : stream?.pause()
  }
  /** The child is gone and its output is not: what is written is read once more, and who holds it is ended. */
  const abandon = () => {
    setImmediate(async () => {
      if (isSettled || stopping !== undefined || isEnding) return
      await ends.abandon()
      if (isSettled || stopping !== undefined || isEnding) return
      lingering = setTimeout(settleSoon, LINGER_MILLIS)
    })
  }
  const settleSoon = () => setImmediate(() => ended !== undefined && stopping === undefined && finish(ended))
  const stop = (reason: ProcessError): Promise<void> => {
    if (isSettled || process.pid === undefined) return Promise.resolve()
    clearTimeout(lingering)
    stopping ??= ends.end(false).finally(() => settle(Either.left(reason)))
    return stopping
  }
  const kill = () => {
    if (ended === undefined) ends.kill()
  }
  const end = () => {
    if (isSettled || isEnding || stopping !== undefined || process.pid === undefined) return
    clearTimeout(lingering)
    isEnding = true
    if (hold !== undefined) for (const name of ["SIGTERM", "SIGKILL"] as const) sent.add(name)
    // What it wrote last is still read: nobody is left who could hold the pipes open.
    ends.end(gate?.isOpen() !== false).finally(() => {
      isEnding = false
      if (isSettled || stopping !== undefined) return
      if (ended === undefined) return settle(Either.left(refusals.undying(name)))
      if (isClosed) return finish(ended)
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
    tell: (text) => {
      if (input?.writable === true) input.write(text)
    },
    untold: () => input?.writableLength ?? 0,
    speaks: () => stdout?.readableEnded === false && (hold === undefined || hold.inside.speaks),
    endInput: () => input?.end(),
    born: gate?.born ?? Promise.resolve(undefined),
    release: () => gate?.release(),
    signal: (signal) => {
      if (ended !== undefined || isSettled) return
      if (hold !== undefined) sent.add(signal)
      ends.signal(signal)
    },
    end
  }
}

/** What a child writes, as it comes. A child that writes faster than it is read waits, as it would for a pipe. */
import { Cause, Chunk, Effect, Exit, Option, Stream } from "effect"
import type { Process } from "../../../capabilities/process/Process.js"
import type {
  ProcessError,
  ProcessOperations,
  ProcessStarted
} from "../../../capabilities/process/ProcessOperations.js"
import type { Ended } from "./ended.js"
import type { Machine, Wanted } from "./machine.js"
import { type Channel, Meter, type Sink } from "./output.js"
import type { Running } from "./running.js"
import { run } from "./supervise.js"

type Event = typeof ProcessStarted.Type | Process.Event

type Pull = Effect.Effect<Chunk.Chunk<Event>, Option.Option<ProcessError>>

/** How much may lie unread before the child is held. */
const HELD_BYTES = 256 * 1024

class Events implements Sink {
  private readonly meter: Meter
  private unread: Array<Event> = []
  private unreadBytes = 0
  private running: Running | undefined
  private exit: Exit.Exit<Ended, ProcessError> | undefined
  private reader: ((pull: Pull) => void) | undefined

  constructor(maxBytes: number) {
    this.meter = new Meter(maxBytes)
  }

  attach(running: Running): void {
    this.running = running
  }

  /** Says first that the child runs; one that could not be started has its failure only. */
  announce({ pid }: Running): void {
    if (pid === undefined) return
    this.unread.push({ _tag: "Started", pid })
    this.wake()
  }

  write(channel: Channel, chunk: Buffer): void {
    const { buffer, byteOffset, length } = this.meter.admit(channel, chunk)
    if (length === 0) return
    this.unread.push({ _tag: channel, bytes: new Uint8Array(buffer, byteOffset, length) })
    this.unreadBytes += length
    if (this.unreadBytes > HELD_BYTES) this.running?.flow(false)
    this.wake()
  }

  finish(exit: Exit.Exit<Ended, ProcessError>): void {
    this.exit = exit
    if (Exit.isSuccess(exit)) {
      const truncated = this.meter.truncated ? { truncated: true } : {}
      this.unread.push({ _tag: "Exit", ...exit.value, ...truncated })
    }
    this.wake()
  }

  private wake(): void {
    const { reader } = this
    this.reader = undefined
    reader?.(this.next)
  }

  /** What is there, or else what comes. */
  readonly next: Pull = Effect.suspend((): Pull => {
    if (this.unread.length > 0) {
      const events = Chunk.unsafeFromArray(this.unread)
      this.unread = []
      this.unreadBytes = 0
      this.running?.flow(true)
      return Effect.succeed(events)
    }
    if (this.exit !== undefined) {
      return Exit.isSuccess(this.exit)
        ? Effect.fail(Option.none())
        : Effect.failCause(Cause.map(this.exit.cause, Option.some))
    }
    return Effect.async((resume) => {
      this.reader = resume
      return Effect.sync(() => {
        this.reader = undefined
      })
    })
  })
}

export const started = (machine: Machine, wanted: Wanted): ReturnType<ProcessOperations["start"]> =>
  Stream.unwrapScoped(
    Effect.suspend(() => {
      // Who speaks with a child that serves bounds what it hears.
      const events = new Events(
        wanted.proof.lasts ? Number.POSITIVE_INFINITY : machine.settings.maxOutputBytes
      )
      const child = run(machine, wanted, events, (running) => {
        events.attach(running)
        events.announce(running)
      })
      return Effect.as(
        Effect.forkScoped(Effect.onExit(child, (exit) => Effect.sync(() => events.finish(exit)))),
        Stream.repeatEffectChunkOption(events.next)
      )
    })
  )

/** The same without the announcement: who reads it knows by its first event. */
export const stream = (machine: Machine, wanted: Wanted): Stream.Stream<Process.Event, ProcessError> =>
  Stream.filter(started(machine, wanted), (event): event is Process.Event => event._tag !== "Started")

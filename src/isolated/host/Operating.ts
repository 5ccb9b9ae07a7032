/**
 * The operations that a worker asks for in one call: they run here, in the call's own Context, on the services that the call
 * was given. A worker names an operation and its payload, and nothing else is taken from it.
 *
 * @since 0.1.0
 */
import { Cause, Effect, Either, Exit, type Fiber, FiberId, Option, Runtime, Stream } from "effect"
import { type Operations, operationsOf } from "../../capabilities/Remote.js"
import { type Coded, codecsOf } from "../protocol/Codec.js"
import type { Message } from "../protocol/Frames.js"
import { WINDOW } from "../protocol/Windows.js"
import type { Limits } from "./Limits.js"
import { Lane } from "./lane.js"
import { Misbehaved } from "./Worker.js"

/**
 * A service that a call may use: what it can be asked, and who answers.
 *
 * @since 0.1.0
 * @category models
 */
export interface Served {
  readonly operations: Operations
  readonly by: object
}

/**
 * A service of a category, by what it was made from; nothing for a double that was not made from anything.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ofCategory = (operations: Operations, service: unknown): Served | undefined => {
  const by = operationsOf(service)
  return by === undefined ? undefined : { operations, by }
}

type Runner = Runtime.Runtime<never>

interface Running {
  fiber: Fiber.RuntimeFiber<unknown, unknown> | undefined
  readonly lanes: ReadonlyMap<string, Lane>
  readonly coded: Coded
  /** What it was sent, and nobody has taken yet. */
  bytes: number
  credit: number
  isStopped: boolean
  wake: (() => void) | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export class Operating {
  private readonly running = new Map<number, Running>()
  private last = 0
  private bytes = 0
  private idle = 0

  constructor(
    private readonly served: ReadonlyMap<string, Served>,
    private readonly runtime: Runner,
    private readonly limits: Limits,
    private readonly send: (message: Message) => void,
    /** Hears of what operations fail with. */
    private readonly failed: (failure: unknown) => void
  ) {}

  /** Whether a message was about operations. Throws `Misbehaved`. */
  hear(message: Message, length: number): boolean {
    switch (message.t) {
      case "op":
        this.begin(message, length)
        return true
      case "stop":
        this.stop(message.id)
        return true
      case "ack":
        this.acknowledged(message)
        return true
      case "put":
      case "shut":
        this.fed(message, length)
        return true
      default:
        return false
    }
  }

  private begin(message: Message, length: number): void {
    const { id, key, lanes, op } = message
    if (id <= this.last) throw new Misbehaved("it used a number twice")
    this.last = id
    const served = typeof key === "string" ? this.served.get(key) : undefined
    const coded = served === undefined || typeof op !== "string" ? undefined : codecsOf(served.operations, op)
    const perform: unknown = served === undefined ? undefined : Reflect.get(served.by, String(op))
    if (served === undefined || coded === undefined || typeof perform !== "function") {
      throw new Misbehaved("it asked for what it was not given")
    }
    const payload = coded.payload.decode(message.value)
    if (Either.isLeft(payload)) throw new Misbehaved("it asked for something in a way that cannot be read")
    if (this.running.size >= this.limits.operations) throw new Misbehaved("it asked for too much at once")
    const given = this.lanesOf(id, coded, lanes)
    const state: Running = {
      fiber: undefined,
      lanes: given,
      coded,
      bytes: 0,
      credit: WINDOW,
      wake: undefined,
      isStopped: false
    }
    this.holds(state, length)
    this.running.set(id, state)
    const input = Object.fromEntries([...given].map(([name, { stream }]) => [name, stream]))
    const answer = () =>
      Reflect.apply(perform, served.by, given.size === 0 ? [payload.right] : [payload.right, input])
    const effect: Effect.Effect<unknown, unknown> = coded.isStream
      ? Effect.suspend(() => this.flow(id, state, answer() as Stream.Stream<unknown, unknown>))
      : Effect.suspend(() => answer() as Effect.Effect<unknown, unknown>)
    state.fiber = Runtime.runFork(this.runtime)(effect)
    state.fiber.addObserver((exit) => this.settle(id, state, exit))
  }

  /** What waits here for somebody to take it is bounded, whatever it is for. */
  private holds(state: Running, length: number): void {
    state.bytes += length
    this.bytes += length
    if (this.bytes > this.limits.operationBytes) throw new Misbehaved("it asked for too much at once")
  }

  /** What is about nothing that runs was on its way when that ended; nobody has so much on its way. */
  private late(): void {
    if (++this.idle > this.limits.idle) throw new Misbehaved("it does not stop to speak of what is over")
  }

  private taken(id: number, lane: string, length: number): void {
    const state = this.running.get(id)
    if (state !== undefined) {
      state.bytes -= length
      this.bytes -= length
    }
    this.send({ t: "more", id, lane, n: 1 })
  }

  private lanesOf(id: number, coded: Coded, named: unknown): ReadonlyMap<string, Lane> {
    const names = Array.isArray(named) ? named.map(String) : []
    if (names.some((name) => !coded.inputs.has(name)) || new Set(names).size !== names.length) {
      throw new Misbehaved("it feeds what takes nothing")
    }
    return new Map(names.map((name) => [name, new Lane((length) => this.taken(id, name, length))]))
  }

  /** One element at a time, as long as the worker takes them. */
  private flow(
    id: number,
    state: Running,
    stream: Stream.Stream<unknown, unknown>
  ): Effect.Effect<unknown, unknown> {
    return Stream.runForEach(stream, (one) =>
      Effect.suspend(() => {
        this.send({ t: "chunk", id, value: state.coded.success.encode(one) ?? null })
        if (--state.credit > 0) return Effect.void
        return Effect.async<void>((resume) => {
          state.wake = () => resume(Effect.void)
        })
      })
    )
  }

  private settle(id: number, state: Running, exit: Exit.Exit<unknown, unknown>): void {
    if (!this.running.delete(id)) return
    this.bytes -= state.bytes
    if (state.isStopped) return
    try {
      this.send(this.answerOf(id, state.coded, exit))
    } catch {
      // What cannot be carried is no answer.
      this.send({ t: "die", id })
    }
  }

  private answerOf(id: number, coded: Coded, exit: Exit.Exit<unknown, unknown>): Message {
    if (Exit.isSuccess(exit)) {
      return coded.isStream ? { t: "end", id } : { t: "ok", id, value: coded.success.encode(exit.value) }
    }
    const failure = Cause.failureOption(exit.cause)
    if (Option.isNone(failure)) return { t: "die", id }
    this.failed(failure.value)
    return { t: "fail", id, value: coded.failure.encode(failure.value) }
  }

  /** It counts among those that run until it has come to its end: stopping may take long. */
  private stop(id: number): void {
    const state = this.running.get(id)
    if (state === undefined || state.isStopped) {
      this.late()
      return
    }
    state.isStopped = true
    state.fiber?.unsafeInterruptAsFork(FiberId.none)
  }

  private acknowledged({ id, n }: Message): void {
    const state = this.running.get(id)
    if (state === undefined) {
      this.late()
      return
    }
    if (typeof n !== "number" || !Number.isSafeInteger(n) || n < 1 || state.credit + n > WINDOW) {
      throw new Misbehaved("it took what it was not sent")
    }
    state.credit += n
    const { wake } = state
    state.wake = undefined
    wake?.()
  }

  private fed({ id, lane, t, value }: Message, length: number): void {
    const state = this.running.get(id)
    if (state === undefined) {
      this.late()
      return
    }
    const found = state.lanes.get(String(lane))
    if (found === undefined) throw new Misbehaved("it feeds what takes nothing")
    if (t === "shut") {
      found.shut()
      return
    }
    const decoded = state.coded.inputs.get(String(lane))?.decode(value)
    if (decoded === undefined || Either.isLeft(decoded)) throw new Misbehaved("it feeds what cannot be read")
    this.holds(state, length)
    found.put(decoded.right, length)
  }

  /** Ends all that runs. */
  end(): void {
    for (const { fiber } of this.running.values()) fiber?.unsafeInterruptAsFork(FiberId.none)
    this.running.clear()
  }
}

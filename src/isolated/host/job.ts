/** One job of a worker, in the fiber of whoever asked for it: a call, or a question about one. */
import { type Context, Effect, Either, type Fiber, LogLevel, Runtime, Schema } from "effect"
import { InputInvalid } from "../../registry/InputInvalid.js"
import { Progress, ProgressEvent } from "../../tools/Progress.js"
import type { Message } from "../protocol/Frames.js"
import { ofCategories } from "../protocol/Tables.js"
import { Denials } from "./answer.js"
import type { IsolatedError } from "./IsolatedError.js"
import type { Limits } from "./Limits.js"
import { Operating, type Served } from "./Operating.js"
import { type Ears, Misbehaved, type Worker } from "./Worker.js"

export interface Job {
  readonly t: "call" | "asks" | "available"
  readonly tool: string
  readonly value: unknown
  readonly served: ReadonlyMap<string, Served>
}

/** Where operations run: with all that the call has, its Context and its fiber refs. */
const runtimeOf = (fiber: Fiber.RuntimeFiber<unknown, unknown>): Runtime.Runtime<never> =>
  Runtime.make({
    context: fiber.currentContext as Context.Context<never>,
    fiberRefs: fiber.getFiberRefs(),
    runtimeFlags: Runtime.defaultRuntimeFlags
  })

const eventOf = Schema.decodeUnknownEither(ProgressEvent, { onExcessProperty: "error" })

/** What becomes of a job that gets no answer. */
type Lost = IsolatedError | InputInvalid

type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

/** What becomes of one job. Most are given, answered and over: what only others need is made when it is needed. */
class Hearing<A, E> implements Ears {
  private operating: Operating | undefined
  private runtime: Runtime.Runtime<never> | undefined
  private readonly denials: Denials
  private reports = 0
  private reportBytes = 0
  readonly id: number
  /** Who waits for the answer; nobody once there is one. */
  resume: ((answer: Effect.Effect<A, E | Lost>) => void) | undefined
  /** Called when it has heard that it is to stop, and when it has ended. */
  heeded: (() => void) | undefined
  stopped: (() => void) | undefined

  constructor(
    private readonly worker: Worker,
    private readonly fiber: AnyFiber,
    private readonly limits: Limits,
    private readonly served: ReadonlyMap<string, Served>,
    private readonly read: Read<A, E>,
    private readonly left: () => void
  ) {
    this.id = worker.nextId()
    this.denials = new Denials(worker)
  }

  get isOver(): boolean {
    return this.resume === undefined
  }

  private get surroundings(): Runtime.Runtime<never> {
    this.runtime ??= runtimeOf(this.fiber)
    return this.runtime
  }

  private get operations(): Operating {
    if (this.operating !== undefined) return this.operating
    // Services of the application may hand on refusals in whatever they answer.
    if ([...this.served.keys()].some((key) => !ofCategories.has(key))) this.worker.refused = undefined
    this.operating = new Operating(
      this.served,
      this.surroundings,
      this.limits,
      (message) => this.worker.send(message),
      (failure) => this.denials.heard(failure)
    )
    return this.operating
  }

  hear(message: Message, length: number): void {
    switch (message.t) {
      case "done":
        this.worker.forget(this.id)
        this.over(readBy(this.worker, () => this.read(message.value, this.denials)))
        break
      case "progress":
        this.reported(length)
        this.report(message.value)
        break
      case "log":
        this.reported(length)
        this.log(message.value)
        break
      case "cancelling":
        if (this.heeded === undefined) throw new Misbehaved("it heeds what it was not told")
        this.heeded()
        this.heeded = undefined
        break
      default:
        if (!this.operations.hear(message, length)) throw new Misbehaved("it said what no worker says")
    }
  }

  gone(why: IsolatedError): void {
    this.over(Effect.fail(why))
  }

  over(answer: Effect.Effect<A, E | Lost>): void {
    const { resume } = this
    this.resume = undefined
    this.operating?.end()
    this.left()
    resume?.(answer)
    this.stopped?.()
  }

  /** Whoever hears of it may be slow, and a log is kept. */
  private reported(length: number): void {
    this.reports++
    this.reportBytes += length
    if (this.reports > this.limits.reports || this.reportBytes > this.limits.reportBytes) {
      throw new Misbehaved("it reports and logs without end")
    }
  }

  /** It is logged in the name of the call, as what a tool logs here is. */
  private log(given: unknown): void {
    const decoded = loggedOf(given)
    if (Either.isLeft(decoded)) throw new Misbehaved("it logged what cannot be read")
    const { annotations, level, message } = decoded.right
    const logged = Effect.logWithLevel(LogLevel.fromLiteral(level), ...message)
    Runtime.runFork(this.surroundings)(Effect.annotateLogs(logged, annotations))
  }

  private report(event: unknown): void {
    const decoded = eventOf(event)
    if (Either.isLeft(decoded)) throw new Misbehaved("it reported what is no progress")
    const { context } = this.surroundings
    const listener = context.unsafeMap.get(Progress.key) as Progress.Service | undefined
    if (listener !== undefined) Runtime.runFork(this.surroundings)(listener.report(decoded.right))
  }
}

const Logged = Schema.Struct({
  level: Schema.Literal("Fatal", "Error", "Warning", "Info", "Debug", "Trace"),
  message: Schema.Array(Schema.Unknown).pipe(Schema.maxItems(64)),
  annotations: Schema.Record({ key: Schema.String, value: Schema.Unknown })
})

const loggedOf = Schema.decodeUnknownEither(Logged, { onExcessProperty: "error" })

type Read<A, E> = (value: unknown, denials: Denials) => Effect.Effect<A, E>

/**
 * Asks a worker, and answers with what it says. Interrupted, it has the worker stop: one that does not heed that, or that
 * does not come to an end, is ended. `left` is called when the worker has nothing more to do with it.
 */
export const ask = <A, E>(
  worker: Worker,
  { served, t, tool, value }: Job,
  limits: Limits,
  read: Read<A, E>,
  left: () => void,
  fiber: AnyFiber
): Effect.Effect<A, E | Lost> =>
  Effect.uninterruptibleMask((restore) => {
    const hearing = new Hearing(worker, fiber, limits, served, read, left)
    const answer = Effect.async<A, E | Lost>((resume) => {
      hearing.resume = resume
      const keys = served.size === 0 ? undefined : [...served.keys()]
      try {
        worker.begin({ t, id: hearing.id, tool, value, keys }, hearing)
      } catch {
        hearing.over(Effect.fail(unsendable))
      }
    })
    // An interruption may be there before anything was begun.
    return Effect.catchAllCause(restore(answer), (cause) =>
      hearing.isOver
        ? Effect.zipRight(Effect.sync(left), Effect.failCause(cause))
        : Effect.zipRight(stopping(worker, hearing, limits), Effect.failCause(cause))
    )
  })

const unsendable = new InputInvalid({ detail: "its arguments are too long, or too deep, to be carried" })

/** An answer that is none is the last thing that a worker says. */
const readBy = <A, E>(worker: Worker, read: () => Effect.Effect<A, E>): Effect.Effect<A, E | Lost> => {
  try {
    return read()
  } catch (error) {
    const why = error instanceof Misbehaved ? error.message : "it answered with what cannot be read"
    return Effect.fail(worker.end("WORKER_MISBEHAVED", why))
  }
}

const stopping = <A, E>(worker: Worker, hearing: Hearing<A, E>, limits: Limits): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    const patience = (millis: number, why: string) =>
      setTimeout(() => worker.end("WORKER_ENDED", why), millis)
    let timer = patience(limits.heedMillis, "it did not heed that it was to stop")
    hearing.heeded = () => {
      clearTimeout(timer)
      timer = patience(limits.graceMillis, "it did not come to an end in time")
    }
    hearing.stopped = () => {
      clearTimeout(timer)
      resume(Effect.void)
    }
    worker.send({ t: "cancel", id: hearing.id })
  })

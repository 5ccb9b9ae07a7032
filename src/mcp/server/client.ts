/** One client of a server: how far it has initialised, what runs for it, and what it is told. */
import {
  Cause,
  Context,
  Effect,
  Fiber,
  FiberId,
  FiberRef,
  FiberRefs,
  HashSet,
  Option,
  Runtime,
  RuntimeFlags,
  type Scope
} from "effect"
import { currentCall, idOf } from "../../policy/gate/Call.js"
import { Answering } from "../../registry/inquiry/Answering.js"
import type { Event, Transcript } from "../../registry/Transcript.js"
import type { Turn } from "../../registry/Turn.js"
import { Progress } from "../../tools/Progress.js"
import type { Notification, Request, RequestId } from "../protocol/Message.js"
import { isRequestId, own, type ReadMessage, readMessage } from "../protocol/ReadMessage.js"
import { Inquirer } from "./inquirer.js"
import { introduction, type Offers, offersOf, revisionFor } from "./introduction.js"
import { isHeard, type Level, levelOf, refusalLog, toolLogger } from "./logs.js"
import { methods } from "./methods.js"
import { overBackends, withoutServing } from "./needs.js"
import { defaultLimits, type Limits, type Options, type Serving, Unserved } from "./Options.js"
import { type Problem, problem, said } from "./problem.js"
import { progressToken, Reports } from "./reports.js"
import type { Asked } from "./resources.js"
import type { Send, Session } from "./Session.js"

interface Running {
  readonly id: RequestId
  /** Its name in transcripts and logs. Two clients may share a turn, and both call their first request 1. */
  readonly call: string
  readonly reports: Reports | undefined
  readonly introduces: boolean
  fiber: Fiber.RuntimeFiber<unknown, unknown> | undefined
}

type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

const INITIALIZE = "initialize"
const INTERNAL = problem("internal", "the server broke unexpectedly; its log has the details")
const INTERRUPTED = problem("internal", "the request was interrupted")

let opened = 0

/** A value that throws when it is looked at is no message either. */
const read = (value: unknown): ReadMessage => {
  try {
    return readMessage(value)
  } catch {
    return { _tag: "Unreadable", id: null, detail: "it cannot be looked at" }
  }
}

export class Client<R> {
  private readonly limits: Limits
  private readonly ordinal = ++opened
  private readonly runtime: Runtime.Runtime<R>
  private readonly running = new Map<RequestId, Running>()
  private readonly byCall = new Map<string, Running>()
  private readonly fibers = new Set<AnyFiber>()
  private readonly heard = new Map<Transcript, () => void>()
  private readonly inquirer: Inquirer
  private state: "fresh" | "introduced" | "ready" | "closed" = "fresh"
  private offers: Offers = { resources: false, prompts: false }
  private level: Level = "info"

  constructor(
    private readonly options: Options<R>,
    private readonly send: Send,
    given: Runtime.Runtime<R>
  ) {
    this.limits = { ...defaultLimits, ...options.limits }
    this.inquirer = new Inquirer(send, (call) => this.byCall.get(call)?.id)
    // One listener for all calls: to the registry another one would be another program. Whoever opens a client may not be
    // interruptible while that is done; what runs for it is.
    this.runtime = Runtime.make({
      context: given.context.pipe(
        Context.add(Progress, this.listener(given.context)),
        Context.add(Answering, this.inquirer.service)
      ) as Context.Context<R>,
      fiberRefs: options.toolLogs === true ? this.overheard(given.fiberRefs) : given.fiberRefs,
      runtimeFlags: RuntimeFlags.enable(
        RuntimeFlags.disable(given.runtimeFlags, RuntimeFlags.RuntimeMetrics),
        RuntimeFlags.Interruption
      )
    })
  }

  /** Takes one message, which may be anything. It does not throw. */
  take(value: unknown): void {
    if (this.state === "closed") return
    const given = read(value)
    if (given._tag === "Unreadable") this.refuse(given.id, problem("invalidRequest", given.detail))
    else if (given._tag === "Request") this.request(given.message)
    else if (given._tag === "Notification") this.notified(given.message)
    else this.inquirer.answered(given.message)
  }

  /** Says that something came which is no message. */
  refuse(id: RequestId | null, error: Problem): void {
    this.fork(this.send({ jsonrpc: "2.0", id, error }, id ?? undefined))
  }

  private request(message: Request): void {
    const refusal = this.begin(message)
    if (refusal !== undefined) this.refuse(message.id, refusal)
  }

  /** Starts a request, or says why not. */
  private begin(message: Request): Problem | undefined {
    const { id, method, params } = message
    const { inFlight } = this.limits
    if (this.running.has(id)) return problem("invalidRequest", "a request with this id is still running")
    if (method === "ping") return this.answer(id, {})
    if (this.running.size >= inFlight)
      return problem("busy", `${inFlight} requests run already; wait for one of them`)
    if (method === INITIALIZE) return this.initialize(message)
    if (this.state === "fresh") return problem("invalidRequest", "the first request must be initialize")
    if (method === "logging/setLevel") return this.setLevel(id, own(params, "level"))
    const answered = methods.get(method)
    if (answered === undefined) return problem("unknownMethod", `there is no method ${said(method)}`)
    return this.start(message, answered)
  }

  private initialize(message: Request): Problem | undefined {
    if (this.state !== "fresh") return problem("invalidRequest", "the session is initialised already")
    this.state = "introduced"
    return this.start(message, ({ params, serving }) => {
      this.offers = offersOf(serving)
      const revision = revisionFor(params)
      this.inquirer.introduced(params, revision)
      return Effect.succeed(introduction(this.options, this.offers, revision))
    })
  }

  private setLevel(id: RequestId, word: unknown): Problem | undefined {
    const level = levelOf(word)
    if (level === undefined)
      return problem("invalidParams", "params.level must be a level of RFC 5424, such as warning")
    this.level = level
    return this.answer(id, {})
  }

  private notified({ method, params }: Notification): void {
    if (method === "notifications/cancelled") this.cancel(own(params, "requestId"))
    else if (method === "notifications/initialized" && this.state === "introduced") this.state = "ready"
  }

  private cancel(id: unknown): void {
    const running = isRequestId(id) ? this.running.get(id) : undefined
    // Who takes back the introduction would be left without one.
    if (running === undefined || running.introduces) return
    // It is gone before it is interrupted: nothing that it still does is answered.
    this.settle(running)
    running.fiber?.unsafeInterruptAsFork(FiberId.none)
  }

  private start(
    { id, method: name, params }: Request,
    method: (asked: Asked<R>) => Effect.Effect<object, Problem, R>
  ): undefined {
    const call = `${this.ordinal}/${typeof id === "number" ? id : JSON.stringify(id)}`
    const token = progressToken(params)
    const reports = token === undefined ? undefined : new Reports(token)
    const running: Running = { id, call, reports, introduces: name === INITIALIZE, fiber: undefined }
    this.running.set(id, running)
    this.byCall.set(call, running)
    const answering = Effect.catchAll(
      Effect.flatMap(this.options.serves, (serving: Serving<R>) => {
        this.hear(serving.turn)
        const answer = method({ serving, params, call, pageSize: this.limits.pageSize })
        return overBackends(answer, serving, name, params)
      }),
      (problem) => (problem instanceof Unserved ? withoutServing(name, problem) : Effect.fail(problem))
    )
    running.fiber = this.fork(
      Effect.matchCauseEffect(answering, {
        onFailure: (cause) => this.failed(running, cause),
        onSuccess: (result) =>
          this.settle(running) ? this.send({ jsonrpc: "2.0", id, result }, id) : Effect.void
      })
    )
  }

  /** Whether it was still running: whoever settles a request is the one who may answer it. */
  private settle(running: Running): boolean {
    if (this.running.get(running.id) !== running) return false
    this.byCall.delete(running.call)
    return this.running.delete(running.id)
  }

  private failed(running: Running, cause: Cause.Cause<Problem>): Effect.Effect<void> {
    if (!this.settle(running)) return Effect.void
    const { call, id, introduces } = running
    // What is not served now may be in a moment: the client may try again.
    if (introduces) this.state = "fresh"
    const expected = Cause.failureOption(cause)
    if (Option.isSome(expected)) return this.send({ jsonrpc: "2.0", id, error: expected.value }, id)
    if (Cause.isInterruptedOnly(cause)) return this.send({ jsonrpc: "2.0", id, error: INTERRUPTED }, id)
    return Effect.zipRight(
      Effect.annotateLogs(Effect.logError("a request of a client broke", cause), { call }),
      this.send({ jsonrpc: "2.0", id, error: INTERNAL }, id)
    )
  }

  private answer(id: RequestId, result: object): undefined {
    this.fork(this.send({ jsonrpc: "2.0", id, result }, id))
  }

  private fork(effect: Effect.Effect<void, never, R>): AnyFiber {
    const fiber: AnyFiber = Runtime.runFork(this.runtime, effect)
    if (fiber.unsafePoll() === null) {
      this.fibers.add(fiber)
      fiber.addObserver(() => this.fibers.delete(fiber))
    }
    return fiber
  }

  private listener(context: Context.Context<R>): Progress.Service {
    const outer = context.unsafeMap.get(Progress.key) as Progress.Service | undefined
    return {
      report: (event) =>
        Effect.withFiberRuntime((fiber) => {
          const running = this.byCall.get(idOf(fiber.getFiberRef(currentCall)) ?? "")
          const message = running?.reports?.of(event)
          const told = message === undefined ? Effect.void : this.send(message, running?.id)
          return outer === undefined ? told : Effect.zipRight(outer.report(event), told)
        })
    }
  }

  /** Listens to what is decided in a turn; to an earlier one, for as long as something runs in it. */
  private hear({ transcript }: Turn): void {
    if (this.heard.has(transcript)) return
    if (this.running.size <= 1) this.deafen()
    this.heard.set(
      transcript,
      transcript.listen((event) => this.tell(event))
    )
  }

  private deafen(): void {
    for (const stop of this.heard.values()) stop()
    this.heard.clear()
  }

  private tell(event: Event): void {
    if (event.allowed || event.callId === undefined) return
    this.log(event.callId, "warning", refusalLog(event))
  }

  private log(call: string, level: Level, message: Notification): void {
    const running = this.byCall.get(call)
    if (running !== undefined && isHeard(level, this.level)) this.fork(this.send(message, running.id))
  }

  private overheard(refs: FiberRefs.FiberRefs): FiberRefs.FiberRefs {
    const logger = toolLogger((call, level, message) => this.log(call, level, message))
    return FiberRefs.updateAs(refs, {
      fiberId: FiberId.none,
      fiberRef: FiberRef.currentLoggers,
      value: HashSet.add(FiberRefs.getOrDefault(refs, FiberRef.currentLoggers), logger)
    })
  }

  /** Settles when nothing runs. */
  get idle(): Effect.Effect<void> {
    return Effect.suspend(() => Effect.asVoid(Fiber.awaitAll([...this.fibers])))
  }

  get session(): Session {
    const told = (what: string) => this.send({ jsonrpc: "2.0", method: `notifications/${what}/list_changed` })
    return {
      receive: (message) => Effect.sync(() => this.take(message)),
      changed: Effect.suspend(() =>
        this.state === "ready"
          ? Effect.forEach(
              [
                "tools",
                ...(this.offers.resources ? ["resources"] : []),
                ...(this.offers.prompts ? ["prompts"] : [])
              ],
              told,
              { discard: true }
            )
          : Effect.void
      ),
      close: Effect.suspend(() => {
        this.state = "closed"
        this.deafen()
        this.running.clear()
        this.byCall.clear()
        return Fiber.interruptAll([...this.fibers])
      })
    }
  }
}

export const openClient = <R>(
  options: Options<R>,
  send: Send
): Effect.Effect<Client<R>, never, Scope.Scope | R> =>
  Effect.flatMap(Effect.runtime<R>(), (runtime) =>
    Effect.acquireRelease(
      Effect.sync(() => new Client(options, send, runtime)),
      (client) => client.session.close
    )
  )

/**
 * What one server asks: roots, samples and answers of people. Each is answered where the operator allows it, the server was
 * told so, and somebody answers it in a call that runs; all else is refused in words. Every such request is a decision that
 * is heard of, and nothing of its contents is.
 *
 * @since 0.1.0
 */
import { pathToFileURL } from "node:url"
import { Cause, Effect, Either, type Fiber, FiberId, Option } from "effect"
import type { Decision } from "../../policy/lattice/Decision.js"
import type { Denial } from "../../policy/lattice/Denial.js"
import type { Kind } from "../../policy/server/Inquiry.js"
import type { Unanswered } from "../../registry/inquiry/Answering.js"
import type { Serving } from "../../registry/Serving.js"
import { type Answer, codes, type Request, type RequestId } from "../protocol/Message.js"
import { type Answered, answeredBy } from "./answered.js"
import type { Caller } from "./Caller.js"
import * as denials from "./inquiryDenials.js"
import type { Limits } from "./Limits.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Terms extends denials.Asker {
  /** What the server was told that it may ask for. */
  readonly declared: ReadonlyArray<Kind>
  readonly limits: Limits
  /** The directories of what it requires that it has. */
  readonly roots: () => ReadonlyArray<string>
  /** Hears of what belongs to no call. */
  readonly hearing: Serving.Hearing
  readonly run: (effect: Effect.Effect<void>) => void
}

interface Running {
  /** The calls that it may belong to: it ends with the last of them. */
  readonly callers: Set<Caller>
  fiber: Fiber.RuntimeFiber<void> | undefined
  isTakenBack: boolean
}

type Problem = Extract<Answer, { readonly error: unknown }>["error"]

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ["roots/list", "roots"],
  ["sampling/createMessage", "sampling"],
  ["elicitation/create", "elicitation"]
])

/** As MCP has it for what a person did not want. */
const REJECTED = -1

const LONGEST_WHY = 1024

const ENDED = "the call that this was asked in has ended"

const codeOf = ({ code }: Denial): number => {
  switch (code) {
    case "REQUEST_INVALID":
      return codes.invalidParams
    case "INQUIRY_TOO_MUCH":
      return codes.busy
    case "CALL_ENDED":
      return codes.invalidRequest
    default:
      return codes.unknownMethod
  }
}

/**
 * @since 0.1.0
 * @category models
 */
export class Inquiries {
  readonly #running = new Map<RequestId, Running>()
  readonly #asked = new WeakMap<Caller, number>()
  #rootsAsked = 0

  constructor(
    private readonly terms: Terms,
    private readonly reply: (answer: Answer) => void
  ) {}

  /** Takes what a server asks while these calls run, the last of them started last. The answer is why it is refused. */
  take({ id, method, params }: Request, callers: ReadonlyArray<Caller>): Problem | undefined {
    const kind = KINDS.get(method)
    const denial =
      kind === undefined ? denials.unknown(this.terms, method) : this.#begin(kind, id, params, callers)
    if (denial === undefined) return undefined
    this.#heard({ allowed: false, denial }, denial.asked, callers.at(-1))
    return { code: codeOf(denial), message: `${denial.detail}; ${denial.remedy}` }
  }

  /** The server takes a question back: nobody answers it. */
  takenBack(id: RequestId): void {
    const running = this.#running.get(id)
    if (running === undefined) return
    running.isTakenBack = true
    running.fiber?.unsafeInterruptAsFork(FiberId.none)
  }

  /** A call has ended, and what was asked in it ends with it. */
  left(caller: Caller): void {
    for (const running of this.#running.values()) {
      if (running.callers.delete(caller) && running.callers.size === 0) {
        running.fiber?.unsafeInterruptAsFork(FiberId.none)
      }
    }
  }

  #heard(decision: Decision, asked: string, caller: Caller | undefined): void {
    const { log, observe } = caller?.hearing ?? this.terms.hearing
    observe(decision, asked, caller?.call)
    if (!decision.allowed) (caller?.run ?? this.terms.run)(log(decision, asked))
  }

  #allowed(kind: Kind, caller: Caller | undefined): void {
    const { name } = this.terms
    const decision = {
      allowed: true,
      capability: `mcp.${kind}`,
      scope: `mcp_servers.${name}.allows`
    } as const
    this.#heard(decision, `${kind} for the MCP server ${name}`, caller)
  }

  #begin(kind: Kind, id: RequestId, params: unknown, callers: ReadonlyArray<Caller>): Denial | undefined {
    const { allows, declared } = this.terms
    if (!allows.includes(kind)) return denials.notAllowed(this.terms, kind)
    if (!declared.includes(kind)) return denials.unanswered(this.terms, kind)
    return kind === "roots" ? this.#roots(id, callers) : this.#passedOn(kind, id, params, callers)
  }

  #roots(id: RequestId, callers: ReadonlyArray<Caller>): Denial | undefined {
    const { limits } = this.terms
    if (++this.#rootsAsked > limits.roots) return denials.tooMuch(this.terms, "roots", "roots", limits.roots)
    this.#allowed("roots", callers.at(-1))
    const roots = this.terms.roots().map((path) => ({ uri: pathToFileURL(path).href }))
    this.reply({ jsonrpc: "2.0", id, result: { roots } })
    return undefined
  }

  #passedOn(
    kind: Exclude<Kind, "roots">,
    id: RequestId,
    params: unknown,
    callers: ReadonlyArray<Caller>
  ): Denial | undefined {
    const { limits } = this.terms
    const caller = callers.at(-1)
    if (caller === undefined) return denials.afterCall(this.terms, kind)
    if (callers.some(({ answering }) => answering !== caller.answering)) {
      return denials.ambiguous(this.terms, kind)
    }
    if (caller.answering?.[kind] === undefined) return denials.unanswered(this.terms, kind)
    const asked = this.#asked.get(caller) ?? 0
    if (asked >= limits.inquiries) return denials.tooMuch(this.terms, kind, "inquiries", limits.inquiries)
    if (this.#running.size >= limits.inquiriesAtOnce || this.#running.has(id)) {
      return denials.tooMuch(this.terms, kind, "inquiriesAtOnce", limits.inquiriesAtOnce)
    }
    if (JSON.stringify(params ?? {}).length > limits.inquiryLength) {
      return denials.tooMuch(this.terms, kind, "inquiryLength", limits.inquiryLength)
    }
    const answered = answeredBy(kind, params)
    if (Either.isLeft(answered)) return denials.malformed(this.terms, kind, answered.left)
    this.#asked.set(caller, asked + 1)
    this.#allowed(kind, caller)
    this.#run(id, answered.right, caller, new Set(callers))
    return undefined
  }

  #run(id: RequestId, answered: Answered, caller: Caller, callers: Set<Caller>): void {
    const { call, serving } = caller
    const { agent, tool } = serving.calling
    const who = {
      server: this.terms.name,
      session: serving.session,
      tool,
      call,
      ...(agent === undefined ? {} : { agent })
    }
    const running: Running = { callers, fiber: undefined, isTakenBack: false }
    this.#running.set(id, running)
    const answering = Effect.suspend(() => answered(caller, who))
    running.fiber = caller.run(
      Effect.matchCauseEffect(answering, {
        onFailure: (cause) => this.#failed(id, running, cause, serving),
        onSuccess: (result) => this.#settled(id, running, this.#bounded(id, result))
      })
    )
  }

  #bounded(id: RequestId, result: object): Answer {
    return JSON.stringify(result).length <= this.terms.limits.messageLength
      ? { jsonrpc: "2.0", id, result }
      : { jsonrpc: "2.0", id, error: { code: codes.internal, message: "the answer is too long" } }
  }

  #settled(id: RequestId, running: Running, answer: Answer): Effect.Effect<void> {
    return Effect.sync(() => {
      this.#running.delete(id)
      if (!running.isTakenBack) this.reply(answer)
    })
  }

  #failed(
    id: RequestId,
    running: Running,
    cause: Cause.Cause<Unanswered>,
    { shown }: Serving.Service
  ): Effect.Effect<void> {
    const settled = (code: number, message: string) =>
      this.#settled(id, running, { jsonrpc: "2.0", id, error: { code, message } })
    const failure = Cause.failureOption(cause)
    if (Option.isSome(failure)) return settled(REJECTED, shown(failure.value.detail).slice(0, LONGEST_WHY))
    if (Cause.isInterruptedOnly(cause)) return settled(codes.invalidRequest, ENDED)
    return Effect.zipRight(
      Effect.logError("who answers a server broke", cause),
      settled(codes.internal, "who answers broke")
    )
  }
}

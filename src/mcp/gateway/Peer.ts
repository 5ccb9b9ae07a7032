/**
 * The other end of the protocol: requests that wait for their answers, and what comes without being asked for. A server may
 * say anything at all: what is wrong is counted, answered or dropped, and ends the server when it is too much. Only
 * its own calls fail of it.
 *
 * @since 0.1.0
 */
import { Effect, Either } from "effect"
import type { Line } from "../protocol/Lines.js"
import type { Answer, Message, Request, RequestId } from "../protocol/Message.js"
import { isRequestId, own, type ReadMessage, readMessage } from "../protocol/ReadMessage.js"
import type { Caller } from "./Caller.js"
import { GatewayError } from "./GatewayError.js"
import type { Inquiries } from "./Inquiries.js"
import type { Limits } from "./Limits.js"
import { quoted } from "./words.js"

/**
 * What carries messages. None of it fails: what cannot be sent any more ends the peer.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wire {
  readonly send: (message: Message) => void
  /** Which revision of the protocol is spoken from now on. */
  readonly agreed?: ((revision: string) => void) | undefined
  /** Nobody waits for the answer to this request any more. */
  readonly forget?: ((id: RequestId) => void) | undefined
  /** The directories of what the server requires that it has. */
  readonly roots?: ReadonlyArray<string> | undefined
  /** Whether it can still say something, where that can be told. */
  readonly speaks?: (() => boolean) | undefined
  /** Ends the server, for a reason. */
  readonly end: (why: GatewayError) => void
}

/**
 * @since 0.1.0
 * @category models
 */
export interface ProgressReport {
  readonly progress: number
  readonly total: number | undefined
  readonly message: string | undefined
}

/**
 * Who listens while a request waits for its answer.
 *
 * @since 0.1.0
 * @category models
 */
export interface Listening {
  readonly report?: ((report: ProgressReport) => void) | undefined
  /** The call that it is made for. */
  readonly caller?: Caller | undefined
}

interface Pending extends Listening {
  readonly settle: (answer: Either.Either<unknown, GatewayError>) => void
  reports: number
}

type Fields = Readonly<Record<string, unknown>>

/** Of those that were cancelled, an answer may be on its way. */
const MOST_CANCELLED = 1024

const malformed = (detail: string) => new GatewayError({ code: "SERVER_MALFORMED", detail })

/**
 * @since 0.1.0
 * @category models
 */
export class Peer {
  readonly #pending = new Map<number, Pending>()
  readonly #cancelled = new Set<number>()
  #last = 0
  #faults = 0
  #unsolicited = 0
  #ended: GatewayError | undefined

  constructor(
    private readonly wire: Wire,
    private readonly limits: Limits,
    private readonly inquiries: Inquiries,
    /** Its tools may be others now. */
    private readonly changed: () => void
  ) {}

  get ended(): GatewayError | undefined {
    return this.#ended
  }

  /** Whether somebody waits for the answer to this request. */
  waitsFor(id: RequestId): boolean {
    return typeof id === "number" && this.#pending.has(id)
  }

  /** Whether somebody waits for an answer. */
  get isWaitedFor(): boolean {
    return this.#pending.size > 0
  }

  /** Asks, and waits for the answer. Whoever stops waiting has the server told so, and waits for nothing. */
  request(
    method: string,
    params: Fields,
    { caller, report }: Listening = {}
  ): Effect.Effect<unknown, GatewayError> {
    return Effect.async<unknown, GatewayError>((resume) => {
      if (this.#ended !== undefined) {
        resume(Effect.fail(this.#ended))
        return
      }
      if (this.#pending.size >= this.limits.inFlight) {
        const detail = `${this.limits.inFlight} requests are on their way to the server; wait for one of them`
        resume(Effect.fail(new GatewayError({ code: "SERVER_REFUSED", detail })))
        return
      }
      const id = ++this.#last
      this.#pending.set(id, { settle: resume, report, caller, reports: 0 })
      const whole = report === undefined ? params : { ...params, _meta: { progressToken: id } }
      this.wire.send({ jsonrpc: "2.0", id, method, params: whole })
      return Effect.sync(() => this.#cancel(id, method))
    })
  }

  notify(method: string, params?: Fields): void {
    if (this.#ended !== undefined) return
    this.wire.send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) })
  }

  answer(answer: Answer): void {
    if (this.#ended === undefined) this.wire.send(answer)
  }

  /** One line as it came; `about` is the request that it came for, where that is known. */
  hear(line: Line, about?: RequestId): void {
    if (this.#ended !== undefined) return
    if (line._tag === "Value") {
      const read = readMessage(line.value)
      if (read._tag === "Unreadable") this.#misread(line.value, read.detail)
      this.#take(read, about)
    } else {
      if (line.why === "too long") this.#unread()
      this.fault()
    }
  }

  /** Something that a server does not do. */
  fault(): void {
    this.#faults++
    if (this.#faults <= this.limits.faults) return
    this.#end(
      malformed(`the server did more than ${this.limits.faults} things that the protocol does not have`)
    )
  }

  /** One request cannot be answered, because it cannot be sent. */
  fail(id: RequestId, why: GatewayError): void {
    const pending = this.#taken(id)
    pending?.settle(Either.left(why))
  }

  /** What waits under an id, which waits no more. */
  #taken(id: RequestId | null): Pending | undefined {
    const pending = typeof id === "number" ? this.#pending.get(id) : undefined
    if (pending === undefined) return undefined
    this.#pending.delete(id as number)
    if (pending.caller !== undefined) this.inquiries.left(pending.caller)
    return pending
  }

  /** The server is gone: whoever waits is told why. */
  close(why: GatewayError): void {
    if (this.#ended !== undefined) return
    this.#ended = why
    for (const id of [...this.#pending.keys()]) this.#taken(id)?.settle(Either.left(why))
  }

  #end(why: GatewayError): void {
    this.close(why)
    this.wire.end(why)
  }

  /** Nobody waits any more, and what comes of it is no fault. */
  #forget(id: number): void {
    this.#cancelled.add(id)
    const [oldest] = this.#cancelled
    if (this.#cancelled.size > MOST_CANCELLED && oldest !== undefined) this.#cancelled.delete(oldest)
  }

  #cancel(id: number, method: string): void {
    if (this.#taken(id) === undefined) return
    this.#forget(id)
    this.wire.forget?.(id)
    // The protocol has no way back from the first request.
    if (method !== "initialize") this.notify("notifications/cancelled", { requestId: id })
  }

  /** A message was too long to be read: whoever waits may have waited for it, and waits no more. */
  #unread(): void {
    const { messageLength } = this.limits
    const why = malformed(`the server sent a message of more than ${messageLength} bytes; ask it for less`)
    for (const id of [...this.#pending.keys()]) {
      this.#forget(id)
      this.fail(id, why)
    }
  }

  /** An answer that cannot be read: whoever waits for it is told, for no other will come. */
  #misread(value: unknown, detail: string): void {
    const id = own(value, "method") === undefined ? own(value, "id") : undefined
    if (typeof id !== "number") return
    this.fail(id, malformed(`the server's answer cannot be read: ${detail}; look at the server`))
  }

  #take(read: ReadMessage, about: RequestId | undefined): void {
    if (read._tag === "Unreadable") this.fault()
    else if (read._tag === "Answer") this.#answered(read.message)
    else if (++this.#unsolicited > this.limits.unsolicited) {
      this.#end(malformed("the server sends messages without end that nobody asked for"))
    } else if (read._tag === "Request") this.#asked(read.message, about)
    else this.#told(read.message.method, read.message.params ?? {})
  }

  /** The calls that run; of what came for one request, only that. */
  #callers(about: RequestId | undefined): ReadonlyArray<Caller> {
    const pending =
      about === undefined ? [...this.#pending] : [...this.#pending].filter(([id]) => id === about)
    return pending.flatMap(([, { caller }]) => caller ?? [])
  }

  /** What is refused is a fault: who asks without end is ended. */
  #asked(request: Request, about: RequestId | undefined): void {
    const { id, method } = request
    if (method === "ping") {
      this.wire.send({ jsonrpc: "2.0", id, result: {} })
      return
    }
    const error = this.inquiries.take(request, this.#callers(about))
    if (error === undefined) return
    this.fault()
    this.answer({ jsonrpc: "2.0", id, error })
  }

  #told(method: string, params: Fields): void {
    if (method === "notifications/tools/list_changed") this.changed()
    else if (method === "notifications/progress") this.#reported(params)
    else if (method === "notifications/cancelled" && isRequestId(params.requestId)) {
      this.inquiries.takenBack(params.requestId)
    }
  }

  #reported(params: Fields): void {
    const { message, progress, progressToken, total } = params
    const pending = typeof progressToken === "number" ? this.#pending.get(progressToken) : undefined
    if (pending?.report === undefined || typeof progress !== "number") return
    if (++pending.reports > this.limits.reports) return
    pending.report({
      progress,
      total: typeof total === "number" ? total : undefined,
      message: typeof message === "string" ? message : undefined
    })
  }

  #answered(answer: Answer): void {
    const { id } = answer
    const pending = this.#taken(id)
    if (pending === undefined) {
      if (typeof id !== "number" || !this.#cancelled.delete(id)) this.fault()
      return
    }
    this.#unsolicited = 0
    pending.settle(
      "result" in answer
        ? Either.right(answer.result)
        : Either.left(new GatewayError({ code: "SERVER_REFUSED", detail: quoted(answer.error.message) }))
    )
  }
}

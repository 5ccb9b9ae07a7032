/**
 * The other end of the protocol: requests that wait for their answers, and what comes without being asked for. A server may
 * say anything at all: what is wrong is counted, answered or dropped, and ends the server when it is too much. Only
 * its own calls fail of it.
 *
 * @since 0.1.0
 */
import { Effect, Either } from "effect"
import type { Line } from "../protocol/Lines.js"
import { type Answer, codes, type Message, type RequestId } from "../protocol/Message.js"
import { own, type ReadMessage, readMessage } from "../protocol/ReadMessage.js"
import { GatewayError } from "./GatewayError.js"
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

interface Pending {
  readonly settle: (answer: Either.Either<unknown, GatewayError>) => void
  readonly report: ((report: ProgressReport) => void) | undefined
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
    /** Its tools may be others now. */
    private readonly changed: () => void
  ) {}

  get ended(): GatewayError | undefined {
    return this.#ended
  }

  /** Asks, and waits for the answer. Whoever stops waiting has the server told so, and waits for nothing. */
  request(
    method: string,
    params: Fields,
    report?: (report: ProgressReport) => void
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
      this.#pending.set(id, { settle: resume, report, reports: 0 })
      const whole = report === undefined ? params : { ...params, _meta: { progressToken: id } }
      this.wire.send({ jsonrpc: "2.0", id, method, params: whole })
      return Effect.sync(() => this.#cancel(id, method))
    })
  }

  notify(method: string, params?: Fields): void {
    if (this.#ended !== undefined) return
    this.wire.send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) })
  }

  /** One line as it came. */
  hear(line: Line): void {
    if (this.#ended !== undefined) return
    if (line._tag === "Value") {
      const read = readMessage(line.value)
      if (read._tag === "Unreadable") this.#misread(line.value, read.detail)
      this.#take(read)
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
    const pending = typeof id === "number" ? this.#pending.get(id) : undefined
    if (pending === undefined) return
    this.#pending.delete(id as number)
    pending.settle(Either.left(why))
  }

  /** The server is gone: whoever waits is told why. */
  close(why: GatewayError): void {
    if (this.#ended !== undefined) return
    this.#ended = why
    const waiting = [...this.#pending.values()]
    this.#pending.clear()
    for (const { settle } of waiting) settle(Either.left(why))
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
    if (!this.#pending.delete(id)) return
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

  #take(read: ReadMessage): void {
    if (read._tag === "Unreadable") this.fault()
    else if (read._tag === "Answer") this.#answered(read.message)
    else if (++this.#unsolicited > this.limits.unsolicited) {
      this.#end(malformed("the server sends messages without end that nobody asked for"))
    } else if (read._tag === "Request") this.#asked(read.message.id, read.message.method)
    else this.#told(read.message.method, read.message.params ?? {})
  }

  /** Sampling, elicitation and roots are refused: none of them is declared, and no policy has a word for them. */
  #asked(id: RequestId, method: string): void {
    if (method === "ping") {
      this.wire.send({ jsonrpc: "2.0", id, result: {} })
      return
    }
    this.fault()
    if (this.#ended !== undefined) return
    const error = { code: codes.unknownMethod, message: "this client answers no requests of servers" }
    this.wire.send({ jsonrpc: "2.0", id, error })
  }

  #told(method: string, params: Fields): void {
    if (method === "notifications/tools/list_changed") this.changed()
    else if (method === "notifications/progress") this.#reported(params)
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
    const pending = typeof id === "number" ? this.#pending.get(id) : undefined
    if (pending === undefined) {
      if (typeof id !== "number" || !this.#cancelled.delete(id)) this.fault()
      return
    }
    this.#pending.delete(id as number)
    this.#unsolicited = 0
    pending.settle(
      "result" in answer
        ? Either.right(answer.result)
        : Either.left(new GatewayError({ code: "SERVER_REFUSED", detail: quoted(answer.error.message) }))
    )
  }
}

/** One session over HTTP: which request waits for which answer, and the stream for what belongs to none. */
import { Effect, type Scope } from "effect"
import type { Message, RequestId } from "../protocol/Message.js"
import type { Send, Session } from "../server/Session.js"
import type { Refusal } from "./Callers.js"
import type { Outgoing } from "./outgoing.js"

/** What nobody listens to is kept until somebody does, the latest of it. */
const MAX_KEPT = 64

const answered = (message: Message): RequestId | undefined =>
  "method" in message || message.id === null ? undefined : message.id

const isFailure = (message: Message): boolean => "error" in message

export class Client {
  private readonly waiting = new Map<RequestId, Outgoing>()
  private listening: Outgoing | undefined
  private kept: Array<Message> = []
  /** When somebody was here last. */
  lastSeen: number
  /** Set once, as soon as there is one. */
  session: Session | undefined
  private isAgreed = false

  constructor(
    readonly id: string,
    readonly scope: Scope.CloseableScope,
    private readonly now: () => number,
    /** Hears of the first answer, before it is sent: whether there is a session. */
    private readonly agreed: (isThere: boolean) => void
  ) {
    this.lastSeen = now()
  }

  readonly send: Send = (message, about) => Effect.sync(() => this.deliver(message, about))

  private deliver(message: Message, about: RequestId | undefined): void {
    const id = answered(message)
    if (id !== undefined) {
      const outgoing = this.waiting.get(id)
      this.waiting.delete(id)
      this.lastSeen = this.now()
      if (!this.isAgreed) this.agreed(!isFailure(message))
      this.isAgreed = true
      outgoing?.answer(message)
    } else if (about !== undefined) this.waiting.get(about)?.report(message)
    else this.tell(message)
  }

  private tell(message: Message): void {
    if (this.listening?.report(message) === true) return
    // Who listens and does not read may come back for the rest.
    this.listening?.destroy()
    this.listening = undefined
    this.kept = [...this.kept, message].slice(-MAX_KEPT)
  }

  get inFlight(): number {
    return this.waiting.size
  }

  /** Not, where another request that is not answered has this id. */
  waits(id: RequestId, outgoing: Outgoing): boolean {
    if (this.waiting.has(id)) return false
    this.lastSeen = this.now()
    this.waiting.set(id, outgoing)
    return true
  }

  /** Nobody answers it any more. */
  forget(id: RequestId): void {
    const outgoing = this.waiting.get(id)
    this.waiting.delete(id)
    outgoing?.end()
  }

  /** One stream at a time: who comes again has lost the one before. */
  listens(outgoing: Outgoing): void {
    this.listening?.end()
    this.listening = outgoing
    this.lastSeen = this.now()
    outgoing.stream()
    outgoing.response.once("close", () => {
      this.lastSeen = this.now()
      if (this.listening === outgoing) this.listening = undefined
    })
    const kept = this.kept
    this.kept = []
    for (const message of kept) this.tell(message)
  }

  isIdle(since: number): boolean {
    return this.waiting.size === 0 && this.listening === undefined && this.lastSeen <= since
  }

  /** Tells those who wait, and whoever listens, that it is over. */
  part(refusal: Refusal): void {
    for (const [id, outgoing] of this.waiting) outgoing.refuse(refusal, undefined, id)
    this.waiting.clear()
    this.listening?.end()
    this.listening = undefined
  }
}

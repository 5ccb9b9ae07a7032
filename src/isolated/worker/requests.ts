/** What the worker has asked its host, and what it hears of it. */
import type { Message } from "../protocol/Frames.js"

export interface Asked {
  /** Hears of answers to it. */
  readonly hear: (message: Message) => void
  /** Hears how much more it may send on a lane. */
  readonly more?: ((lane: string, count: number) => void) | undefined
}

export class Requests {
  private next = 1
  private readonly open = new Map<number, Asked>()

  constructor(readonly send: (message: Message) => void) {}

  ask(message: Omit<Message, "id" | "t">, asked: (id: number) => Asked): number {
    const id = this.next++
    this.open.set(id, asked(id))
    try {
      this.send({ ...message, t: "op", id })
    } catch (error) {
      this.open.delete(id)
      throw error
    }
    return id
  }

  /** Nobody waits for it any more. */
  stop(call: number, id: number): void {
    if (this.open.delete(id)) this.send({ t: "stop", id, of: call })
  }

  hear(message: Message): void {
    const asked = this.open.get(message.id)
    if (asked === undefined) return
    if (message.t === "more") {
      asked.more?.(String(message.lane), Number(message.n))
      return
    }
    if (message.t !== "chunk") this.open.delete(message.id)
    asked.hear(message)
  }
}

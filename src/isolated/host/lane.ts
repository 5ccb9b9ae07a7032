/** A stream that comes from a worker, taken no faster than whoever reads it reads. */
import { Effect, Option, Queue, Stream } from "effect"
import { LANE_WINDOW } from "../protocol/Windows.js"
import { Misbehaved } from "./Worker.js"

const END = Symbol("end")

export class Lane {
  private readonly queue = Effect.runSync(Queue.unbounded<unknown>())
  private waiting = 0
  private isShut = false

  /** `more` tells the worker that one was taken. */
  constructor(private readonly more: () => void) {}

  put(value: unknown): void {
    if (this.isShut || this.waiting >= LANE_WINDOW) throw new Misbehaved("it sent more than it was asked for")
    this.waiting++
    this.queue.unsafeOffer(value)
  }

  shut(): void {
    if (this.isShut) throw new Misbehaved("it ended a stream twice")
    this.isShut = true
    this.queue.unsafeOffer(END)
  }

  readonly stream: Stream.Stream<unknown> = Stream.repeatEffectOption(
    Effect.flatMap(Queue.take(this.queue), (one) => {
      if (one === END) return Effect.fail(Option.none())
      this.waiting--
      this.more()
      return Effect.succeed(one)
    })
  )
}

/** A stream that comes from a worker, taken no faster than whoever reads it reads. */
import { Effect, Option, Queue, Stream } from "effect"
import { LANE_WINDOW } from "../protocol/Windows.js"
import { Misbehaved } from "./Worker.js"

const END: unique symbol = Symbol("end")

export class Lane {
  private readonly queue = Effect.runSync(
    Queue.unbounded<readonly [value: unknown, length: number] | typeof END>()
  )
  private waiting = 0
  private isShut = false

  /** `taken` hears of each that was taken, and how long it was. */
  constructor(private readonly taken: (length: number) => void) {}

  put(value: unknown, length: number): void {
    if (this.isShut || this.waiting >= LANE_WINDOW) throw new Misbehaved("it sent more than it was asked for")
    this.waiting++
    this.queue.unsafeOffer([value, length])
  }

  shut(): void {
    if (this.isShut) throw new Misbehaved("it ended a stream twice")
    this.isShut = true
    this.queue.unsafeOffer(END)
  }

  readonly stream: Stream.Stream<unknown> = Stream.repeatEffectOption(
    Effect.flatMap(Queue.take(this.queue), (one) => {
      if (one === END) return Effect.fail(Option.none())
      const [value, length] = one
      this.waiting--
      this.taken(length)
      return Effect.succeed(value)
    })
  )
}

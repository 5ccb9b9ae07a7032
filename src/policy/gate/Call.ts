/**
 * One call of a tool while it runs. What a tool keeps of its services refuses once their call has ended, and in the hands
 * of another tool at once.
 */
import { type Fiber, FiberId, FiberRef } from "effect"

/** What ends with a call: a fiber, or what can be ended and asked as one. */
export interface Bound
  extends Pick<Fiber.RuntimeFiber<unknown, unknown>, "unsafeInterruptAsFork" | "unsafePoll"> {}

/** Functions and not methods: a fiber shows its call to the tool, which could put others in their place. */
export let end: (call: Call) => void

/** Whether a call runs, and is one of the owner's. */
export let isOf: (call: Call, owner: object) => boolean

/** What the host calls it. */
export let idOf: (call: Call | undefined) => string | undefined

/** Has a fiber end with the call: what it was permitted in the call does not outlive the call. */
export let bind: (call: Call, fiber: Bound) => void

const FULL = 64

export class Call {
  readonly #owner: object
  readonly #id: string
  #fibers: Set<Bound> | undefined
  /** At so many, those that are done are forgotten. */
  #full = FULL
  #ended = false

  /** `owner` is the tool in its turn: what it was given is for its own calls. */
  constructor(id: string, owner: object) {
    this.#id = id
    this.#owner = owner
  }

  static {
    end = (call) => {
      call.#ended = true
      if (call.#fibers === undefined) return
      for (const fiber of call.#fibers) fiber.unsafeInterruptAsFork(FiberId.none)
      call.#fibers = undefined
    }
    idOf = (call) => (call !== undefined && #id in call ? call.#id : undefined)
    isOf = (call, owner) => #owner in call && !call.#ended && call.#owner === owner
    bind = (call, fiber) => {
      if (!(#fibers in call) || call.#ended) return
      call.#fibers ??= new Set()
      const fibers = call.#fibers
      fibers.add(fiber)
      if (fibers.size < call.#full) return
      for (const one of fibers) if (one.unsafePoll() !== null) fibers.delete(one)
      call.#full = Math.max(FULL, 2 * fibers.size)
    }
  }
}

/** Which call a fiber, or the fiber that forked it, belongs to. */
export const currentCall: FiberRef.FiberRef<Call | undefined> = FiberRef.unsafeMake<Call | undefined>(
  undefined
)

/** An answer whose body is still to be read: once at most, and no longer than the call that it was opened in. */
import { Chunk, Effect, Exit, type Fiber, Option, Stream } from "effect"
import { type Bound, bind, currentCall } from "../../policy/gate/Call.js"
import { joined, textOf } from "../bytes.js"
import { NetworkError, type NetworkHead, type NetworkPart } from "./NetworkOperations.js"
import { type Flow, type Keeper, open, type Pull } from "./NetworkParts.js"

type Head = typeof NetworkHead.Type

export interface OpenedAnswer extends Head {
  /** The bytes as they come. Leaving the stream closes the connection. */
  readonly body: Stream.Stream<Uint8Array, NetworkError>
  /** All of the body, in place of `body`. */
  readonly bytes: Effect.Effect<Uint8Array, NetworkError>
  /** All of the body as text, in place of `body`. */
  readonly text: Effect.Effect<string, NetworkError>
  /** Lets go of the connection. Who reads a body to its end need not. */
  readonly close: Effect.Effect<void>
}

type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

/** What is held for a body. A call ends what is bound to it as it ends a fiber. */
class Hold implements Keeper, Bound {
  readonly #fiber: AnyFiber
  #close: (() => void) | undefined
  #isRead = false
  #ended = false

  constructor(fiber: AnyFiber) {
    this.#fiber = fiber
    fiber.addObserver(this.#onExit)
    const call = fiber.getFiberRef(currentCall)
    if (call !== undefined) bind(call, this)
  }

  keep(close: () => void): void {
    if (this.#ended) close()
    else this.#close = close
  }

  over(): void {
    this.#ended = true
    this.#close = undefined
    this.#fiber.removeObserver(this.#onExit)
  }

  /** From now on who reads ends it. */
  begin(): void {
    this.#isRead = true
  }

  end(): void {
    const close = this.#close
    this.over()
    close?.()
  }

  unsafePoll(): Exit.Exit<unknown, unknown> | null {
    return this.#ended ? Exit.void : null
  }

  unsafeInterruptAsFork(): void {
    this.end()
  }

  /** Who was interrupted while it was opened has never seen it. */
  readonly #onExit = (exit: Exit.Exit<unknown, unknown>): void => {
    if (!this.#isRead && Exit.isFailure(exit)) this.end()
  }
}

const readAlready = () =>
  new NetworkError({
    code: "REQUEST_FAILED",
    detail: "the body of this answer was read already; keep what was read, or open it again"
  })

const collected = (pull: Pull, chunks: Array<Uint8Array>): Effect.Effect<Uint8Array, NetworkError> =>
  Effect.matchEffect(pull, {
    onFailure: (end) => (Option.isSome(end) ? Effect.fail(end.value) : Effect.succeed(joined(chunks))),
    onSuccess: (more) => {
      for (const chunk of Chunk.toReadonlyArray(more)) chunks.push(chunk)
      return collected(pull, chunks)
    }
  })

class Answer implements OpenedAnswer {
  readonly status: number
  readonly headers: Head["headers"]
  readonly setCookies: Head["setCookies"]
  readonly url: string
  readonly #flow: Flow
  readonly #hold: Hold
  #isRead = false

  constructor(flow: Flow, hold: Hold) {
    const { headers, setCookies, status, url } = flow.head
    this.status = status
    this.headers = headers
    this.setCookies = setCookies
    this.url = url
    this.#flow = flow
    this.#hold = hold
  }

  get close(): Effect.Effect<void> {
    return Effect.sync(() => this.#hold.end())
  }

  get text(): Effect.Effect<string, NetworkError> {
    return Effect.map(this.bytes, textOf)
  }

  get bytes(): Effect.Effect<Uint8Array, NetworkError> {
    return Effect.suspend(() => {
      if (this.#isRead) return Effect.fail(readAlready())
      this.#isRead = true
      const { whole } = this.#flow
      if (whole === undefined) return this.#collected
      return Effect.flatMap(whole, (body) => (body === undefined ? this.#collected : Effect.succeed(body)))
    })
  }

  get body(): Stream.Stream<Uint8Array, NetworkError> {
    const begin = Effect.suspend(() => {
      if (this.#isRead) return Effect.fail(readAlready())
      this.#isRead = true
      this.#hold.begin()
      return Effect.void
    })
    return Stream.unwrapScoped(
      Effect.as(
        Effect.acquireRelease(begin, () => this.close),
        Stream.repeatEffectChunkOption(this.#flow.pull)
      )
    )
  }

  get #collected(): Effect.Effect<Uint8Array, NetworkError> {
    const collecting = Effect.suspend(() => {
      this.#hold.begin()
      return collected(this.#flow.pull, [])
    })
    return Effect.ensuring(collecting, this.close)
  }
}

/** Opens the answer that a stream of parts is. */
export const opened = (
  parts: Stream.Stream<typeof NetworkPart.Type, NetworkError>
): Effect.Effect<OpenedAnswer, NetworkError> =>
  Effect.withFiberRuntime((fiber) => {
    const hold = new Hold(fiber)
    return Effect.map(
      Effect.onExit(open(parts)(hold), (exit) =>
        Exit.isFailure(exit) ? Effect.sync(() => hold.end()) : Effect.void
      ),
      (flow) => new Answer(flow, hold)
    )
  })

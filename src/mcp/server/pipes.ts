/** A client over pipes: one message to a line, in both directions. */
import type { Writable } from "node:stream"
import { Effect } from "effect"
import { type Line, Lines, lineOf } from "../protocol/Lines.js"
import { codes, type Message } from "../protocol/Message.js"
import { type Client, openClient } from "./client.js"
import { defaultLimits, type Options, type Pipes } from "./Options.js"
import { problem } from "./problem.js"

/** What a message is as a line; one that cannot be written down is an answer that broke. */
const written = (message: Message): string => {
  try {
    return lineOf(message)
  } catch {
    const id = "id" in message ? message.id : null
    const error = { code: codes.internal, message: "the answer cannot be written down" }
    return lineOf({ jsonrpc: "2.0", id, error })
  }
}

/** The way to the client. Whoever sends waits while it is full; when it is gone, nothing is sent. */
class Outlet {
  private readonly waiting = new Set<() => void>()
  private readonly wake = (): void => {
    const woken = [...this.waiting]
    this.waiting.clear()
    for (const go of woken) go()
  }

  constructor(private readonly output: Writable) {
    for (const event of ["drain", "close", "error"]) output.on(event, this.wake)
  }

  get isOpen(): boolean {
    return this.output.writable
  }

  get isFull(): boolean {
    return this.isOpen && this.output.writableNeedDrain
  }

  send(message: Message): Effect.Effect<void> {
    return Effect.suspend(() =>
      !this.isOpen || this.output.write(written(message)) ? Effect.void : this.drained
    )
  }

  get drained(): Effect.Effect<void> {
    return Effect.async<void>((resume) => {
      const go = () => resume(Effect.void)
      this.waiting.add(go)
      return Effect.sync(() => this.waiting.delete(go))
    })
  }

  /** Settles when all that was sent has been handed over. */
  get flushed(): Effect.Effect<void> {
    return Effect.async<void>((resume) => {
      if (this.isOpen) this.output.write("", () => resume(Effect.void))
      else resume(Effect.void)
    })
  }

  /** It still hears of errors: what was written may fail later, and an error that nobody hears ends the process. */
  release(): void {
    for (const event of ["drain", "close"]) this.output.off(event, this.wake)
  }
}

const refusals = {
  "too long": problem("invalidRequest", "the message is too long, and was skipped"),
  "no UTF-8": problem("unreadable", "the line is no UTF-8"),
  "no JSON": problem("unreadable", "the line is no JSON")
}

const taking =
  <R>(client: Client<R>) =>
  (line: Line): void =>
    line._tag === "Value" ? client.take(line.value) : client.refuse(null, refusals[line.why])

/** Reads until the input ends, or until nobody is there to answer. */
const reading = <R>(
  client: Client<R>,
  { input, output }: Pipes,
  outlet: Outlet,
  maxBytes: number
): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    const lines = new Lines(maxBytes, taking(client))
    const onData = (chunk: Uint8Array | string): void => {
      lines.push(chunk)
      // Who does not read answers is not read either.
      if (outlet.isFull) {
        input.pause()
        output.once("drain", onDrain)
      }
    }
    const onDrain = (): void => {
      input.resume()
    }
    const onEnd = (): void => {
      lines.end()
      resume(Effect.void)
    }
    const onGone = (): void => resume(Effect.void)
    input.on("data", onData)
    input.on("end", onEnd)
    for (const event of ["close", "error"]) {
      input.on(event, onGone)
      output.on(event, onGone)
    }
    if (input.readableEnded || input.destroyed || !outlet.isOpen) onGone()
    return Effect.sync(() => {
      input.off("data", onData)
      input.off("end", onEnd)
      output.off("drain", onDrain)
      input.off("close", onGone)
      output.off("close", onGone)
      input.pause()
    })
  })

export const overPipes = <R>(options: Options<R>, pipes: Pipes): Effect.Effect<void, never, R> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { grace, messageBytes } = { ...defaultLimits, ...options.limits }
      const outlet = yield* Effect.acquireRelease(
        Effect.sync(() => new Outlet(pipes.output)),
        (one) => Effect.sync(() => one.release())
      )
      const client = yield* openClient(options, (message) => outlet.send(message))
      if (pipes.onSession !== undefined) yield* Effect.forkScoped(pipes.onSession(client.session))
      yield* reading(client, pipes, outlet, messageBytes)
      // What was asked before the end may still be answered, where somebody reads and it does not take long.
      if (outlet.isOpen) {
        yield* Effect.ignore(Effect.timeout(Effect.zipRight(client.idle, outlet.flushed), grace))
      }
    })
  )

/**
 * The worker: it holds a module of tools, says what they are, and runs them when its host asks for it. Everything that they
 * touch is asked of the host.
 *
 * @since 0.1.0
 */
import { Context, Effect, Either, type Fiber, FiberId } from "effect"
import {
  type Answered,
  answered,
  argumentsOf,
  begun,
  doing,
  type Inherited
} from "../../registry/execution/Elsewhere.js"
import { tagsOf } from "../../tools/AppServices.js"
import { Progress } from "../../tools/Progress.js"
import type * as Tool from "../../tools/Tool.js"
import { FrameReader, LONGEST_FRAME, type Message } from "../protocol/Frames.js"
import { ofCategories, operationsIn } from "../protocol/Tables.js"
import type { Wire } from "./channel.js"
import { describe, type Held, toolsIn } from "./described.js"
import { carried } from "./failure.js"
import { CALL, inheritedBy } from "./logging.js"
import { operationsFor } from "./proxies.js"
import { Requests } from "./requests.js"

/**
 * A module that was loaded, and its tools.
 *
 * @since 0.1.0
 * @category models
 */
export interface Prepared {
  readonly tools: ReadonlyMap<string, Held>
  readonly tags: ReadonlyMap<string, object>
  readonly hello: object
}

/**
 * Looks at what a module exports. It is done before anybody is connected.
 *
 * @since 0.1.0
 * @category constructors
 */
export const prepare = (module: object): Prepared => {
  const held = toolsIn(module)
  const tools = new Map(held.map((one) => [one.tool.name, one]))
  const taken = held.find(({ tool }) => tools.get(tool.name)?.tool !== tool)?.tool.name
  return {
    tools,
    tags: new Map(held.flatMap(({ tool }) => tagsOf(tool.services).map((tag) => [tag.key, tag] as const))),
    hello: { tools: held.map(describe), ...(taken === undefined ? {} : { taken }) }
  }
}

/** A tool that breaks where it is to say what it will ask for leaves it to the run, as it does in one process. */
const asksOf = (tool: Tool.Any, args: unknown): unknown => {
  try {
    return tool.asks?.(args) ?? []
  } catch {
    return []
  }
}

const settled = (tool: Tool.Any, { defect, failure, result }: Answered): object => ({
  result,
  ...(failure === undefined ? {} : { failure: carried(tool, failure) }),
  ...(defect === undefined ? {} : { defect })
})

class Serving {
  private readonly running = new Map<number, Fiber.RuntimeFiber<unknown, unknown>>()
  private readonly requests: Requests
  private readonly inherited: Inherited

  constructor(
    private readonly prepared: Prepared,
    private readonly send: (message: Message) => void
  ) {
    this.requests = new Requests(send)
    this.inherited = inheritedBy(send)
  }

  readonly hear = (message: Message): void => {
    switch (message.t) {
      case "call":
        this.call(message)
        break
      case "asks":
        this.done(message.id, () => this.asks(message))
        break
      case "available":
        this.available(message)
        break
      case "cancel":
        this.cancel(message.id)
        break
      default:
        this.requests.hear(message)
    }
  }

  private toolOf({ tool }: Message): Tool.Any {
    const held = this.prepared.tools.get(String(tool))
    if (held === undefined) throw new Error("there is no such tool in this module")
    return held.tool
  }

  /** What a call is given: the services that the host has for it, and who hears of progress. */
  private contextOf({ id, keys }: Message): Context.Context<never> {
    const given = new Map<string, unknown>()
    for (const key of Array.isArray(keys) ? keys : []) {
      const made = this.serviceOf(id, String(key))
      if (made !== undefined) given.set(String(key), made)
    }
    const report: Progress.Service["report"] = (event) =>
      Effect.sync(() => this.send({ t: "progress", id, value: event }))
    given.set(Progress.key, { report })
    given.set(CALL, id)
    return Context.unsafeMake(given)
  }

  private serviceOf(call: number, key: string): unknown {
    const tag = ofCategories.get(key)
    if (tag !== undefined) return tag.make(operationsFor(this.requests, call, key, tag.operations) as never)
    const operations = operationsIn(this.prepared.tags.get(key) ?? {})
    return operations === undefined ? undefined : operationsFor(this.requests, call, key, operations)
  }

  private fork(
    message: Message,
    effect: Effect.Effect<unknown, unknown>,
    then: (tool: Answered) => void
  ): void {
    const { id } = message
    const tool = this.toolOf(message)
    const fiber = begun(this.contextOf(message), this.inherited, effect)
    this.running.set(id, fiber)
    fiber.addObserver((exit) => {
      this.running.delete(id)
      then(answered(tool, exit))
    })
  }

  private call(message: Message): void {
    const { id } = message
    const tool = this.toolOf(message)
    const done = (one: Answered) => this.done(id, () => settled(tool, one))
    const args = argumentsOf(tool, message.value)
    if (Either.isLeft(args)) done(args.left)
    else this.fork(message, doing(tool, args.right), done)
  }

  private asks(message: Message): object {
    const tool = this.toolOf(message)
    const args = argumentsOf(tool, message.value)
    return Either.isLeft(args) ? args.left : { result: { ok: true, value: asksOf(tool, args.right) } }
  }

  private available(message: Message): void {
    const tool = this.toolOf(message)
    const asked = Effect.suspend(() => {
      const answer: unknown = tool.isAvailable?.() ?? true
      return Effect.isEffect(answer) ? (answer as Effect.Effect<unknown, unknown>) : Effect.succeed(answer)
    })
    this.fork(message, asked, ({ result }) =>
      this.done(message.id, () => ({ available: result.ok && result.value === true }))
    )
  }

  /** It is heard at once, so that the host can tell who cleans up from who does not listen. */
  private cancel(id: number): void {
    const fiber = this.running.get(id)
    if (fiber === undefined) return
    this.send({ t: "cancelling", id })
    fiber.unsafeInterruptAsFork(FiberId.none)
  }

  private done(id: number, made: () => object): void {
    let value: object
    try {
      value = made()
    } catch (error) {
      value = { result: { ok: false, code: "execution_failed", error: "it broke" }, defect: String(error) }
    }
    try {
      this.send({ t: "done", id, value })
    } catch {
      const error = "its answer is too long, or too deep, to be carried"
      this.send({ t: "done", id, value: { result: { ok: false, code: "execution_failed", error } } })
    }
  }
}

/**
 * Serves a module to whoever is at the other end, until it ends.
 *
 * @since 0.1.0
 * @category execution
 */
export const serve = (prepared: Prepared, channel: Wire, ended: () => void): void => {
  const serving = new Serving(prepared, channel.send)
  const reader = new FrameReader(LONGEST_FRAME, serving.hear)
  channel.send({ t: "hello", id: 0, value: prepared.hello })
  channel.read((piece) => reader.push(piece), ended)
}

/** Clients of a server: the official one, and one that says whatever it is told to, both over pipes. */
import { PassThrough, type Readable, type Writable } from "node:stream"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { ReadBuffer, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { ClientCapabilities, JSONRPCMessage, Notification } from "@modelcontextprotocol/sdk/types.js"
import type { McpServer } from "bailiwick/mcp"
import { McpServer as Server } from "bailiwick/mcp"
import { Deferred, Effect, Fiber } from "effect"

/**
 * The official client's own framing, over pipes of this process. Each message has a tick of its own: what the client reads
 * in the same tick as an answer, it takes for late.
 */
class PipeTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  private readonly buffer = new ReadBuffer()

  constructor(
    private readonly input: Readable,
    private readonly output: Writable
  ) {}

  async start(): Promise<void> {
    this.input.on("data", (chunk: Buffer) => {
      this.buffer.append(chunk)
      for (let one = this.buffer.readMessage(); one !== null; one = this.buffer.readMessage())
        this.arrived(one)
    })
  }

  private arrived(message: JSONRPCMessage): void {
    setImmediate(() => this.onmessage?.(message))
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.output.write(serializeMessage(message))
  }

  async close(): Promise<void> {
    this.output.end()
    this.onclose?.()
  }
}

export interface Served {
  readonly input: PassThrough
  readonly output: PassThrough
  readonly session: McpServer.Session
  /** Settles when the server has ended. */
  readonly ended: Effect.Effect<void>
}

/** A server over pipes. */
export const served = <R>(options: McpServer.Options<R>) =>
  Effect.gen(function* () {
    const input = new PassThrough()
    const output = new PassThrough()
    const opened = yield* Deferred.make<McpServer.Session>()
    const fiber = yield* Effect.forkScoped(
      Server.stdio(options, {
        input,
        output,
        onSession: (session) => Effect.asVoid(Deferred.succeed(opened, session))
      })
    )
    const session = yield* Deferred.await(opened)
    const served: Served = { input, output, session, ended: Effect.asVoid(Fiber.await(fiber)) }
    return served
  })

export interface Connected extends Served {
  readonly client: Client
  readonly heard: ReadonlyArray<Notification>
}

/** The official client, connected to a server. `prepare` says what it answers, before it says hello. */
export const connected = <R>(
  options: McpServer.Options<R>,
  capabilities: ClientCapabilities = {},
  prepare: (client: Client) => void = () => {}
) =>
  Effect.gen(function* () {
    const server = yield* served(options)
    const client = new Client({ name: "test", version: "1.0.0" }, { capabilities })
    prepare(client)
    const heard: Array<Notification> = []
    client.fallbackNotificationHandler = async (notification) => {
      heard.push(notification as Notification)
    }
    yield* Effect.promise(() => client.connect(new PipeTransport(server.output, server.input)))
    const made: Connected = { ...server, client, heard }
    return made
  })

type Said = { readonly id?: unknown; readonly method?: string; readonly [key: string]: unknown }

/** A client that says anything, and keeps what it hears. */
export class Raw {
  readonly heard: Array<Said> = []
  private readonly buffer: Array<string> = [""]
  private readonly waiting = new Set<() => void>()

  constructor(readonly server: Served) {
    server.output.on("data", (chunk: Buffer) => {
      const lines = (this.buffer.pop() + chunk.toString("utf8")).split("\n")
      this.buffer.push(lines.pop() ?? "")
      for (const line of lines) this.heard.push(JSON.parse(line))
      for (const look of [...this.waiting]) look()
    })
  }

  line(text: string | Uint8Array): void {
    this.server.input.write(text)
    this.server.input.write("\n")
  }

  say(message: unknown): void {
    this.line(JSON.stringify(message))
  }

  request(id: unknown, method: string, params?: object): void {
    this.say({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) })
  }

  /** Settles once what was heard is as it is asked for. */
  until(isThere: (heard: ReadonlyArray<Said>) => boolean): Effect.Effect<ReadonlyArray<Said>> {
    return Effect.async((resume) => {
      const look = () => {
        if (!isThere(this.heard)) return
        this.waiting.delete(look)
        resume(Effect.succeed(this.heard))
      }
      this.waiting.add(look)
      look()
    })
  }

  answer(id: unknown): Effect.Effect<Said> {
    return Effect.map(
      this.until((heard) => heard.some((one) => one.id === id && one.method === undefined)),
      (heard) => heard.find((one) => one.id === id) as Said
    )
  }

  readonly initialize = (protocolVersion = "2025-11-25", capabilities: object = {}): Effect.Effect<Said> =>
    Effect.suspend(() => {
      this.request("init", "initialize", {
        protocolVersion,
        capabilities,
        clientInfo: { name: "raw", version: "1" }
      })
      return Effect.tap(this.answer("init"), () =>
        Effect.sync(() => this.say({ jsonrpc: "2.0", method: "notifications/initialized" }))
      )
    })
}

/** Such a client, initialised. */
export const rawly = <R>(options: McpServer.Options<R>) =>
  Effect.gen(function* () {
    const raw = new Raw(yield* served(options))
    yield* raw.initialize()
    return raw
  })

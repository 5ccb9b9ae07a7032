/** A server over HTTP with sessions that a test answers for, and requests as no client of MCP would write them. */
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http"
import { Effect, type Scope } from "effect"
import * as McpHttp from "../../src/mcp/http/McpHttp.js"
import type { Message, RequestId } from "../../src/mcp/protocol/Message.js"
import type { Send, Session } from "../../src/mcp/server/Session.js"

export const TOKEN = "t".repeat(43)

/** A session as its client sees it: what it was sent, and how to answer. */
export interface Opened {
  readonly send: Send
  readonly received: Array<unknown>
  isClosed: boolean
}

interface Request {
  readonly id?: RequestId
  readonly method?: string
}

const result = (id: RequestId, value: object): Message => ({ jsonrpc: "2.0", id, result: value })

/** Answers `initialize` and `ping`, and nothing else: what comes of the rest is for the test to say. */
export const sessionsOf = (
  opened: Array<Opened>,
  heard: (message: Request, client: Opened) => Effect.Effect<void> = () => Effect.void
) => {
  const open = (send: Send): Effect.Effect<Session, never, Scope.Scope> =>
    Effect.gen(function* () {
      const client: Opened = { send, received: [], isClosed: false }
      opened.push(client)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          client.isClosed = true
        })
      )
      return {
        receive: (message) => {
          client.received.push(message)
          const { id, method } = message as Request
          if (id !== undefined && method === "initialize")
            return send(result(id, { protocolVersion: "2025-11-25" }))
          if (id !== undefined && method === "ping") return send(result(id, {}))
          return heard(message as Request, client)
        },
        changed: send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }),
        close: Effect.void
      }
    })
  return open
}

export const serve = (
  open: (send: Send) => Effect.Effect<Session, never, Scope.Scope>,
  options: Partial<McpHttp.HttpOptions> = {}
) => McpHttp.serve({ open, port: 0, token: TOKEN, ...options })

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface Asked {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body?: string | Buffer | undefined
}

const JSON_AND_EVENTS = "application/json, text/event-stream"

const defaults = (method: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${TOKEN}`,
  accept: method === "GET" ? "text/event-stream" : JSON_AND_EVENTS,
  ...(method === "POST" ? { "content-type": "application/json" } : {})
})

/** The head of an answer; its body may go on for long. */
export const begin = (
  port: number,
  { body, headers = {}, method = "POST", path = "/mcp" }: Asked = {}
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const merged = Object.entries({ ...defaults(method), ...headers }).filter(
      ([, value]) => value !== undefined
    )
    const sent = request({
      host: "127.0.0.1",
      port,
      method,
      path,
      agent: false,
      headers: Object.fromEntries(merged) as Record<string, string>
    })
    sent.once("response", resolve).once("error", reject)
    sent.end(body)
  })

export const textOf = async (answer: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of answer.setEncoding("utf8")) text += chunk
  return text
}

export const ask = (port: number, asked: Asked = {}): Effect.Effect<Answer> =>
  Effect.promise(async () => {
    const answer = await begin(port, asked)
    return { status: answer.statusCode ?? 0, headers: answer.headers, text: await textOf(answer) }
  })

export const message = (method: string, id?: RequestId, params?: object): string =>
  JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, ...(params && { params }) })

export const initialize = message("initialize", 0, {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" }
})

/** The id of a new session. */
export const begun = (port: number): Effect.Effect<string> =>
  Effect.map(ask(port, { body: initialize }), ({ headers }) => String(headers["mcp-session-id"]))

/** The messages of a stream of events. */
export const eventsIn = (text: string): ReadonlyArray<unknown> =>
  text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []))

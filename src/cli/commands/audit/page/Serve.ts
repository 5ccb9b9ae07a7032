/**
 * The page, served to this machine alone and to those who have its address, which has a token that nobody can guess. It
 * follows the log by events of the server.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect, type Scope } from "effect"
import type { AuditEntry } from "../../../../audit/AuditEntry.js"
import {
  type Callers,
  foreignTo,
  hostsOf,
  originsOf,
  type Refusal,
  tokenCheck
} from "../../../../mcp/http/Callers.js"
import { boundedServer, closing, type HttpError, listening } from "../../../../mcp/http/Listener.js"
import * as Token from "../../../../mcp/http/Token.js"
import { CliError } from "../../../CliError.js"
import type { Feed } from "./Feed.js"
import type { Filled } from "./Template.js"

export interface ServeOptions {
  /** `0` takes one that is free. */
  readonly port: number
  readonly feed: Feed
  /** The page as it is now, with all entries up to a number. */
  readonly page: (after: number) => Promise<Filled>
  /** An entry as the page may show it. */
  readonly shown: (entry: AuditEntry) => AuditEntry
}

export interface Served {
  /** With its token. */
  readonly url: string
  readonly port: number
}

const HOST = "127.0.0.1"

const LIMITS = { connections: 64, headerBytes: 16 * 1024, request: "30 seconds" } as const

/** So many follow at once. */
const MOST_FOLLOWING = 16

/** What waits for a reader who does not read: more, and the reader is let go, and may come back for the rest. */
const MOST_WAITING = 8 * 1024 * 1024

/** In one event. */
const MOST_ENTRIES = 1000

/** How often a stream shows that it lives. */
const BEAT = "15 seconds"

/** Nothing of it is for a cache, for a frame, for another origin, or for whoever is linked to. */
const common = {
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

const say = (response: ServerResponse, { headers = {}, message, status }: Refusal): void => {
  response
    .writeHead(status, {
      ...common,
      ...headers,
      "content-type": "text/plain; charset=utf-8",
      connection: "close"
    })
    .end(`${message}\n`)
}

const TOKENLESS: Refusal = {
  status: 403,
  message:
    "the token in the address is missing or wrong; the command printed the whole address when it started"
}

const EVENTS = "events"

type Asked = { readonly _tag: "Page" } | { readonly _tag: "Events"; readonly after: number }

/** `/<token>/` and `/<token>/events?after=N`. A browser that comes back says itself what it had last. */
const askedOf = (request: IncomingMessage, isToken: (given: string) => boolean): Asked | Refusal => {
  const [path = "", query = ""] = (request.url ?? "").split("?")
  const [, token = "", name, ...rest] = path.split("/")
  if (!isToken(token)) return TOKENLESS
  if (request.method !== "GET")
    return { status: 405, message: "only GET is answered", headers: { allow: "GET" } }
  if (name === "" && rest.length === 0) return { _tag: "Page" }
  if (name !== EVENTS || rest.length > 0) return { status: 404, message: "there is nothing here" }
  const given = request.headers["last-event-id"] ?? new URLSearchParams(query).get("after") ?? ""
  return /^\d{1,15}$/.test(String(given))
    ? { _tag: "Events", after: Number(given) }
    : { status: 400, message: "say what you have, as in 'events?after=0'" }
}

const parts = function* (entries: ReadonlyArray<AuditEntry>): Generator<ReadonlyArray<AuditEntry>> {
  for (let at = 0; at < entries.length; at += MOST_ENTRIES) yield entries.slice(at, at + MOST_ENTRIES)
}

class Followers {
  private readonly open = new Set<ServerResponse>()

  constructor(private readonly options: Pick<ServeOptions, "feed" | "shown">) {}

  /** Sends what was missed, and then what comes. */
  follow(response: ServerResponse, after: number): void {
    const { feed } = this.options
    if (this.open.size >= MOST_FOLLOWING) {
      say(response, { status: 503, message: `${MOST_FOLLOWING} pages follow already; close one of them` })
      return
    }
    this.open.add(response)
    response.writeHead(200, { ...common, "content-type": "text/event-stream; charset=utf-8" })
    response.flushHeaders()
    const missed = feed.after(after)
    if (missed === undefined) {
      response.end("event: reload\ndata: \n\n")
      this.open.delete(response)
      return
    }
    this.tell(response, missed, feed.last)
    const stop = feed.listen((entries, last) => this.tell(response, entries, last))
    response.once("close", () => {
      stop()
      this.open.delete(response)
    })
  }

  private tell(response: ServerResponse, entries: ReadonlyArray<AuditEntry>, last: number): void {
    let number = last - entries.length
    for (const some of parts(entries)) {
      if (response.writableLength > MOST_WAITING) {
        response.destroy()
        return
      }
      number += some.length
      const data = JSON.stringify(some.map(this.options.shown))
      response.write(`id: ${number}\nevent: entries\ndata: ${data}\n\n`)
    }
  }

  beat(): void {
    for (const response of this.open) if (response.writableLength === 0) response.write(":\n\n")
  }

  end(): void {
    for (const response of this.open) response.end("event: end\ndata: \n\n")
  }
}

const isRefusal = (asked: Asked | Refusal): asked is Refusal => "status" in asked

/** Listens until the scope closes; then no connection is left. */
export const servePage = (options: ServeOptions): Effect.Effect<Served, HttpError, Scope.Scope> =>
  Effect.gen(function* () {
    const token = Token.make()
    const isToken = tokenCheck(token)
    const followers = new Followers(options)
    const server = boundedServer(LIMITS)
    yield* Effect.addFinalizer(() =>
      Effect.zipRight(
        Effect.sync(() => followers.end()),
        closing(server)
      )
    )
    const { port } = yield* listening(server, HOST, options.port)
    const hosts = hostsOf(port, HOST, [])
    const callers: Callers = { port, hosts, origins: originsOf(hosts, []) }

    const showPage = async (response: ServerResponse): Promise<void> => {
      const { html, policy } = await options.page(options.feed.last)
      response
        .writeHead(200, {
          ...common,
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": `${policy}; frame-ancestors 'none'`
        })
        .end(html)
    }
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const asked = foreignTo(request, callers) ?? askedOf(request, isToken)
      if (isRefusal(asked)) say(response, asked)
      else if (asked._tag === "Events") followers.follow(response, asked.after)
      else await showPage(response)
    }
    server.on("request", (request, response) => {
      request.on("error", () => {})
      response.on("error", () => {})
      answer(request, response).catch((error: unknown) => {
        const why = error instanceof CliError ? `: ${error.message}` : ""
        if (!response.headersSent) say(response, { status: 500, message: `the page cannot be made${why}` })
        else response.destroy()
      })
    })
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.delay(
          Effect.sync(() => followers.beat()),
          BEAT
        )
      )
    )
    return { url: `http://${HOST}:${port}/${token}/`, port }
  })

/**
 * Sessions of MCP over streamable HTTP: on this machine alone unless another address is given, for those who hold the
 * token, and within limits. Each client that initializes is a session of its own. A client that goes away in the middle of a request cancels nothing; one that
 * ends its session, or leaves it idle for too long, ends what runs in it.
 *
 * @since 0.1.0
 */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Context, Effect, Runtime, Schema, type Scope } from "effect"
import type { Send, Session } from "../server/Session.js"
import { exchange } from "./exchange.js"
import { hostsOf, originsOf, tokenCheck } from "./gate.js"
import { defaultHttpLimits, type HttpLimits, millis } from "./Limits.js"
import { Outgoing } from "./outgoing.js"
import { Sessions } from "./sessions.js"

export { defaultHttpLimits, type HttpLimits } from "./Limits.js"

export {
  /**
   * A new token, which nobody can guess.
   *
   * @since 0.1.0
   * @category constructors
   */
  make as token
} from "./Token.js"

/**
 * @since 0.1.0
 * @category errors
 */
export class HttpError extends Schema.TaggedError<HttpError>("bailiwick/McpHttpError")("McpHttpError", {
  reason: Schema.Literal("taken", "unusable"),
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/**
 * @since 0.1.0
 * @category models
 */
export interface HttpOptions<out R = never> {
  /** Begins a session for a client: `McpServer.session` with what is served. Its scope closes when the session ends. */
  readonly open: (send: Send) => Effect.Effect<Session, never, Scope.Scope | R>
  /** `0` takes one that is free. */
  readonly port: number
  /** The address to listen at; `127.0.0.1`, unless it is given. */
  readonly host?: string | undefined
  /** Whoever sends it may use all that is served. Make it with `McpHttp.token`. */
  readonly token: string
  /** Further names that the server answers to, besides those of this machine alone and `host`. */
  readonly allowedHosts?: Iterable<string> | undefined
  /** Origins of pages that may use it. */
  readonly allowedOrigins?: Iterable<string> | undefined
  readonly limits?: Partial<HttpLimits> | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Listening {
  readonly url: string
  readonly port: number
  /** Tells every client that tools, resources and prompts may be others now. */
  readonly changed: Effect.Effect<void>
}

const PATH = "/mcp"

const codeOf = (error: Error): string => ("code" in error ? String(error.code) : error.name)

const listening = (server: Server, host: string, port: number): Effect.Effect<AddressInfo, HttpError> =>
  Effect.async((resume) => {
    const failed = (error: Error): void =>
      resume(
        Effect.fail(
          codeOf(error) === "EADDRINUSE"
            ? new HttpError({
                reason: "taken",
                detail: `another program listens on port ${port} of ${host}; name another, or 0 for one that is free`
              })
            : new HttpError({
                reason: "unusable",
                detail: `nobody can listen on port ${port} of ${host} (${codeOf(error)}); name another`
              })
        )
      )
    server.once("error", failed)
    server.listen({ host, port, exclusive: true }, () => {
      server.off("error", failed).on("error", () => {})
      resume(Effect.succeed(server.address() as AddressInfo))
    })
  })

/** No port is listened on any more, and no connection is left. */
const closing = (server: Server): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    server.close(() => resume(Effect.void))
    // What was just said is on its way.
    setImmediate(() => server.closeAllConnections())
  })

const STATUS = new Map([
  ["ERR_HTTP_REQUEST_TIMEOUT", "408 Request Timeout"],
  ["HPE_HEADER_OVERFLOW", "431 Request Header Fields Too Large"]
])

/**
 * Listens until the scope closes; then every session ends, with all that runs in it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const serve = <R>(options: HttpOptions<R>): Effect.Effect<Listening, HttpError, Scope.Scope | R> =>
  Effect.gen(function* () {
    const limits: HttpLimits = { ...defaultHttpLimits, ...options.limits }
    const host = options.host ?? "127.0.0.1"
    const runtime = yield* Effect.runtime<R>()
    const clock = yield* Effect.clock
    const now = () => clock.unsafeCurrentTimeMillis()
    const run = (effect: Effect.Effect<void>): void => void Runtime.runFork(runtime)(effect)
    const sessions = new Sessions(
      // What a session needs is the server's, but its scope is its own.
      (send) =>
        Effect.mapInputContext(options.open(send), (own: Context.Context<Scope.Scope>) =>
          Context.merge(runtime.context, own)
        ),
      limits.sessions,
      now
    )
    const open = new Set<Outgoing>()
    const server = createServer({
      maxHeaderSize: limits.headerBytes,
      requestTimeout: millis(limits.request),
      headersTimeout: millis(limits.request),
      connectionsCheckingInterval: Math.max(10, Math.min(5000, millis(limits.request) / 2))
    })
    server.maxConnections = limits.connections
    server.on("clientError", (error, socket) => {
      if (socket.writable) {
        socket.end(`HTTP/1.1 ${STATUS.get(codeOf(error)) ?? "400 Bad Request"}\r\nConnection: close\r\n\r\n`)
      } else socket.destroy()
    })
    yield* Effect.addFinalizer(() => Effect.zipRight(sessions.endAll, closing(server)))
    const { port } = yield* listening(server, host, options.port)
    const hosts = hostsOf(port, host, options.allowedHosts ?? [])
    const gate = {
      port,
      hosts,
      origins: originsOf(hosts, options.allowedOrigins ?? []),
      isToken: tokenCheck(options.token),
      path: PATH
    }
    const exchanging = { gate, limits, sessions, run }
    const handle: Parameters<typeof createServer>[1] = (request, response) => {
      const outgoing = new Outgoing(response, limits.bufferedBytes)
      open.add(outgoing)
      response.once("close", () => open.delete(outgoing))
      request.on("error", () => {})
      response.on("error", () => {})
      void exchange(request, outgoing, exchanging)
    }
    server.on("request", handle)
    // Nobody is asked for a body before the head is looked at.
    server.on("checkContinue", handle)
    const look = Effect.suspend(() => {
      for (const outgoing of open) {
        if (outgoing.isStalled) outgoing.destroy()
        else outgoing.beat()
      }
      return sessions.endIdle(now() - millis(limits.idle))
    })
    const every = Math.min(millis(limits.stalled), millis(limits.idle))
    yield* Effect.forkScoped(Effect.forever(Effect.delay(look, every)))
    const name = host.includes(":") ? `[${host}]` : host
    return { url: `http://${name}:${port}${PATH}`, port, changed: sessions.changed }
  })

/**
 * Sessions of MCP over streamable HTTP: on this machine alone unless another address is given, for those who hold the
 * token, and within limits. Each client that initializes is a session of its own. A client that goes away in the middle of a request cancels nothing; one that
 * ends its session, or leaves it idle for too long, ends what runs in it.
 *
 * @since 0.1.0
 */
import type { createServer } from "node:http"
import { Context, Effect, Runtime, type Scope } from "effect"
import type { Send, Session } from "../server/Session.js"
import { hostsOf, originsOf, tokenCheck } from "./Callers.js"
import { exchange } from "./exchange.js"
import { defaultHttpLimits, type HttpLimits, millis } from "./Limits.js"
import { boundedServer, closing, type HttpError, listening } from "./Listener.js"
import { Outgoing } from "./outgoing.js"
import { Sessions } from "./sessions.js"

export { defaultHttpLimits, type HttpLimits } from "./Limits.js"
export {
  /**
   * @since 0.1.0
   * @category errors
   */
  HttpError
} from "./Listener.js"
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
    const server = boundedServer(limits)
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

/**
 * The proxy of one child. It asks the authority that the child runs under for everything that the child wants to reach,
 * and connects to vetted addresses only.
 *
 * @since 0.1.0
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Effect, Either, Queue, type Scope } from "effect"
import type { Proof } from "../../../../policy/gate/Proof.js"
import { Budget, type Caps } from "./budget.js"
import { tunnel } from "./decisions.js"
import { HEADER_BYTES, serve } from "./exchange.js"
import { once } from "./notes.js"
import { type Desk, type Office, vetted, type Way } from "./office.js"
import { Refusals } from "./refusals.js"
import { Refused, refusal } from "./refused.js"
import { sealingOf } from "./sealed.js"
import { authorityOf, type Destination, tunnelTarget } from "./targets.js"
import { recognising } from "./token.js"
import { enter } from "./tunnel.js"
import { Upstream } from "./upstream.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Given {
  readonly office: Office
  readonly proof: Proof
  readonly caps: Caps
  readonly note: (text: string) => void
  /** What a client has to show where others can reach the proxy too. */
  readonly token?: string | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface ChildProxy {
  /** Takes a connection of the child: to the proxy itself, or to the door of a destination. */
  readonly accept: (socket: Socket, door?: Destination) => void
}

/** One connection of the child. */
interface Line {
  readonly destination: Destination | undefined
  /** Requests that came before the one at hand was answered. */
  readonly waiting: Array<() => void>
  isBusy: boolean
  /** Something was refused: nothing after it is looked at, and the connection closes. */
  isOver: boolean
  /** Whether it is certain that the child is at the other end. */
  isKnown: boolean
  /** Ends it, unless a request comes first. */
  readonly late: NodeJS.Timeout
}

/** Few clients send requests ahead of their answers, and none so many. Each may have headers of some size. */
const AHEAD = 16

/**
 * The name that goes with a token.
 *
 * @since 0.1.0
 * @category tokens
 */
export const USER = "child"

const KEEP_ALIVE_MILLIS = 15_000

/** Connects a socket to what a request to it means. */
class Lines {
  readonly desk: Desk
  readonly #lines = new WeakMap<Duplex, Line>()
  readonly #sockets = new Set<Socket>()
  readonly #server: Server
  readonly #upstream: Upstream
  readonly #knows: (request: IncomingMessage) => boolean
  /** Nobody else can come here. */
  readonly #isAlone: boolean

  constructor({ caps, note, office, proof, token }: Given, run: Desk["run"]) {
    this.#knows = recognising(USER, token)
    this.#isAlone = token === undefined
    const said = once(note)
    const budget = new Budget(caps, said, () => this.close())
    const counted: Desk["run"] = (job) => {
      budget.begin()
      run(
        Effect.ensuring(
          job,
          Effect.sync(() => budget.end())
        )
      )
    }
    this.desk = {
      office,
      sealing: sealingOf(proof),
      refusals: new Refusals(proof, caps.refusals, said, () => budget.exhaust()),
      note: said,
      run: counted,
      budget,
      keep: (socket) => this.#keep(socket)
    }
    this.#upstream = new Upstream(this.desk)
    this.#server = createServer({
      maxHeaderSize: HEADER_BYTES,
      insecureHTTPParser: false,
      // Whose absence is refused in words.
      requireHostHeader: false,
      keepAliveTimeout: KEEP_ALIVE_MILLIS
    })
      .on("request", (request, response) => this.#request(request, response))
      .on("connect", (request, socket, head) => this.#connect(request, socket, head))
      .on("checkContinue", (request, response) => this.#request(request, response))
      .on("checkExpectation", (request, response) => this.#request(request, response))
      .on("timeout", (socket) => {
        // Between two requests nobody waits for it.
        if (this.#lines.get(socket)?.isBusy === true) this.#idle(socket)
        else socket.destroy()
      })
      .on("clientError", (error, socket) => this.#broken(error, socket))
    this.#server.timeout = office.times.idle
  }

  accept(socket: Socket, door: Destination | undefined): void {
    const { budget } = this.desk
    this.#keep(socket)
    if (budget.isSpent || !budget.enter()) {
      return void (door === undefined ? this.#end(socket, FULL) : socket.destroy())
    }
    this.#upstream.trim(budget.free)
    socket.once("close", () => budget.leave())
    if (door === undefined) {
      this.#http(socket, undefined)
    } else {
      socket.setTimeout(this.desk.office.times.idle, () => this.#idle(socket))
      this.#enter(socket, door, undefined, Buffer.alloc(0))
    }
  }

  close(): void {
    this.#upstream.destroy()
    for (const socket of this.#sockets) socket.destroy()
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on("error", () => {}).once("close", () => this.#sockets.delete(socket))
  }

  /** From here on the socket speaks HTTP. */
  #http(socket: Socket, destination: Destination | undefined): void {
    const late = setTimeout(() => {
      if (this.#lines.get(socket)?.isKnown === true) this.desk.note(LATE)
      socket.destroy()
    }, this.desk.office.times.hello)
    const isKnown = this.#isAlone || destination !== undefined
    this.#lines.set(socket, { destination, late, waiting: [], isBusy: false, isOver: false, isKnown })
    socket.once("close", () => clearTimeout(late))
    this.#server.emit("connection", socket)
    socket.resume()
  }

  #enter(socket: Socket, destination: Destination, way: Way | undefined, first: Buffer): void {
    enter(this.desk, { socket, destination, way, onHttp: () => this.#http(socket, destination) }, first)
  }

  /** One at a time, in the order in which they came. */
  #request(request: IncomingMessage, response: ServerResponse): void {
    const line = this.#lines.get(request.socket)
    if (line === undefined) return void request.socket.destroy()
    if (line.isOver) return
    clearTimeout(line.late)
    if (line.destination === undefined && !this.#knows(request)) return void this.#stranger(request.socket)
    line.isKnown = true
    if (line.waiting.length >= AHEAD) {
      this.desk.note(HASTY)
      return void request.socket.destroy()
    }
    const begin = () => {
      line.isBusy = true
      response.once("close", () => {
        line.isBusy = false
        line.waiting.shift()?.()
      })
      const over = () => {
        line.isOver = true
        line.waiting.length = 0
      }
      serve(this.desk, { request, response, upstream: this.#upstream, destination: line.destination, over })
    }
    if (line.isBusy) line.waiting.push(begin)
    else begin()
  }

  #connect(request: IncomingMessage, duplex: Duplex, head: Buffer): void {
    // What listens has nothing but sockets.
    const socket = duplex as Socket
    const line = this.#lines.get(socket)
    if (line === undefined || line.isOver) return void socket.destroy()
    clearTimeout(line.late)
    if (line.destination === undefined && !this.#knows(request)) return void this.#stranger(socket)
    line.isKnown = true
    if (line.isBusy || line.destination !== undefined) {
      this.desk.refusals.hear(WITHIN)
      return void socket.destroy()
    }
    const target = tunnelTarget(request.url ?? "")
    if (Either.isLeft(target)) return void this.#end(socket, target.left)
    const destination = target.right
    // On this port the requests are seen, and asked about one by one.
    if (destination.port === 80) return void this.#established(socket, destination, undefined, head)
    const asked = tunnel(this.desk.refusals, authorityOf(destination))
    if (Either.isLeft(asked)) return void this.#end(socket, asked.left)
    this.desk.run(
      Effect.match(vetted(asked.right, this.desk), {
        onFailure: (refused) => this.#end(socket, refused),
        onSuccess: (way) => this.#established(socket, destination, way, head)
      })
    )
  }

  #established(socket: Socket, destination: Destination, way: Way | undefined, head: Buffer): void {
    if (socket.destroyed) return
    socket.setTimeout(this.desk.office.times.idle, () => this.#idle(socket))
    socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
    this.#enter(socket, destination, way, head)
  }

  /** Nothing came or went on it for as long as it may. */
  #idle(socket: Socket): void {
    this.desk.note(IDLE)
    socket.destroy()
  }

  /** Who goes away in the middle of a request has asked for nothing. */
  #broken({ code = "" }: NodeJS.ErrnoException, socket: Duplex): void {
    if (!code.startsWith("HPE_")) return void socket.destroy()
    if (code === "HPE_INVALID_EOF_STATE") this.#malformed(socket, false)
    else this.#malformed(socket, this.#lines.get(socket)?.isKnown === true)
  }

  /** What comes after a request that is being answered takes the answer along; what comes after a refusal is nothing. */
  #malformed(socket: Duplex, isHeard: boolean): void {
    const line = this.#lines.get(socket)
    if (line?.isOver === true) return
    if (line?.isBusy !== true) return void this.#end(socket, MALFORMED, isHeard)
    if (isHeard) this.desk.refusals.hear(MALFORMED)
    socket.destroy()
  }

  #stranger(socket: Duplex): void {
    this.#end(socket, STRANGER, false)
  }

  /** Answers where there is no response to answer with, and closes. What a stranger does is no event of the call. */
  #end(socket: Duplex, refused: Refused, isHeard = true): void {
    const { status, text } = refused
    const line = this.#lines.get(socket)
    if (line !== undefined) line.isOver = true
    if (isHeard && status !== 503) this.desk.refusals.hear(refused)
    if (!socket.writable) return void socket.destroy()
    const body = Buffer.from(`${text}\n`)
    const head = [
      `HTTP/1.1 ${status} ${REASONS[status]}`,
      "content-type: text/plain; charset=utf-8",
      `content-length: ${body.length}`,
      "connection: close",
      ...(status === 407 ? ["proxy-authenticate: Basic"] : [])
    ]
    socket.write(`${head.join("\r\n")}\r\n\r\n`)
    socket.end(body, () => socket.destroy())
  }
}

const REASONS: Readonly<Record<Refused["status"], string>> = {
  400: "Bad Request",
  403: "Forbidden",
  407: "Proxy Authentication Required",
  502: "Bad Gateway",
  503: "Service Unavailable"
}

const IDLE =
  "a connection of the command was closed, because nothing came or went on it for too long; ask again, or have the operator raise idleTime"
const LATE = "a connection of the command was closed, because it did not say in time what it is for"
const HASTY = `a connection of the command was closed, because it sent more than ${AHEAD} requests ahead of their answers`

const MALFORMED = refusal(400, {
  code: "REQUEST_INVALID",
  detail: "the proxy speaks HTTP/1.1 and CONNECT, and this is neither",
  remedy: "use a client of HTTP"
})
const WITHIN = refusal(400, {
  code: "REQUEST_INVALID",
  detail: "a tunnel was asked for inside of another connection",
  remedy: "open a connection to the proxy for each tunnel"
})

const FULL = new Refused(
  503,
  "LIMIT_EXCEEDED: the command has used up what it may have of the network; open fewer connections, and ask for less."
)
const STRANGER = new Refused(
  407,
  "REQUEST_INVALID: this proxy belongs to one command, which knows how to call it."
)

/**
 * All of its connections are closed with the scope.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (given: Given): Effect.Effect<ChildProxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    const jobs = yield* Effect.acquireRelease(Queue.unbounded<Effect.Effect<void>>(), Queue.shutdown)
    yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(jobs), Effect.fork)))
    const lines = yield* Effect.acquireRelease(
      Effect.sync(() => new Lines(given, (job) => void jobs.unsafeOffer(job))),
      (made) => Effect.sync(() => made.close())
    )
    return { accept: (socket, door) => lines.accept(socket, door) }
  })

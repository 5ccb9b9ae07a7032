/**
 * Connections, each to one vetted address, one request at a time. Those at private addresses are handed only to
 * holders who may connect there, however often they were used by others.
 */
import type { Socket } from "node:net"
import type { Client } from "undici"
// Not the index of the package: Bun has something else under that name, and Node would load all of it.
import UndiciClient from "undici/lib/dispatcher/client.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import type { Http } from "../../../policy/lattice/Request.js"
import type { Permitted } from "../../http/Judging.js"
import { originOf } from "../../http/Redirects.js"
import type { Settled } from "./limits.js"
import { mayConnectPrivately } from "./Vetting.js"

export interface Line {
  readonly client: Client
  readonly socket: Socket
  readonly permitted: Permitted
  readonly origin: string
  /** Whether it has carried a request. */
  used: boolean
}

/** Longer than this no connection is kept, whatever a server offers. */
const LONGEST_IDLE = 60_000

export class Lines {
  readonly #limits: Settled
  readonly #all = new Set<Line>()
  /** Those without a request, the one that waits longest first. */
  readonly #idle = new Set<Line>()
  readonly #byOrigin = new Map<string, Array<Line>>()
  #closed = false

  constructor(limits: Settled) {
    this.#limits = limits
  }

  /** A line for a connection that was just made; it carries a request next. */
  add(request: Http, socket: Socket, permitted: Permitted): Line | undefined {
    if (this.#closed || socket.destroyed) {
      socket.destroy()
      return undefined
    }
    const origin = originOf(request)
    let given = false
    const client = new UndiciClient(origin, {
      // A line is one connection: another one would have to be vetted.
      connect: (_options, callback) => {
        const again = given
        given = true
        queueMicrotask(() =>
          again
            ? callback(Object.assign(new Error("closed"), { code: "ECONNRESET" }), null)
            : callback(null, socket)
        )
      },
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: this.#limits.headerBytes,
      // Time is kept by the clock of the effect.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: this.#limits.idleTime,
      keepAliveMaxTimeout: Math.max(LONGEST_IDLE, this.#limits.idleTime)
    })
    const line: Line = { client, socket, permitted, origin, used: false }
    socket.once("close", () => this.drop(line))
    this.#all.add(line)
    return line
  }

  /** A line that waits for a request, if the holder may use one. */
  take(proof: Proof<Http>): Line | undefined {
    const waiting = this.#byOrigin.get(originOf(proof.request))
    if (waiting === undefined) return undefined
    let asked: boolean | undefined
    for (let i = waiting.length - 1; i >= 0; i--) {
      const line = waiting[i]
      if (line === undefined || line.socket.destroyed) continue
      if (line.permitted === "private") {
        asked ??= mayConnectPrivately(proof)
        if (!asked) continue
      }
      this.#unpark(line, waiting, i)
      return line
    }
    return undefined
  }

  /** Gives a line back after its request. */
  park(line: Line): void {
    if (this.#closed || line.socket.destroyed) {
      this.drop(line)
      return
    }
    line.used = true
    this.#idle.add(line)
    const waiting = this.#byOrigin.get(line.origin)
    if (waiting === undefined) this.#byOrigin.set(line.origin, [line])
    else waiting.push(line)
    if (this.#idle.size > this.#limits.idleConnections) {
      const [oldest] = this.#idle
      if (oldest !== undefined) this.drop(oldest)
    }
  }

  /** Closes a line at once. */
  drop(line: Line): void {
    const waiting = this.#byOrigin.get(line.origin)
    if (waiting !== undefined && this.#idle.has(line)) this.#unpark(line, waiting, waiting.indexOf(line))
    if (!this.#all.delete(line)) return
    line.client.destroy(null, () => {})
    line.socket.destroy()
  }

  /** Closes all of them, and those that are still to come. */
  async close(): Promise<void> {
    this.#closed = true
    const all = [...this.#all]
    for (const line of all) this.drop(line)
    await Promise.all(
      all.map(({ socket }) => socket.closed || new Promise((closed) => socket.once("close", closed)))
    )
  }

  #unpark(line: Line, waiting: Array<Line>, at: number): void {
    this.#idle.delete(line)
    waiting.splice(at, 1)
    if (waiting.length === 0) this.#byOrigin.delete(line.origin)
  }
}

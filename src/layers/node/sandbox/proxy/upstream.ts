/**
 * The connections to servers that stand behind the requests of a child. One that is done with a request serves the next
 * one to the same host and port, whichever connection of the child it comes over; it was vetted when it was opened.
 */
import { Agent, type ClientRequestArgs } from "node:http"
import type { Duplex } from "node:stream"
import { Effect } from "effect"
import type { Proof } from "../../../../policy/gate/Proof.js"
import type { Http } from "../../../../policy/lattice/Request.js"
import { type Desk, dialled } from "./office.js"

/** A request that was permitted: whoever needs a connection for it opens one to where it may go. */
export interface Aimed extends ClientRequestArgs {
  readonly proof: Proof<Http>
  /** Whether it goes to an address that is not public, or nowhere. */
  readonly isPrivate: boolean
}

type Created = (error: Error | null, socket: Duplex) => void

/** Most servers wait for five seconds. */
const IDLE_MILLIS = 4_000

const FREE = 8

export class Upstream extends Agent {
  readonly #desk: Desk

  constructor(desk: Desk) {
    super({ keepAlive: true, maxFreeSockets: FREE, timeout: IDLE_MILLIS, scheduling: "lifo" })
    this.#desk = desk
  }

  override createConnection(options: ClientRequestArgs, created?: Created): undefined {
    const { isPrivate, proof } = options as Aimed
    this.#desk.run(
      Effect.match(dialled(proof, this.#desk, isPrivate), {
        // Who fails has no socket to give, whatever the types of Node say.
        onFailure: (error) => (created as (error: Error) => void)(error),
        onSuccess: (socket) => created?.(null, socket)
      })
    )
    return undefined
  }

  /** One with TLS, one to a private address and any other are not the same, whatever their host and port. */
  override getName(options?: ClientRequestArgs): string {
    const { isPrivate, proof } = (options ?? {}) as Partial<Aimed>
    const kind =
      proof?.request.url.startsWith("https:") === true ? "tls " : isPrivate === true ? "private " : ""
    return `${kind}${super.getName(options)}`
  }

  /** Closes connections without a request, but for so many. */
  trim(most: number): void {
    const free = Object.values(this.freeSockets).flatMap((sockets) => sockets ?? [])
    for (const socket of free.slice(0, Math.max(0, free.length - most))) socket.destroy()
  }
}

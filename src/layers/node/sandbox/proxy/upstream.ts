/** The connection to a server that stands behind one connection of a child: at most one, for as long as both want it. */
import { Agent } from "node:http"
import type { Duplex } from "node:stream"
import { Effect } from "effect"
import type { Proof } from "../../../../policy/gate/Proof.js"
import type { Http } from "../../../../policy/lattice/Request.js"
import { ofFailure } from "./decisions.js"
import { type Desk, dialled } from "./office.js"
import { authorityOf } from "./targets.js"

type Created = (error: Error | null, socket: Duplex) => void

export class Upstream extends Agent {
  readonly #desk: Desk
  #proof: Proof<Http> | undefined

  constructor(desk: Desk) {
    super({ keepAlive: true, maxSockets: 1, maxFreeSockets: 1 })
    this.#desk = desk
  }

  /** For the next request, which was permitted. What led elsewhere is closed. */
  aim(proof: Proof<Http>): void {
    const before = this.#proof
    if (before !== undefined && authorityOf(before.request) !== authorityOf(proof.request)) this.destroy()
    this.#proof = proof
  }

  override createConnection(_options: unknown, created?: Created): undefined {
    const proof = this.#proof
    if (proof === undefined || created === undefined) return undefined
    this.#desk.run(
      Effect.match(dialled(proof, this.#desk), {
        // Who fails has no socket to give, whatever the types of Node say.
        onFailure: (error) => (created as (error: Error) => void)(ofFailure(error)),
        onSuccess: (socket) => created(null, socket)
      })
    )
    return undefined
  }
}

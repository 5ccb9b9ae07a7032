/** What the proxy of one child stands on. */
import type { Socket } from "node:net"
import { Effect } from "effect"
import type { NetworkError } from "../../../../capabilities/network/NetworkOperations.js"
import type { Proof } from "../../../../policy/gate/Proof.js"
import type { Http } from "../../../../policy/lattice/Request.js"
import { exceeded } from "../../../http/HttpFailures.js"
import type { Vetted } from "../../../http/Judging.js"
import { type Connect, type Custody, dialBare } from "../../network/Connector.js"
import { type Vetting, vet } from "../../network/Vetting.js"
import type { Budget } from "./budget.js"

/** How long things may take, in milliseconds. */
export interface Times {
  /** Connecting to one address. */
  readonly connect: number
  /** From the start of a connection until it is known what it is for. */
  readonly hello: number
  /** Without a byte in either direction. */
  readonly idle: number
}

export interface Office extends Vetting {
  readonly connect: Connect | undefined
  readonly times: Times
}

export interface Desk {
  readonly office: Office
  /** What permitted the child to run; it is asked for all that the child wants to reach. */
  readonly proof: Proof
  readonly budget: Budget
  /** Says something of how the command ran, once. */
  readonly note: (text: string) => void
  /** Runs an effect on behalf of the child; it is interrupted when the child is done. */
  readonly run: (effect: Effect.Effect<void>) => void
  /** Closes a socket when the child is done. */
  readonly keep: (socket: Socket) => void
}

/** Only sockets that nobody waits for are closed by it: who has one has it in the keeping of the desk. */
const custody = (keep: (socket: Socket) => void): Custody => {
  let held: ReadonlyArray<Socket> = []
  return {
    hold: (socket) => {
      keep(socket)
      held = [...held, socket]
    },
    drop: () => {
      for (const socket of held) socket.destroy()
      held = []
    }
  }
}

/** Where a proof leads, looked up and vetted. */
export interface Way {
  readonly proof: Proof<Http>
  readonly vetted: Vetted
}

export const vetted = (proof: Proof<Http>, { office }: Desk): Effect.Effect<Way, NetworkError> =>
  Effect.map(vet(proof, office), (found) => ({ proof, vetted: found })).pipe(
    Effect.timeoutFail({
      duration: office.times.connect,
      onTimeout: () => exceeded(`${proof.request.host} could not be resolved in time; try again`)
    })
  )

/** A connection to the addresses that were vetted. */
export const taken = (
  { proof, vetted: found }: Way,
  { keep, office }: Desk
): Effect.Effect<Socket, NetworkError> =>
  dialBare(
    proof.request,
    found,
    { connect: office.connect, connectTime: office.times.connect },
    custody(keep)
  )

/** Both at once. */
export const dialled = (proof: Proof<Http>, desk: Desk): Effect.Effect<Socket, NetworkError> =>
  Effect.flatMap(vetted(proof, desk), (way) => taken(way, desk))

/** What the proxy of one child stands on. */
import type { Socket } from "node:net"
import { Effect, Either } from "effect"
import type { Sealing } from "../../../../capabilities/secrets/Sealing.js"
import type { Proof } from "../../../../policy/gate/Proof.js"
import type { Http } from "../../../../policy/lattice/Request.js"
import { exceeded, peerOf } from "../../../http/HttpFailures.js"
import { onlyPrivate, type Vetted } from "../../../http/Judging.js"
import { type Connect, type Custody, dial, dialBare } from "../../network/Connector.js"
import { type Vetting, vet } from "../../network/Vetting.js"
import type { Budget } from "./budget.js"
import { ofFailure } from "./decisions.js"
import type { Refusals } from "./refusals.js"
import type { Refused } from "./refused.js"

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
  /** The certificate authorities to trust, where the proxy itself speaks TLS. */
  readonly trusted?: ReadonlyArray<string> | undefined
  readonly times: Times
}

export interface Desk {
  readonly office: Office
  /** Asks what permitted the child to run, for all that the child wants to reach. */
  readonly refusals: Refusals
  readonly budget: Budget
  /** What the tool of the child may send without seeing it. */
  readonly sealing: Sealing | undefined
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

/** An address that was refused stays so for the child, whatever its name stands for later. */
export const vetted = (proof: Proof<Http>, { office, refusals }: Desk): Effect.Effect<Way, Refused> =>
  Effect.suspend(() => {
    const key = `address of ${peerOf(proof.request)}`
    const before = refusals.before(key)
    if (before !== undefined) return Effect.fail(before)
    return Effect.map(vet(proof, office), (found) => ({ proof, vetted: found })).pipe(
      Effect.timeoutFail({
        duration: office.times.connect,
        onTimeout: () => exceeded(`${proof.request.host} could not be resolved in time; try again`)
      }),
      Effect.mapError(ofFailure),
      Effect.tapError((refused) =>
        Effect.sync(() => (refused.status === 403 ? refusals.count(key, refused) : undefined))
      )
    )
  })

/** A connection to the addresses that were vetted. */
export const taken = (
  { proof, vetted: found }: Way,
  { keep, office }: Desk
): Effect.Effect<Socket, Refused> =>
  Effect.mapError(
    dialBare(
      proof.request,
      found,
      { connect: office.connect, connectTime: office.times.connect },
      custody(keep)
    ),
    ofFailure
  )

/** Both at once, with TLS where the proof is for https. */
export const dialled = (proof: Proof<Http>, desk: Desk, isPrivate: boolean): Effect.Effect<Socket, Refused> =>
  Effect.flatMap(vetted(proof, desk), ({ vetted: found }) => {
    const { connect, times, trusted } = desk.office
    const dialling = { connect, trusted, connectTime: times.connect }
    const asked = isPrivate ? onlyPrivate(proof, found) : Either.right(found)
    return Effect.mapError(
      Effect.flatMap(asked, (addresses) => dial(proof.request, addresses, dialling, custody(desk.keep))),
      ofFailure
    )
  })

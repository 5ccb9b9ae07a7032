/**
 * From a permitted host to addresses that may be connected to. Nothing is connected to that did not pass here.
 *
 * @since 0.1.0
 */
import { lookup } from "node:dns"
import { Cause, Effect, Either } from "effect"
import type { NetworkError } from "../../../capabilities/network/NetworkOperations.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import { isAddress } from "../../../policy/lattice/Host.js"
import * as Request from "../../../policy/lattice/Request.js"
import { codeOf, failed, neverAllowed, peerOf } from "../../http/HttpFailures.js"
import { judged, type Vetted } from "../../http/Judging.js"
import { isBlocked } from "../../http/Ports.js"
import * as Own from "./own.js"

/**
 * An address that a name stands for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Resolved {
  readonly address: string
  readonly family: number
}

/**
 * All addresses of a name. It is asked once for each connection.
 *
 * @since 0.1.0
 * @category models
 */
export type Resolve = (host: string) => Effect.Effect<ReadonlyArray<Resolved>, unknown>

/**
 * @since 0.1.0
 * @category resolving
 */
export const systemResolve: Resolve = (host) =>
  Effect.async((resume) => {
    lookup(host, { all: true, verbatim: true }, (error, found) =>
      resume(error === null ? Effect.succeed(found) : Effect.fail(error))
    )
  })

/**
 * Whether a holder may connect to a host that is at a private address.
 *
 * @since 0.1.0
 * @category vetting
 */
export const mayConnectPrivately = (proof: Proof<Request.Http>): boolean =>
  proof.permits(Request.connect(proof.request.host, proof.request.port))

const addressesOf = (answer: unknown): ReadonlyArray<string> =>
  Array.isArray(answer) ? answer.map((found: unknown) => String(Object(found).address)) : []

const resolved = (host: string, resolve: Resolve): Effect.Effect<ReadonlyArray<string>, NetworkError> => {
  if (isAddress(host)) return Effect.succeed([host.replace(/^\[|\]$/g, "")])
  const unresolved = (why: string) =>
    failed(`${host} could not be resolved (${why}), so nothing was sent; check the name`)
  return Effect.suspend(() => resolve(host)).pipe(
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause) ? Effect.interrupt : Effect.fail(unresolved(codeOf(Cause.squash(cause))))
    ),
    Effect.flatMap((answer) => {
      const addresses = addressesOf(answer)
      return addresses.length === 0 ? Effect.fail(unresolved("no address")) : Effect.succeed(addresses)
    })
  )
}

/** Who does not know what is at home cannot tell what is not. */
const ownOf = (interfaces: Own.Interfaces): Either.Either<ReadonlySet<string>, NetworkError> =>
  Either.try({
    try: () => Own.addressesOf(interfaces),
    catch: () =>
      failed(
        "the addresses of this machine cannot be listed, so nothing was sent; the operator must let the program list them, or give the network layer the option interfaces"
      )
  })

/**
 * @since 0.1.0
 * @category models
 */
export interface Vetting {
  readonly resolve: Resolve
  readonly interfaces: Own.Interfaces
}

/**
 * @since 0.1.0
 * @category vetting
 */
export const vet = (
  proof: Proof<Request.Http>,
  { interfaces, resolve }: Vetting
): Effect.Effect<Vetted, NetworkError> =>
  isBlocked(proof.request.port)
    ? Effect.fail(
        neverAllowed(proof, `${peerOf(proof.request)} is on a port that no HTTP server has; use another port`)
      )
    : Effect.flatMap(resolved(proof.request.host, resolve), (addresses) =>
        Either.flatMap(ownOf(interfaces), (own) => judged(proof, addresses, own))
      )

/** From a permitted host to addresses that may be connected to. Nothing is connected to that did not pass here. */
import { lookup } from "node:dns"
import { Cause, Effect, Either } from "effect"
import { NetworkError } from "../../../capabilities/network/NetworkOperations.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import { isAddress } from "../../../policy/lattice/Host.js"
import * as Request from "../../../policy/lattice/Request.js"
import * as Addresses from "./addresses.js"
import { codeOf, failed, neverAllowed, peerOf } from "./failures.js"
import * as Own from "./own.js"

/** Ports of protocols that can be spoken to by accident with HTTP; the list is that of the fetch standard. */
const blocked: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080
])

const isBlocked = (port: number): boolean => port < 1 || port > 65_535 || blocked.has(port)

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

export const systemResolve: Resolve = (host) =>
  Effect.async((resume) => {
    lookup(host, { all: true, verbatim: true }, (error, found) =>
      resume(error === null ? Effect.succeed(found) : Effect.fail(error))
    )
  })

export type Permitted = Exclude<Addresses.AddressClass, "never">

/** Addresses of one host, all of them looked at, and the worst that any of them is. */
export interface Vetted {
  readonly addresses: ReadonlyArray<string>
  readonly permitted: Permitted
}

/** Whether a holder may connect to a host that is at a private address. */
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

const judged = (
  proof: Proof<Request.Http>,
  addresses: ReadonlyArray<string>,
  own: ReadonlySet<string>
): Either.Either<Vetted, NetworkError> => {
  const { request } = proof
  const classes = addresses.map((address) => Addresses.classify(address, own))
  if (classes.includes("never")) {
    return Either.left(
      neverAllowed(proof, `${request.host} is at an address that is always refused; use another host`)
    )
  }
  if (!classes.includes("private")) return Either.right({ addresses, permitted: "public" })
  return Either.mapBoth(proof.also(Request.connect(request.host, request.port)), {
    onLeft: (refusal) =>
      new NetworkError({
        code: "ADDRESS_NOT_ALLOWED",
        detail: refusal.denial.detail,
        denial: { ...refusal.denial, code: "ADDRESS_NOT_ALLOWED" }
      }),
    onRight: () => ({ addresses, permitted: "private" as const })
  })
}

export interface Vetting {
  readonly resolve: Resolve
  readonly interfaces: Own.Interfaces
}

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

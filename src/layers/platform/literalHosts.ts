/** What can be said of a host without looking its name up. */
import { Either } from "effect"
import type { NetworkError } from "../../capabilities/network/NetworkOperations.js"
import type { Proof } from "../../policy/gate/Proof.js"
import { isAddress } from "../../policy/lattice/Host.js"
import type { Http } from "../../policy/lattice/Request.js"
import { neverAllowed, peerOf } from "../http/HttpFailures.js"
import { judged, onlyPrivate, type Vetted } from "../http/Judging.js"
import { isBlocked } from "../http/Ports.js"

/** Which addresses this machine has is not known here. */
const OWN: ReadonlySet<string> = new Set()

/** The standard says where these lead. */
const LOOPBACK = /^(?:.+\.)?localhost$/

const addressIn = (host: string): string | undefined => {
  if (isAddress(host)) return host.replace(/^\[|\]$/g, "")
  return LOOPBACK.test(host) ? "127.0.0.1" : undefined
}

/** An address in a URL is held to the policy as one that a name leads to is on Node. */
export const vetted = (proof: Proof<Http>, isPrivate: boolean): Either.Either<void, NetworkError> => {
  const { host, port } = proof.request
  if (isBlocked(port)) {
    return Either.left(
      neverAllowed(proof, `${peerOf(proof.request)} is on a port that no HTTP server has; use another port`)
    )
  }
  const address = addressIn(host)
  const found: Either.Either<Vetted, NetworkError> =
    address === undefined
      ? // Nobody here knows where a name leads: anybody may be there.
        Either.right({ addresses: [], permitted: "public" })
      : judged(proof, [address], OWN)
  return Either.map(
    isPrivate ? Either.flatMap(found, (one) => onlyPrivate(proof, one)) : found,
    () => undefined
  )
}

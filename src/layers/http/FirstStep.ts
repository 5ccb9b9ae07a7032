/** The first request of a chain, once what goes with it is checked. */
import { Either } from "effect"
import type { NetworkBackend } from "../../capabilities/network/NetworkBackend.js"
import type { NetworkError } from "../../capabilities/network/NetworkOperations.js"
import type { Proof } from "../../policy/gate/Proof.js"
import type { Http } from "../../policy/lattice/Request.js"
import { exceeded, failed } from "./HttpFailures.js"
import { outgoing } from "./HttpHeaders.js"
import type { Step } from "./Redirects.js"

interface Bounds {
  readonly requestBytes: number
  readonly headerBytes: number
}

export const begun = (
  proof: Proof<Http>,
  { body, headers, isPrivate = false, redirects = "follow" }: NetworkBackend.Content,
  { headerBytes, requestBytes }: Bounds
): Either.Either<Step, NetworkError> => {
  const { method } = proof.request
  if (body !== undefined && body.byteLength > requestBytes) {
    return Either.left(
      exceeded(`the body is longer than ${requestBytes} bytes; send less, or raise the limit requestBytes`)
    )
  }
  if (body !== undefined && body.byteLength > 0 && (method === "GET" || method === "HEAD")) {
    return Either.left(failed(`a ${method} request has no body; use POST, or put it into the URL`))
  }
  return Either.map(outgoing(proof, headers, headerBytes), (checked) => ({
    proof,
    sent: { headers: checked, body },
    count: 1,
    redirects,
    isPrivate,
    from: undefined
  }))
}

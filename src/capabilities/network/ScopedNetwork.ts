/**
 * @since 0.1.0
 */
import { Effect, Stream } from "effect"
import type { Holder } from "../../policy/gate/Asking.js"
import * as Gate from "../../policy/gate/Gate.js"
import * as Request from "../../policy/lattice/Request.js"
import type { Network } from "./Network.js"
import type { NetworkBackend } from "./NetworkBackend.js"
import { NetworkError } from "./NetworkOperations.js"

/**
 * Requests, each asked of the holder's authority first. The backend gets the proof, and a copy of the rest: what a
 * caller changes afterwards changes nothing.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (holder: Holder, backend: NetworkBackend.Service): Network.Operations => {
  const { ask, logged, loggedStream } = Gate.make(holder, backend, {
    denied: (denial) =>
      new NetworkError({
        code: denial.code === "METHOD_NOT_ALLOWED" ? "METHOD_NOT_ALLOWED" : "HOST_NOT_ALLOWED",
        detail: denial.detail,
        denial
      }),
    malformed: ({ code, detail }, denial) =>
      new NetworkError({
        code: code === "METHOD_INVALID" ? "METHOD_NOT_ALLOWED" : "URL_INVALID",
        detail,
        denial
      })
  })
  const content = ({ body, headers }: Network.Request): NetworkBackend.Content => ({
    headers: { ...headers },
    ...(body === undefined ? {} : { body })
  })
  return {
    request: (request) =>
      Effect.flatMap(ask(Request.http(request.method, request.url)), (proof) =>
        logged(backend.request(proof, content(request)))
      ),
    stream: (request) =>
      Stream.unwrap(
        Effect.map(ask(Request.http(request.method, request.url)), (proof) =>
          loggedStream(proof.request.capability, backend.stream(proof, content(request)))
        )
      )
  }
}

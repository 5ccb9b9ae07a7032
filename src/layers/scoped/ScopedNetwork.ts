/**
 * @since 0.1.0
 */
import { Effect, Stream } from "effect"
import { type Network, NetworkError } from "../../capabilities/Network.js"
import type { Authority } from "../../policy/Authority.js"
import * as Request from "../../policy/Request.js"
import * as Gate from "./Gate.js"

const gate = (authority: Authority) =>
  Gate.make(authority, {
    denied: (denial) =>
      new NetworkError({
        code: denial.code === "METHOD_NOT_ALLOWED" ? "METHOD_NOT_ALLOWED" : "HOST_NOT_ALLOWED",
        detail: denial.detail,
        denial
      }),
    malformed: ({ code, detail }) =>
      new NetworkError({ code: code === "METHOD_INVALID" ? "METHOD_NOT_ALLOWED" : "URL_INVALID", detail })
  })

/**
 * Requests, each asked of the authority first. The operation gets the URL and the method that were asked about,
 * and a copy of the rest: what a caller changes afterwards changes nothing.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (authority: Authority, inner: Network.Operations): Network.Operations => {
  const { ask } = gate(authority)
  const asked = (request: Network.Request): Effect.Effect<Network.Request, NetworkError> => {
    const { headers, method, url, ...rest } = request
    return Effect.map(ask(Request.http(method, url)), (allowed) => ({
      ...rest,
      headers: { ...headers },
      method: allowed.method,
      url: allowed.url
    }))
  }
  return {
    request: (request) => Effect.flatMap(asked(request), inner.request),
    stream: (request) => Stream.unwrap(Effect.map(asked(request), inner.stream))
  }
}

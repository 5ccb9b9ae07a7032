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
 * Requests, each asked of the authority first.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (authority: Authority, inner: Network.Operations): Network.Operations => {
  const { ask } = gate(authority)
  const asked = ({ method, url }: Network.Request) => ask(Request.http(method, url))
  return {
    request: (request) => Effect.zipRight(asked(request), inner.request(request)),
    stream: (request) => Stream.unwrap(Effect.as(asked(request), inner.stream(request)))
  }
}

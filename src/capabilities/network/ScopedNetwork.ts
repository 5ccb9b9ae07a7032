/**
 * @since 0.1.0
 */
import { Effect, Option, Redacted } from "effect"
import type { Holder } from "../../policy/gate/Asking.js"
import * as Gate from "../../policy/gate/Gate.js"
import * as Request from "../../policy/lattice/Request.js"
import type { Network } from "./Network.js"
import type { NetworkBackend } from "./NetworkBackend.js"
import { NetworkError } from "./NetworkOperations.js"
import * as Parts from "./NetworkParts.js"

/** A credential that goes by its scheme, as in `Bearer abc`, is one without it too. */
const SCHEME = /^[A-Za-z-]{1,20} +(?=\S+$)/

/** What is shorter is a word that others may write, and a tool must not blank it for them. */
const SHORTEST = 8

/** Each costs time with every result of the turn. */
const MOST = 256

/** Tells of the redacted headers that are sent, each once. */
const telling = (hidden: (value: string) => void) => {
  const told = new Set<string>()
  return (headers: Network.Request["headers"]): void => {
    for (const given of Object.values(headers)) {
      if (!Redacted.isRedacted(given)) continue
      const value = Redacted.value(given)
      for (const one of [value, value.replace(SCHEME, "")]) {
        if (one.length < SHORTEST || told.has(one) || told.size >= MOST) continue
        told.add(one)
        hidden(one)
      }
    }
  }
}

/**
 * Requests, each asked of the holder's authority first. The backend gets the proof, and a copy of the rest: what a
 * caller changes afterwards changes nothing. `hidden` hears of the redacted headers that are sent, so that a server
 * that repeats one does not show it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (
  holder: Holder,
  backend: NetworkBackend.Service,
  hidden: (value: string) => void = () => {}
): Network.Operations => {
  const { ask, logged, standing } = Gate.make(holder, backend, {
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
  const tell = telling(hidden)
  const content = ({ body, headers, redirects }: Network.Request): NetworkBackend.Content => {
    tell(headers)
    return {
      headers: { ...headers },
      ...(body === undefined ? {} : { body }),
      ...(redirects === undefined ? {} : { redirects })
    }
  }
  /** No further than the call: what comes after it is not handed on. */
  const within =
    (capability: string) =>
    ({ head, pull, whole }: Parts.Flow): Parts.Flow => {
      const stands = standing(capability)
      const pulls = Effect.mapError(stands, Option.some)
      return {
        head,
        pull: Effect.zipRight(pulls, Effect.zipLeft(pull, pulls)),
        whole: whole === undefined ? undefined : Effect.zipRight(stands, whole)
      }
    }
  return {
    request: (request) =>
      Effect.flatMap(ask(Request.http(request.method, request.url)), (proof) =>
        logged(backend.request(proof, content(request)))
      ),
    open: (request) =>
      Parts.make((keeper) =>
        Effect.flatMap(ask(Request.http(request.method, request.url)), (proof) =>
          Effect.map(
            logged(Parts.open(backend.open(proof, content(request)))(keeper)),
            within(proof.request.capability)
          )
        )
      )
  }
}

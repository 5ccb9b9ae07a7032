/**
 * @since 0.1.0
 */
import { Effect, Either, Option, Redacted } from "effect"
import type { Holder } from "../../policy/gate/Asking.js"
import * as Gate from "../../policy/gate/Gate.js"
import type { Proof } from "../../policy/gate/Proof.js"
import type { Denial } from "../../policy/lattice/Denial.js"
import * as Request from "../../policy/lattice/Request.js"
import type { Scrubbing, Sealing } from "../secrets/Sealing.js"
import type { Network } from "./Network.js"
import type { NetworkBackend } from "./NetworkBackend.js"
import { NetworkError } from "./NetworkOperations.js"
import * as Parts from "./NetworkParts.js"
import { carries, type Outgoing, partial } from "./sealing/Outgoing.js"
import { isSamePlace, place } from "./sealing/Placing.js"
import * as Unsealed from "./sealing/Unsealed.js"

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

const CODES: ReadonlyMap<string, NetworkError["code"]> = new Map([
  ["METHOD_NOT_ALLOWED", "METHOD_NOT_ALLOWED"],
  ["SEAL_REFUSED", "SEAL_REFUSED"]
])

/** A request that is permitted, as the backend sends it, and what its answer goes through. */
interface Ready {
  readonly proof: Proof<Request.Http>
  readonly content: NetworkBackend.Content
  readonly scrubbing: Scrubbing | undefined
}

const plain = (value: string | Redacted.Redacted): string =>
  Redacted.isRedacted(value) ? Redacted.value(value) : value

/** Those that hold a secret by now are shown nowhere. */
const replacedHeaders = (
  given: Network.Request["headers"],
  placed: ReadonlyMap<string, string>
): Network.Request["headers"] => {
  const kept = Object.entries(given).map(([name, value]) => {
    const now = placed.get(name.toLowerCase()) ?? ""
    return [name, now === plain(value) ? value : Redacted.make(now)] as const
  })
  const names = new Set(Object.keys(given).map((name) => name.toLowerCase()))
  return Object.fromEntries([...kept, ...[...placed].filter(([name]) => !names.has(name))])
}

const unsealable = ({ request: { host, port } }: Proof<Request.Http>): Denial => ({
  reason: "scope_violation",
  code: "SEAL_REFUSED",
  detail: "a request that carries a sealed secret has each header once, and is one that it can be put into",
  capability: "secrets.seal",
  asked: `a sealed secret to ${host}:${port}`,
  held: [],
  remedy: "write each header once, and take the token with Secrets.sealed"
})

function* plainly(headers: Network.Request["headers"]): Generator<readonly [string, string]> {
  for (const [name, value] of Object.entries(headers)) yield [name, plain(value)]
}

/** As it is written, and as it is sent: a URL loses its line breaks. */
const isCarried = ({ body, headers, url }: Network.Request, { url: sent }: Request.Http): boolean =>
  carries(url, plainly(headers), body) || carries(sent, [], undefined)

/** One that is written twice in different letters is refused by who sends it; here none is looked over. */
const outgoingOf = (request: Request.Http, { body, headers }: Network.Request): Outgoing => ({
  ...request,
  body,
  headers: new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), plain(value)]))
})

/** Who sends a request says what it can undo: an answer that is compressed in another way could not be looked through. */
const undoable = (headers: Network.Request["headers"]): Network.Request["headers"] =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => name.toLowerCase() !== "accept-encoding" || plain(value).trim() === "identity"
    )
  )

/** What is looked at, signed and sent is one and the same, whatever becomes of what the tool gave meanwhile. */
const ownCopy = (request: Network.Request): Network.Request => {
  const { body } = request
  const headers = undoable(request.headers)
  return body === undefined ? { ...request, headers } : { ...request, headers, body: Uint8Array.from(body) }
}

const isTwice = ({ headers }: Network.Request): boolean => {
  const names = Object.keys(headers)
  return new Set(names.map((name) => name.toLowerCase())).size < names.length
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
  hidden: (value: string) => void = () => {},
  sealing?: Sealing
): Network.Operations => {
  const { ask, logged, refuse, standing } = Gate.make(holder, backend, {
    denied: (denial) =>
      new NetworkError({ code: CODES.get(denial.code) ?? "HOST_NOT_ALLOWED", detail: denial.detail, denial }),
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
  /** With the values of sealed secrets in place: what is asked aloud has their tokens. */
  const sealed = (proof: Proof<Request.Http>, given: Network.Request): Effect.Effect<Ready, NetworkError> =>
    Effect.gen(function* () {
      const request = ownCopy(given)
      const outgoing = outgoingOf(proof.request, request)
      if (sealing === undefined || isTwice(request)) return yield* refuse(unsealable(proof))
      const placed = yield* Effect.catchTag(place(sealing, outgoing), "Misplaced", ({ denial }) =>
        refuse(denial)
      )
      const made = proof.also(Request.http(outgoing.method, placed.url))
      if (Either.isLeft(made) || !isSamePlace(made.right.request, proof.request)) {
        return yield* refuse(unsealable(proof))
      }
      const { redirects } = request
      return {
        proof: made.right,
        content: {
          ...content(request),
          headers: replacedHeaders(request.headers, placed.headers),
          ...(placed.body === undefined ? {} : { body: placed.body }),
          redirects: placed.isSigned || redirects === "none" ? "none" : "same-origin",
          ...(placed.url.startsWith("https:") ? {} : { isPrivate: true })
        },
        scrubbing: sealing.scrubbing(placed.further)
      }
    })
  /** What carried nothing may be answered with what another request carried. */
  const uncarried = (
    proof: Proof<Request.Http>,
    request: Network.Request
  ): Effect.Effect<Ready, NetworkError> => {
    if (sealing?.isDeclared !== true) {
      return Effect.succeed({ proof, content: content(request), scrubbing: undefined })
    }
    const { host, port } = proof.request
    const isPart = Object.keys(request.headers).some((name) => name.toLowerCase() === "range")
    const mayKeep = sealing.isFor(host, port)
    if (isPart && mayKeep) return refuse(partial(proof.request))
    return Effect.map(mayKeep ? sealing.recall(host, port) : Effect.void, () => {
      const given = sealing.hasGiven ? { ...request, headers: undoable(request.headers) } : request
      const made = content(given)
      return {
        proof,
        content: isPart && made.redirects !== "none" ? { ...made, redirects: "same-origin" } : made,
        scrubbing: sealing.scrubbing([])
      }
    })
  }
  const ready = (request: Network.Request): Effect.Effect<Ready, NetworkError> =>
    Effect.flatMap(ask(Request.http(request.method, request.url)), (proof) =>
      isCarried(request, proof.request) ? sealed(proof, request) : uncarried(proof, request)
    )
  const askedOf = ({ proof: { request } }: Ready, { url }: Network.Request) => ({
    method: request.method,
    written: url,
    sent: request.url,
    isSent: () => sealing?.hasGiven === true
  })
  return {
    request: (request) =>
      Effect.flatMap(ready(request), (made) => {
        const answer = backend.request(made.proof, made.content)
        return logged(
          made.scrubbing === undefined
            ? answer
            : Unsealed.response(answer, made.scrubbing, askedOf(made, request))
        )
      }),
    open: (request) =>
      Parts.make((keeper) =>
        Effect.flatMap(ready(request), (made) => {
          const opening = Parts.open(backend.open(made.proof, made.content))(keeper)
          return Effect.map(
            logged(
              made.scrubbing === undefined
                ? opening
                : Unsealed.flow(opening, made.scrubbing, askedOf(made, request))
            ),
            within(made.proof.request.capability)
          )
        })
      )
  }
}

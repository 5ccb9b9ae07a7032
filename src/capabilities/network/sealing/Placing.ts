/**
 * Puts sealed secrets into a request in the places of their tokens: for the hosts and in the places that they may go to,
 * over https, and nowhere else.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Either } from "effect"
import type { Denial } from "../../../policy/lattice/Denial.js"
import type * as Request from "../../../policy/lattice/Request.js"
import { bytesOf } from "../../bytes.js"
import { isSignature, type SealForm } from "../../secrets/SealForm.js"
import type { Sealing } from "../../secrets/Sealing.js"
import * as Seals from "../../secrets/Seals.js"
import type { SecretsError } from "../../secrets/SecretsOperations.js"
import { isOfSender } from "../ConnectionHeaders.js"
import { NetworkError } from "../NetworkOperations.js"
import { inBody, inHeader, inUrl, type Written } from "./escaping.js"
import type { Outgoing, Placed } from "./Outgoing.js"
import { aws4Of, base64, coveredBy, hmacOf } from "./signing.js"

/**
 * Why a token is refused where it stands. Who asked hears of it.
 *
 * @since 0.1.0
 * @category models
 */
export class Misplaced {
  readonly _tag = "Misplaced"
  constructor(readonly denial: Denial) {}
}

type Failure = NetworkError | Misplaced

const misplaced = ({ host, port }: Outgoing, detail: string, remedy: string): Misplaced =>
  new Misplaced({
    reason: "scope_violation",
    code: "SEAL_REFUSED",
    detail: `${detail}; ${remedy}`,
    capability: "secrets.seal",
    asked: `a sealed secret to ${host}:${port}`,
    held: [],
    remedy
  })

/** What the gate refuses is heard already; what is not there, or could not be read, is a request that failed. */
const ofSecrets = (error: SecretsError): NetworkError =>
  error.denial === undefined
    ? new NetworkError({ code: "REQUEST_FAILED", detail: error.detail })
    : new NetworkError({
        code: "SEAL_REFUSED",
        detail: error.denial.detail,
        denial: { ...error.denial, code: "SEAL_REFUSED" }
      })

/** Where a token stands: a name for the policy, and how a value is written there. */
interface Spot {
  readonly place: string
  readonly write: (value: string) => Written
}

/** A copy of a text with its tokens replaced, one after the other, each asked about. */
class Placer {
  readonly #sealing: Sealing
  readonly #outgoing: Outgoing
  readonly further: Array<string> = []

  constructor(sealing: Sealing, outgoing: Outgoing) {
    this.#sealing = sealing
    this.#outgoing = outgoing
  }

  fail(detail: string, remedy: string): Effect.Effect<never, Misplaced> {
    return Effect.fail(misplaced(this.#outgoing, detail, remedy))
  }

  /** The value of a token for a place. */
  value(token: string, place: string): Effect.Effect<readonly [string, SealForm | undefined], Failure> {
    const { host, port } = this.#outgoing
    const seal = this.#sealing.seals.find(token)
    return seal === undefined
      ? this.fail(
          `what stands in ${shownPlace(place)} is no token of a sealed secret that this tool took in this turn`,
          "take it with Secrets.sealed in the call that sends it, and write it whole"
        )
      : Effect.mapBoth(this.#sealing.value(seal.ref, host, port, place), {
          onFailure: ofSecrets,
          onSuccess: (value) => [value, seal.form] as const
        })
  }

  /** A text in a place. Signatures are left for later, when all else is in its place. */
  text(
    text: string,
    { place, write }: Spot,
    later?: (token: string) => boolean
  ): Effect.Effect<string, Failure> {
    if (!Seals.isCarriedIn(text)) return Effect.succeed(text)
    return Effect.gen(this, function* () {
      const made = new Map<string, string>()
      for (const token of Seals.tokensIn(text)) {
        if (later?.(token) === true) continue
        const [value, form] = yield* this.value(token, place)
        if (isSignature(form)) {
          return yield* this.fail("a signature of a sealed secret stands in a header", "put it there")
        }
        const written = write(form === undefined ? value : credentials(form, value))
        if (Either.isLeft(written)) return yield* this.fail(written.left, "ask the operator for another one")
        made.set(token, written.right)
      }
      return Seals.replaced(text, (token) => made.get(token) ?? token)
    })
  }

  isSigned(token: string): boolean {
    return isSignature(this.#sealing.seals.find(token)?.form)
  }
}

/** A name that holds a token is not repeated, nor is what nobody could name. */
const shownPlace = (place: string): string => (/^[a-z0-9:._-]{1,80}$/i.test(place) ? place : "the request")

const credentials = (form: Extract<SealForm, { as: "basic" }>, value: string): string =>
  base64(bytesOf(form.user === undefined ? `${value}:${form.password ?? ""}` : `${form.user}:${value}`))

const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/

/** Neither a name nor what is no part of what a server is asked for may hold one. */
const outside = (placer: Placer, { headers, url }: Outgoing, target: URL): Effect.Effect<void, Misplaced> => {
  const others = [target.host, target.username, target.password, target.hash]
  if (
    others.some(Seals.isCarriedIn) ||
    (Seals.isCarriedIn(url) && !Seals.isCarriedIn(target.pathname + target.search))
  ) {
    return placer.fail("a sealed secret stands in no host, user or fragment of a URL", "put it into a header")
  }
  for (const [name, value] of headers) {
    if (Seals.isCarriedIn(name)) {
      return placer.fail("a sealed secret is no name of a header", "put it into a value")
    }
    // With a value in one of them a request would be another one, or two.
    if (Seals.isCarriedIn(value) && isOfSender(name.replaceAll("_", "-"))) {
      return placer.fail("a sealed secret stands in no header of the connection", "put it into another")
    }
    if (!HEADER_NAME.test(name) || /[\r\n\0]/.test(value)) {
      return placer.fail("a header holds what HTTP cannot carry", "write it in one line")
    }
  }
  return headers.has("range")
    ? placer.fail(
        "a request that carries a sealed secret has no Range",
        "ask for the whole, without that header"
      )
    : Effect.void
}

/** Parameter by parameter: a name holds none. */
const query = (placer: Placer, search: string): Effect.Effect<string, Failure> =>
  Seals.isCarriedIn(search)
    ? Effect.map(
        Effect.forEach(search.slice(1).split("&"), (pair) => {
          const equals = pair.indexOf("=")
          const name = equals < 0 ? pair : pair.slice(0, equals)
          if (Seals.isCarriedIn(name)) {
            return placer.fail("a sealed secret is no name of a parameter", "put it into the value of one")
          }
          return placer.text(pair, { place: `query:${name}`, write: inUrl })
        }),
        (pairs) => `?${pairs.join("&")}`
      )
    : Effect.succeed(search)

const latin1 = (bytes: Uint8Array): string => {
  const parts: Array<string> = []
  for (let at = 0; at < bytes.length; at += 8192) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)))
  }
  return parts.join("")
}

/** Byte by byte: what is around a token stays as it is. */
const bodyOf = (
  placer: Placer,
  { body, headers }: Outgoing
): Effect.Effect<Uint8Array | undefined, Failure> => {
  if (body === undefined || !Seals.isCarriedIn(body)) return Effect.succeed(body)
  const write = (value: string): Written =>
    Either.map(inBody(headers.get("content-type"), value), (text) => latin1(bytesOf(text)))
  return Effect.map(placer.text(latin1(body), { place: "body", write }), (text) =>
    Uint8Array.from(text, (one) => one.charCodeAt(0))
  )
}

/** Signatures over what is in its place by now. None is over a header that holds one. */
const signed = (placer: Placer, outgoing: Outgoing): Effect.Effect<Outgoing, Failure> =>
  Effect.gen(function* () {
    const holding = [...outgoing.headers].filter(([, text]) => Seals.isCarriedIn(text))
    const names = new Set(holding.map(([name]) => name))
    const headers = new Map(outgoing.headers)
    for (const [name, text] of holding) {
      const made = new Map<string, string>()
      for (const token of Seals.tokensIn(text)) {
        const [value, form] = yield* placer.value(token, `header:${name}`)
        if (!isSignature(form)) continue
        if (coveredBy(form).some((covered) => names.has(covered))) {
          return yield* placer.fail("a signature is over a header that holds one", "sign without that header")
        }
        if (form.as === "aws4") {
          const given = yield* aws4Of(form, value, outgoing, yield* Clock.currentTimeMillis)
          for (const [further, one] of given.headers) headers.set(further, one)
          made.set(token, given.authorization)
          placer.further.push(given.signature, given.signature.toUpperCase())
        } else {
          const signature = yield* hmacOf(form, value, outgoing)
          if (signature === undefined) {
            return yield* placer.fail("the secret is no key of the kind that was named", "name another 'key'")
          }
          made.set(token, signature)
          placer.further.push(signature, signature.toUpperCase())
        }
      }
      headers.set(
        name,
        Seals.replaced(text, (token) => made.get(token) ?? token)
      )
    }
    return { ...outgoing, headers }
  })

/** In the clear only where the policy itself says that the endpoint is one of its own. */
const isSafe = (sealing: Sealing, { host, port, url }: Outgoing): boolean =>
  url.startsWith("https:") || sealing.isPrivate(host, port)

/**
 * A request with the values in place, or why it is refused.
 *
 * @since 0.1.0
 * @category placing
 */
export const place = (sealing: Sealing, outgoing: Outgoing): Effect.Effect<Placed, Failure> =>
  Effect.gen(function* () {
    const placer = new Placer(sealing, outgoing)
    const target = new URL(outgoing.url)
    yield* outside(placer, outgoing, target)
    if (!isSafe(sealing, outgoing)) {
      return yield* placer.fail(
        "a sealed secret goes over https, or to a private endpoint that the policy names",
        "use https"
      )
    }
    const path = yield* placer.text(target.pathname, { place: "path", write: inUrl })
    const search = yield* query(placer, target.search)
    const headers = new Map<string, string>()
    for (const [name, text] of outgoing.headers) {
      const spot = { place: `header:${name}`, write: inHeader }
      headers.set(name, yield* placer.text(text, spot, (token) => placer.isSigned(token)))
    }
    const body = yield* bodyOf(placer, outgoing)
    const url = `${target.origin}${path}${search}`
    const filled = { ...outgoing, url, headers, body }
    const isSigned = [...headers.values()].some(Seals.isCarriedIn)
    const made = isSigned ? yield* signed(placer, filled) : filled
    return { ...made, further: placer.further, isSigned }
  })

/**
 * The same place as before, by its host, port and scheme: nothing that is put into a URL leads elsewhere.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isSamePlace = (a: Request.Http, b: Request.Http): boolean =>
  a.host === b.host && a.port === b.port && a.url.slice(0, 6) === b.url.slice(0, 6)

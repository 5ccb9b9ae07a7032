/**
 * Requests of a child that carry the token of a sealed secret. They come in the open, and go on over https with the secret in
 * its place; what comes back goes to the child without it.
 */
import type { IncomingMessage } from "node:http"
import { Transform } from "node:stream"
import { Effect, Either } from "effect"
import type { NetworkError } from "../../../../capabilities/network/NetworkOperations.js"
import {
  carries,
  isPacked,
  type Outgoing,
  partial
} from "../../../../capabilities/network/sealing/Outgoing.js"
import { type Misplaced, place } from "../../../../capabilities/network/sealing/Placing.js"
import { type Scrubbing, Sealing } from "../../../../capabilities/secrets/Sealing.js"
import * as Seals from "../../../../capabilities/secrets/Seals.js"
import type { Proof } from "../../../../policy/gate/Proof.js"
import { type Denial, message } from "../../../../policy/lattice/Denial.js"
import * as Request from "../../../../policy/lattice/Request.js"
import { ofFailure } from "./decisions.js"
import { forwarded, type Raw } from "./headers.js"
import { no, Refused, refusal } from "./refused.js"

/** What the tool of a child may send without seeing it. */
export const sealingOf = (proof: Proof): Sealing | undefined =>
  proof.sealing instanceof Sealing ? proof.sealing : undefined

/** What answers to requests without a token go through: who got the secret may say it in any of them. */
export const afterwards = (sealing: Sealing | undefined): Scrubbing | undefined =>
  sealing?.isDeclared === true ? sealing.scrubbing([]) : undefined

/** How much of a body is kept until all of it is there. */
const MOST = 8 * 1024 * 1024

const pairs = (raw: Raw): ReadonlyArray<readonly [string, string]> =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as const] : []))

/** Whether the head of a request holds what looks like a token. */
export const isCarriedInHead = ({ rawHeaders, url = "" }: IncomingMessage): boolean =>
  carries(url, pairs(rawHeaders), undefined)

export const isCarriedInBody = (body: Uint8Array): boolean => Seals.isCarriedIn(body)

/** Where it goes on to: over https, unless the policy names the endpoint as one of its own. */
export const secured = (sealing: Sealing | undefined, target: string): string => {
  const made = Request.http("GET", target)
  if (Either.isLeft(made) || sealing?.isPrivate(made.right.host, made.right.port) === true) return target
  const { host, port } = made.right
  return target.replace(/^http:\/\/[^/?#]*/i, `https://${host}${port === 80 ? "" : `:${port}`}`)
}

/** Whether a token may stand in the body of a request to there. */
export const mayStandInBody = (sealing: Sealing | undefined, target: string): boolean => {
  const made = Request.http("GET", secured(sealing, target))
  return Either.isRight(made) && sealing?.mayStandInBody(made.right.host, made.right.port) === true
}

/** All of a body, if it is not too long. */
export const collected = (
  request: IncomingMessage,
  spend: (bytes: number) => void
): Effect.Effect<Buffer, Refused> =>
  Effect.async((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    request.on("data", (chunk: Buffer) => {
      spend(chunk.length)
      size += chunk.length
      if (size > MOST) {
        request.removeAllListeners("data")
        resume(Effect.fail(TOO_LONG))
      } else chunks.push(chunk)
    })
    request.once("end", () => resume(Effect.succeed(Buffer.concat(chunks))))
    request.once("error", () =>
      resume(Effect.fail(new Refused(502, "REQUEST_FAILED: the body did not come.")))
    )
  })

const TOO_LONG = refusal(403, {
  code: "SEAL_REFUSED",
  detail: `the body of a request that carries a sealed secret is longer than ${MOST} bytes`,
  remedy: "send less"
})

/** What is sent on. */
export interface Prepared {
  readonly path: string
  readonly headers: Array<string>
  readonly body: Buffer | undefined
  readonly scrubbing: Scrubbing
}

const refused = (denial: Denial): Refused => new Refused(403, `${message(denial)}.`, denial)

const ofMisplaced = (error: Misplaced | NetworkError): Refused =>
  "denial" in error && error._tag === "Misplaced" ? refused(error.denial) : ofFailure(error as NetworkError)

const isTwice = (raw: Raw): boolean => {
  const names = pairs(raw).map(([name]) => name.toLowerCase())
  return new Set(names).size < names.length
}

/** Of these the proxy writes its own. */
const OWN: ReadonlySet<string> = new Set(["host", "content-length", "accept-encoding"])

/** The request of a child as it goes on: its answer comes as it is, so that it can be looked through. */
export const prepared = (
  sealing: Sealing | undefined,
  proof: Proof<Request.Http>,
  request: IncomingMessage,
  body: Buffer | undefined
): Effect.Effect<Prepared, Refused> => {
  const raw = forwarded(request.rawHeaders, "host")
  if (sealing === undefined || isTwice(raw)) return no(403, UNCLEAR)
  const given = new Map(pairs(raw).map(([name, value]) => [name.toLowerCase(), value]))
  const outgoing: Outgoing = { ...proof.request, headers: given, body }
  return Effect.mapBoth(place(sealing, outgoing), {
    onFailure: ofMisplaced,
    onSuccess: (placed) => {
      const { pathname, search } = new URL(placed.url)
      const names = new Map(pairs(raw).map(([name]) => [name.toLowerCase(), name]))
      const whole = placed.body === undefined ? undefined : Buffer.from(placed.body)
      const kept = [...placed.headers].filter(([name]) => !OWN.has(name))
      return {
        path: pathname + search,
        headers: [
          "Host",
          new URL(placed.url).host,
          "Accept-Encoding",
          "identity",
          ...(whole === undefined ? [] : ["Content-Length", String(whole.length)]),
          ...kept.flatMap(([name, value]) => [names.get(name) ?? name, value])
        ],
        body: whole,
        scrubbing: sealing.scrubbing(placed.further)
      }
    }
  })
}

const UNCLEAR = {
  code: "SEAL_REFUSED",
  detail:
    "a request that carries a sealed secret has each header once, and comes from a command whose tool took it",
  capability: "secrets.seal",
  remedy: "send each header once, with a token that the tool set for this command"
} as const

/** Nobody can look into what is compressed, be it for the way alone. */
export const isOpaque = ({ headers }: IncomingMessage, method: string): boolean =>
  method !== "HEAD" && isPacked(headers["content-encoding"], headers["transfer-encoding"])

export const OPAQUE = new Refused(
  502,
  "REQUEST_FAILED: a sealed secret was sent, and the answer is compressed, so that it cannot be looked through."
)

/** Whether a server may have been sent a secret by this tool, at this port or in the safe way. */
const isFor = (sealing: Sealing | undefined, { host, port }: Request.Http): sealing is Sealing =>
  sealing?.isDeclared === true && (sealing.isFor(host, port) || sealing.isFor(host, 443))

/** Whether it was, so that whatever it says is to be looked through. */
export const mayKeep = (sealing: Sealing | undefined, request: Request.Http): boolean =>
  isFor(sealing, request) && sealing.hasGiven

/** Has what it may have kept known, before it is asked anything; nothing where it has nothing. */
export const recalled = (
  sealing: Sealing | undefined,
  request: Request.Http
): Effect.Effect<void> | undefined =>
  isFor(sealing, request)
    ? Effect.zipRight(sealing.recall(request.host, request.port), sealing.recall(request.host, 443))
    : undefined

/** Why a request without a token is not sent on: it asks for a part of what may hold a secret. */
export const inParts = (
  sealing: Sealing | undefined,
  { headers }: IncomingMessage,
  request: Request.Http
): Refused | undefined =>
  headers.range !== undefined && isFor(sealing, request) ? refused(partial(request)) : undefined

/** The headers of a request without a token whose answer is to be looked through. */
export const readable = (raw: Raw): Raw => [
  ...pairs(raw)
    .filter(([name]) => !/^accept-encoding$/i.test(name))
    .flat(),
  "Accept-Encoding",
  "identity"
]

/** A redirect that stays where it is leads back through the proxy in the open, as the request came. */
const locally = (value: string, { host, port, url }: Request.Http): string => {
  const origin = url.startsWith("https:") ? `https://${host}${port === 443 ? "" : `:${port}`}` : undefined
  return origin !== undefined && (value === origin || value.startsWith(`${origin}/`))
    ? `http://${value.slice("https://".length)}`
    : value
}

/** The headers of an answer, without the secret. */
export const shown = (raw: Raw, scrubbing: Scrubbing, request: Request.Http): Array<string> =>
  pairs(raw).flatMap(([name, value]) => {
    const text = scrubbing.text(value)
    return [
      scrubbing.text(name) === name ? name : "x-redacted",
      /^(?:content-)?location$/i.test(name) ? locally(text, request) : text
    ]
  })

/** The body of an answer, without the secret, as it comes. */
export const sieve = (scrubbing: Scrubbing, { headers }: IncomingMessage): Transform => {
  const one = scrubbing.sieve(/^text\/event-stream\b/i.test(headers["content-type"] ?? ""))
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, one.push(chunk)),
    flush: (done) => done(null, one.end())
  })
}

/** Tells of a token in a body that is sent on as it comes: one may not stand there, and means nothing to who gets it. */
export const watching = (found: () => void): ((chunk: Buffer) => void) => {
  let end: Uint8Array = new Uint8Array(0)
  return (chunk) => {
    const all = Buffer.concat([end, chunk])
    if (Seals.isCarriedIn(all)) found()
    end = all.subarray(Math.max(0, all.length - Seals.LONGEST_START))
  }
}

export const IN_BODY = refusal(403, {
  code: "SEAL_REFUSED",
  detail: "a sealed secret may not stand in the body of this request",
  capability: "secrets.seal",
  remedy: "send it where the tool declares it"
})

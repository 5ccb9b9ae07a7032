/** One request in the open: asked, sent on to where its target leads, and answered. Nothing of it is kept. */
import { type IncomingMessage, type ServerResponse, request as send } from "node:http"
import { Effect, Either } from "effect"
import type { Proof } from "../../../../policy/gate/Proof.js"
import { type Http, summary } from "../../../../policy/lattice/Request.js"
import { request as decide } from "./decisions.js"
import { forwarded, namesOf, sizeOf } from "./headers.js"
import type { Desk } from "./office.js"
import { no, Refused, refusal } from "./refused.js"
import * as Sealed from "./sealed.js"
import { authorityOf, type Destination, type Framing, framingOf, urlOf } from "./targets.js"
import type { Aimed, Upstream } from "./upstream.js"

/** What a request and its answer may have of headers. */
export const HEADER_BYTES = 65_536

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly upstream: Upstream
  readonly destination: Destination | undefined
  /** Whatever else came over the connection is not looked at any more. */
  readonly over: () => void
}

const refuse = ({ refusals }: Desk, { over, response }: Exchange, refused: Refused): void => {
  const { status, text } = refused
  over()
  if (status !== 502) refusals.hear(refused)
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" })
  response.end(`${text}\n`)
}

const hostOf = ({ host, port }: Http): string => (port === 80 ? host : authorityOf({ host, port }))

const headersFor = (raw: ReadonlyArray<string>, request: Http, framing: Framing): Array<string> => [
  "Host",
  hostOf(request),
  ...forwarded(raw, "host"),
  ...(framing === "chunked" ? ["Transfer-Encoding", "chunked"] : [])
]

/** A kept connection may have been closed by the server just when it was to be used again. */
const isStale = (error: unknown, isReused: boolean): boolean =>
  isReused && ["ECONNRESET", "EPIPE"].includes(String(Object(error).code))

const answered = (
  desk: Desk,
  { request, response }: Exchange,
  answer: IncomingMessage,
  { proof, sealed }: Going,
  broken: (error: unknown) => void
): void => {
  const { rawHeaders, statusCode = 502, statusMessage } = answer
  if (!desk.budget.spend(sizeOf(rawHeaders))) return
  const scrubbing = sealed?.scrubbing ?? Sealed.afterwards(desk.sealing)
  const isSearched = sealed !== undefined || Sealed.mayKeep(desk.sealing, proof.request)
  if (isSearched && Sealed.isOpaque(answer, proof.request.method)) {
    answer.destroy()
    return void broken(Sealed.OPAQUE)
  }
  try {
    const raw = forwarded(rawHeaders)
    response.sendDate = false
    if (scrubbing === undefined) response.writeHead(statusCode, statusMessage, raw)
    else response.writeHead(statusCode, Sealed.shown(raw, scrubbing, proof.request))
  } catch (error) {
    answer.destroy()
    return void broken(error)
  }
  answer.on("data", (chunk: Buffer) => desk.budget.spend(chunk.length))
  answer.on("error", broken)
  // A server need not wait for the whole of a request; then the rest of it is nobody's.
  answer.once("end", () => request.unpipe().resume())
  if (scrubbing === undefined) answer.pipe(response)
  else answer.pipe(Sealed.sieve(scrubbing, answer)).pipe(response)
}

/** A request that is permitted, on its way; with what it carries, if it carries a sealed secret. */
interface Going {
  readonly proof: Proof<Http>
  readonly framing: Framing
  /** What was kept of its body. */
  readonly body: Buffer | undefined
  readonly sealed: Sealed.Prepared | undefined
}

const sendOn = (desk: Desk, exchange: Exchange, going: Going, again: boolean): void => {
  const { request, response, upstream } = exchange
  const { body, framing, proof, sealed } = going
  const permitted = proof.request
  let isSettled = false
  const { pathname, search } = new URL(permitted.url)
  const broken = (error?: unknown) => {
    isSettled = true
    refuse(
      desk,
      exchange,
      error instanceof Refused
        ? error
        : new Refused(
            502,
            `REQUEST_FAILED: ${authorityOf(permitted)} does not answer as a server of HTTP does.`
          )
    )
  }
  const isSearched = Sealed.mayKeep(desk.sealing, permitted)
  const raw = isSearched ? Sealed.readable(request.rawHeaders) : request.rawHeaders
  const aimed: Aimed = {
    agent: upstream,
    proof,
    isPrivate: sealed !== undefined && !permitted.url.startsWith("https:"),
    host: permitted.host,
    port: permitted.port,
    method: permitted.method,
    path: sealed?.path ?? pathname + search,
    headers: sealed?.headers ?? headersFor(raw, permitted, framing),
    setHost: false,
    maxHeaderSize: HEADER_BYTES,
    insecureHTTPParser: false
  }
  const out = send(aimed)
  const leave = () => out.destroy()
  response.once("close", leave)
  out.once("response", (answer) => {
    isSettled = true
    answered(desk, exchange, answer, going, broken)
  })
  // A server that switches protocols closes without an answer and without an error.
  out.once("close", () => isSettled || response.destroyed || broken())
  out.on("error", (error) => {
    response.off("close", leave)
    if (isSettled) return
    isSettled = true
    if (again && framing === "none" && !response.headersSent && isStale(error, out.reusedSocket)) {
      sendOn(desk, exchange, going, false)
    } else if (!response.destroyed) broken(error)
  })
  if (sealed !== undefined || body !== undefined) {
    out.end(sealed?.body ?? body)
  } else if (framing === "none") {
    out.end()
  } else {
    // Who waits to be told so sends its body now, and none if it is refused.
    if (request.headers.expect !== undefined && request.httpVersion === "1.1") response.writeContinue()
    request.on("data", (chunk: Buffer) => desk.budget.spend(chunk.length))
    request.on(
      "data",
      Sealed.watching(() => {
        if (!isSettled) broken(Sealed.IN_BODY)
        request.unpipe().resume()
        out.destroy()
      })
    )
    request.pipe(out)
  }
}

/** `h2c` is offered by clients that go on without it. Who asks for anything else would speak that. */
const upgrades = ({ headers: { upgrade } }: IncomingMessage): boolean =>
  upgrade !== undefined && !/^\s*h2c\s*$/i.test(upgrade)

const UPGRADE = {
  code: "REQUEST_INVALID",
  detail: "a connection to a host stays HTTP, and nothing is upgraded",
  remedy: "use TLS (wss), which is passed on as it is"
} as const

const permitted = (desk: Desk, { request }: Exchange, target: string) =>
  Either.flatMap(
    decide(desk.refusals, request.method ?? "", target, namesOf(request.rawHeaders)),
    (proof): Either.Either<Proof<Http>, Refused> =>
      upgrades(request) ? no(403, { ...UPGRADE, asked: summary(proof.request) }) : Either.right(proof)
  )

const go = (desk: Desk, exchange: Exchange, going: Going): void => {
  try {
    sendOn(desk, exchange, going, true)
  } catch {
    refuse(desk, exchange, UNCARRIED)
  }
}

/** With the secret in its place, over https. */
const goSealed = (
  desk: Desk,
  exchange: Exchange,
  target: string,
  framing: Framing,
  body: Buffer | undefined
): void => {
  const asked = permitted(desk, exchange, Sealed.secured(desk.sealing, target))
  if (Either.isLeft(asked)) return void refuse(desk, exchange, asked.left)
  const proof = asked.right
  desk.run(
    Effect.match(Sealed.prepared(desk.sealing, proof, exchange.request, body), {
      onFailure: (refused) => refuse(desk, exchange, refused),
      onSuccess: (sealed) => go(desk, exchange, { proof, framing, body, sealed })
    })
  )
}

const goOpen = (
  desk: Desk,
  exchange: Exchange,
  target: string,
  framing: Framing,
  body: Buffer | undefined
): void => {
  const asked = permitted(desk, exchange, target)
  if (Either.isLeft(asked)) return void refuse(desk, exchange, asked.left)
  const proof = asked.right
  const refused = Sealed.inParts(desk.sealing, exchange.request, proof.request)
  if (refused !== undefined) return void refuse(desk, exchange, refused)
  const going = { proof, framing, body, sealed: undefined }
  const recalled = Sealed.recalled(desk.sealing, proof.request)
  if (recalled === undefined) go(desk, exchange, going)
  else desk.run(Effect.map(recalled, () => go(desk, exchange, going)))
}

export const serve = (desk: Desk, exchange: Exchange): void => {
  const { destination, request, response } = exchange
  if (!desk.budget.spend((request.url ?? "").length + sizeOf(request.rawHeaders))) return
  const read = Either.all([framingOf(request), urlOf(request.url ?? "", destination)])
  if (Either.isLeft(read)) return void refuse(desk, exchange, read.left)
  const [framing, target] = read.right
  const inHead = Sealed.isCarriedInHead(request)
  if (!inHead && (framing === "none" || !Sealed.mayStandInBody(desk.sealing, target))) {
    return void goOpen(desk, exchange, target, framing, undefined)
  }
  if (framing === "none") return void goSealed(desk, exchange, target, framing, undefined)
  // All of a body is needed to look for a token in it, and to sign it.
  if (request.headers.expect !== undefined && request.httpVersion === "1.1") response.writeContinue()
  desk.run(
    Effect.match(
      Sealed.collected(request, (bytes) => void desk.budget.spend(bytes)),
      {
        onFailure: (refused) => refuse(desk, exchange, refused),
        onSuccess: (body) =>
          inHead || Sealed.isCarriedInBody(body)
            ? goSealed(desk, exchange, target, framing, body)
            : goOpen(desk, exchange, target, framing, body)
      }
    )
  )
}

const UNCARRIED = refusal(400, {
  code: "REQUEST_INVALID",
  detail: "the request holds what HTTP cannot carry",
  remedy: "write headers in ASCII"
})

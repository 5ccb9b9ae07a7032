/** One request in the open: asked, sent on to where its target leads, and answered. Nothing of it is kept. */
import { type IncomingMessage, type ServerResponse, request as send } from "node:http"
import { Either } from "effect"
import type { Proof } from "../../../../policy/gate/Proof.js"
import { type Http, summary } from "../../../../policy/lattice/Request.js"
import { request as decide } from "./decisions.js"
import { forwarded, namesOf, sizeOf } from "./headers.js"
import type { Desk } from "./office.js"
import { no, Refused, refusal } from "./refused.js"
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
  broken: (error: unknown) => void
): void => {
  const { rawHeaders, statusCode = 502, statusMessage } = answer
  if (!desk.budget.spend(sizeOf(rawHeaders))) return
  try {
    response.sendDate = false
    response.writeHead(statusCode, statusMessage, forwarded(rawHeaders))
  } catch (error) {
    answer.destroy()
    return void broken(error)
  }
  answer.on("data", (chunk: Buffer) => desk.budget.spend(chunk.length))
  answer.on("error", broken)
  // A server need not wait for the whole of a request; then the rest of it is nobody's.
  answer.once("end", () => request.unpipe().resume())
  answer.pipe(response)
}

const sendOn = (
  desk: Desk,
  exchange: Exchange,
  proof: Proof<Http>,
  framing: Framing,
  again: boolean
): void => {
  const { request, response, upstream } = exchange
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
  const aimed: Aimed = {
    agent: upstream,
    proof,
    host: permitted.host,
    port: permitted.port,
    method: permitted.method,
    path: pathname + search,
    headers: headersFor(request.rawHeaders, permitted, framing),
    setHost: false,
    maxHeaderSize: HEADER_BYTES,
    insecureHTTPParser: false
  }
  const out = send(aimed)
  const leave = () => out.destroy()
  response.once("close", leave)
  out.once("response", (answer) => {
    isSettled = true
    answered(desk, exchange, answer, broken)
  })
  // A server that switches protocols closes without an answer and without an error.
  out.once("close", () => isSettled || response.destroyed || broken())
  out.on("error", (error) => {
    response.off("close", leave)
    if (isSettled) return
    isSettled = true
    if (again && framing === "none" && !response.headersSent && isStale(error, out.reusedSocket)) {
      sendOn(desk, exchange, proof, framing, false)
    } else if (!response.destroyed) broken(error)
  })
  if (framing === "none") {
    out.end()
  } else {
    // Who waits to be told so sends its body now, and none if it is refused.
    if (request.headers.expect !== undefined && request.httpVersion === "1.1") response.writeContinue()
    request.on("data", (chunk: Buffer) => desk.budget.spend(chunk.length))
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

const permitted = (desk: Desk, { destination, request }: Exchange) =>
  Either.flatMap(framingOf(request), (framing) =>
    Either.flatMap(urlOf(request.url ?? "", destination), (target) =>
      Either.flatMap(
        decide(desk.refusals, request.method ?? "", target, namesOf(request.rawHeaders)),
        (proof) =>
          upgrades(request)
            ? no(403, { ...UPGRADE, asked: summary(proof.request) })
            : Either.right({ framing, proof })
      )
    )
  )

export const serve = (desk: Desk, exchange: Exchange): void => {
  const { request } = exchange
  if (!desk.budget.spend((request.url ?? "").length + sizeOf(request.rawHeaders))) return
  const asked = permitted(desk, exchange)
  if (Either.isLeft(asked)) return void refuse(desk, exchange, asked.left)
  const { framing, proof } = asked.right
  try {
    sendOn(desk, exchange, proof, framing, true)
  } catch {
    refuse(desk, exchange, UNCARRIED)
  }
}

const UNCARRIED = refusal(400, {
  code: "REQUEST_INVALID",
  detail: "the request holds what HTTP cannot carry",
  remedy: "write headers in ASCII"
})

/** One request in the open: asked, sent on to where its target leads, and answered. Nothing of it is kept. */
import { type IncomingMessage, type ServerResponse, request as send } from "node:http"
import { Either } from "effect"
import type { Proof } from "../../../../policy/gate/Proof.js"
import type { Http } from "../../../../policy/lattice/Request.js"
import { request as decide, Refused } from "./decisions.js"
import { forwarded, namesOf, sizeOf } from "./headers.js"
import type { Desk } from "./office.js"
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

const refuse = (desk: Desk, { over, response }: Exchange, { status, text }: Refused): void => {
  over()
  if (status !== 502) desk.note(text)
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
    request.on("data", (chunk: Buffer) => desk.budget.spend(chunk.length))
    request.pipe(out)
  }
}

export const serve = (desk: Desk, exchange: Exchange): void => {
  const { destination, request } = exchange
  const { method = "", rawHeaders, url = "" } = request
  if (!desk.budget.spend(url.length + sizeOf(rawHeaders))) return
  const asked = Either.flatMap(framingOf(request), (framing) =>
    Either.map(
      Either.flatMap(urlOf(url, destination), (target) =>
        decide(desk.proof, method, target, namesOf(rawHeaders))
      ),
      (proof) => ({ framing, proof })
    )
  )
  if (Either.isLeft(asked)) return void refuse(desk, exchange, asked.left)
  const { framing, proof } = asked.right
  try {
    sendOn(desk, exchange, proof, framing, true)
  } catch {
    refuse(desk, exchange, new Refused(400, "REQUEST_INVALID: the request holds what HTTP cannot carry."))
  }
}

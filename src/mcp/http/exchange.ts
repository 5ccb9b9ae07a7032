/** One request of HTTP from its head to its answer. */
import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import { codes } from "../protocol/Message.js"
import { bytesOf, messageIn, type Taken, type Unreadable } from "./body.js"
import type { Refusal } from "./Callers.js"
import type { Client } from "./client.js"
import { type Gate, refusalOf } from "./gate.js"
import type { HttpLimits } from "./Limits.js"
import { JSON_TYPE, STREAM_TYPE, unacceptable, unknownRevision, unsupported } from "./media.js"
import type { Outgoing } from "./outgoing.js"
import { GONE, type Sessions } from "./sessions.js"

export interface Exchanging {
  readonly gate: Gate
  readonly limits: HttpLimits
  readonly sessions: Sessions
  readonly run: (effect: Effect.Effect<void>) => void
}

const SESSION = "mcp-session-id"

const METHODS = "GET, POST, DELETE"

const noSession: Refusal = {
  status: 400,
  message: "write Mcp-Session-Id as it came with the answer to 'initialize'"
}

const tooMany = (what: string): Refusal => ({
  status: 429,
  message: `${what} wait for an answer; wait for one of them`,
  headers: { "retry-after": "1" }
})

const full: Refusal = {
  status: 503,
  message: "there are as many sessions as there may be; end one of them",
  headers: { "retry-after": "60" }
}

const isRefused = (value: Taken | Unreadable): value is Unreadable => "status" in value

/** The session that a request names; what it names is refused where there is none. */
const named = ({ headers }: IncomingMessage, { sessions }: Exchanging): Client | Refusal | undefined => {
  const id = headers[SESSION]
  return typeof id === "string" ? (sessions.get(id) ?? GONE) : undefined
}

const isClient = (found: Client | Refusal | undefined): found is Client =>
  found !== undefined && "waits" in found

/** Hands a message to the session, which answers when it can. */
const ask = (
  client: Client,
  { id, message }: Extract<Taken, { _tag: "Request" }>,
  outgoing: Outgoing,
  { limits, run }: Exchanging
): void => {
  if (client.inFlight >= limits.inFlight) {
    outgoing.refuse(tooMany(`${limits.inFlight} requests`), codes.internal, id)
  } else if (client.waits(id, outgoing)) {
    run(client.session?.receive(message) ?? Effect.void)
  } else {
    const detail = "another request with this id waits for its answer; give each its own"
    outgoing.refuse({ status: 400, message: detail }, codes.invalidRequest, id)
  }
}

const tell = (
  client: Client,
  { cancels, message }: Extract<Taken, { _tag: "Other" }>,
  outgoing: Outgoing,
  { run }: Exchanging
): void => {
  run(
    Effect.map(client.session?.receive(message) ?? Effect.void, () => {
      if (cancels !== undefined) client.forget(cancels)
      outgoing.accepted()
    })
  )
}

/** The id goes with the answer, unless there is no session after all. */
const initialize = (
  taken: Extract<Taken, { _tag: "Request" }>,
  outgoing: Outgoing,
  exchanging: Exchanging
): void => {
  const { run, sessions } = exchanging
  if (sessions.isFull) {
    outgoing.refuse(full, codes.internal, taken.id)
    return
  }
  const { response } = outgoing
  run(
    Effect.gen(function* () {
      const client: Client = yield* sessions.begin((isThere) => {
        if (isThere) response.setHeader(SESSION, client.id)
        else run(sessions.end(client))
      })
      ask(client, taken, outgoing, exchanging)
    })
  )
}

const post = async (request: IncomingMessage, outgoing: Outgoing, exchanging: Exchanging): Promise<void> => {
  const found = named(request, exchanging)
  const refusal =
    unacceptable(request, [JSON_TYPE, STREAM_TYPE]) ??
    unsupported(request) ??
    (isClient(found) ? undefined : found)
  if (refusal !== undefined) return outgoing.refuse(refusal)
  const bytes = await bytesOf(request, outgoing.response, exchanging.limits.bodyBytes)
  if (bytes === undefined) return
  const taken = Buffer.isBuffer(bytes) ? messageIn(bytes) : bytes
  if (isRefused(taken)) return outgoing.refuse(taken, taken.code, taken.id)
  if (isClient(found)) {
    return taken._tag === "Request"
      ? ask(found, taken, outgoing, exchanging)
      : tell(found, taken, outgoing, exchanging)
  }
  if (taken._tag === "Request" && taken.method === "initialize") initialize(taken, outgoing, exchanging)
  else outgoing.refuse(noSession)
}

const listen = (request: IncomingMessage, outgoing: Outgoing, exchanging: Exchanging): void => {
  const client = named(request, exchanging) ?? noSession
  const refusal = unacceptable(request, [STREAM_TYPE]) ?? (isClient(client) ? undefined : client)
  if (refusal !== undefined) outgoing.refuse(refusal)
  else if (isClient(client)) client.listens(outgoing)
}

const remove = (request: IncomingMessage, outgoing: Outgoing, exchanging: Exchanging): void => {
  const client = named(request, exchanging) ?? noSession
  if (!isClient(client)) {
    outgoing.refuse(client)
    return
  }
  const { run, sessions } = exchanging
  run(Effect.map(sessions.end(client), () => void outgoing.response.writeHead(204).end()))
}

export const exchange = (
  request: IncomingMessage,
  outgoing: Outgoing,
  exchanging: Exchanging
): Promise<void> | void => {
  const refusal = refusalOf(request, exchanging.gate)
  if (refusal !== undefined) {
    const { message, status } = refusal
    // Who has no token writes no more into the log than this.
    if (status !== 404) exchanging.run(Effect.annotateLogs(Effect.logWarning("refused"), { status, message }))
    return outgoing.refuse(refusal)
  }
  const unknown = unknownRevision(request)
  switch (request.method) {
    case "POST":
      return unknown === undefined ? post(request, outgoing, exchanging) : outgoing.refuse(unknown)
    case "GET":
      return unknown === undefined ? listen(request, outgoing, exchanging) : outgoing.refuse(unknown)
    case "DELETE":
      return unknown === undefined ? remove(request, outgoing, exchanging) : outgoing.refuse(unknown)
    default:
      return outgoing.refuse({ status: 405, message: `write ${METHODS}`, headers: { allow: METHODS } })
  }
}

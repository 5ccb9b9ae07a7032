/** A server that others run, over streamable HTTP: a message is a request, and its answer one message or a stream of them. */
import { Context, Effect, Either, FiberMap, Redacted, type Scope } from "effect"
import { Network } from "../../capabilities/network/Network.js"
import { NetworkBackend } from "../../capabilities/network/NetworkBackend.js"
import type { NetworkError } from "../../capabilities/network/NetworkOperations.js"
import { scoped } from "../../capabilities/network/ScopedNetwork.js"
import * as Authority from "../../policy/lattice/Authority.js"
import * as Request from "../../policy/lattice/Request.js"
import type { Remote, SecretHeader } from "../../policy/server/Server.js"
import { Lines } from "../protocol/Lines.js"
import type { Message, RequestId } from "../protocol/Message.js"
import { GatewayError } from "./GatewayError.js"
import { secretsOf } from "./localWire.js"
import type { Wire } from "./Peer.js"
import { GONE, isStream, type Mark, type Place, readEvents, resumed, standing } from "./streams.js"
import type { Starting } from "./Transport.js"

const SESSION = "mcp-session-id"

/** As the protocol has it, and no longer than anybody needs. */
const isSession = (value: string | undefined): value is string =>
  value !== undefined && /^[\x21-\x7e]{1,512}$/.test(value)

const unsent = (name: string, why: string) =>
  new GatewayError({ code: "SERVER_NOT_STARTED", detail: `the MCP server ${name} was not reached: ${why}` })

const forgotten = (name: string) =>
  new GatewayError({
    code: "SERVER_ENDED",
    detail: `the MCP server ${name} does not know its session any more; call again: a new one is begun`
  })

const headerOf = ({ name, scheme }: SecretHeader, value: string): [string, Redacted.Redacted] => [
  name.toLowerCase(),
  Redacted.make(scheme === undefined ? value : `${scheme} ${value}`)
]

const idOf = (message: Message): RequestId | undefined =>
  "method" in message && "id" in message ? message.id : undefined

/** Whether it may be listened to beside its answers. Nobody is refused anything: without that it is heard in answers alone. */
const mayListen = ({ holder }: Starting, url: string): boolean =>
  Either.match(Request.http("GET", url), {
    onLeft: () => false,
    onRight: (request) => Authority.permits(holder.authority, request).allowed
  })

/** Sends in the scope, and tells the server at its end that nobody comes back. */
export const remoteWire = (
  remote: Remote,
  starting: Starting
): Effect.Effect<Wire, GatewayError, Scope.Scope> =>
  Effect.gen(function* () {
    const { ears, holder, limits, name, serving } = starting
    const backend = Context.getOption(serving.backends as Context.Context<NetworkBackend>, NetworkBackend)
    if (backend._tag === "None") return yield* unsent(name, "no backend of the network is wired; provide one")
    const service = Network.make(scoped(holder, backend.value, serving.hidden))
    const values = yield* secretsOf(
      starting,
      remote.headers.map(({ ref }) => ref)
    )
    const secret = Object.fromEntries(remote.headers.map((one, at) => headerOf(one, values[at] ?? "")))
    let session: string | undefined
    let revision: string | undefined
    const headers = () => ({
      ...secret,
      ...(session === undefined ? {} : { [SESSION]: session }),
      ...(revision === undefined ? {} : { "mcp-protocol-version": revision })
    })
    const run = yield* FiberMap.runtime(yield* FiberMap.make<string>())<never>()
    const place: Place = {
      service,
      url: remote.url,
      headers: () => headers(),
      limits,
      forgotten: () => {
        if (session !== undefined) ears.ended(forgotten(name))
      }
    }
    const heard = (text: string, about?: RequestId) => {
      const lines = new Lines(limits.messageLength, (line) => ears.line(line, about))
      // A line end is no end of a message here, and JSON has none that it needs.
      lines.push(text.replaceAll("\n", " "))
      lines.end()
    }
    const canListen = mayListen(starting, remote.url)
    /** Where to listen from, where the server was not there to be listened to. */
    let lost: Mark | undefined
    const listen = (from: Mark) => {
      lost = undefined
      const listening = Effect.map(
        standing(place, (data) => heard(data), from),
        (mark) => {
          lost = mark
        }
      )
      run("standing", Effect.provideService(listening, Network, service))
    }
    const posted = (message: Message): Effect.Effect<void, NetworkError | GatewayError, Network> =>
      Effect.gen(function* () {
        const answer = yield* service.open("POST", remote.url, {
          headers: {
            ...headers(),
            "content-type": "application/json",
            accept: "application/json, text/event-stream"
          },
          body: JSON.stringify(message),
          redirects: "same-host"
        })
        const { status } = answer
        if (status < 200 || status > 299) {
          yield* answer.close
          if (status === GONE && session !== undefined) return ears.ended(forgotten(name))
          return yield* unsent(name, `it answered with the status ${status}`)
        }
        // It is there again: so it is listened to again.
        if (lost !== undefined) listen(lost)
        const id = idOf(message)
        const given = answer.headers[SESSION]
        if (session === undefined && isSession(given)) session = given
        if (id === undefined) return yield* answer.close
        let why: NetworkError | undefined
        if (isStream(answer)) {
          const told = (data: string) => heard(data, id)
          const isWaitedFor = () => ears.waitsFor(id)
          const read = yield* readEvents(answer, told, isWaitedFor)
          why = read.why
          if (canListen) yield* resumed(place, read, isWaitedFor, told)
        } else heard(yield* answer.text, id)
        // What has not been answered by now will not be.
        ears.failed(id, unsent(name, why?.message ?? "it closed the connection without an answer"))
      })
    let sent = 0
    yield* Effect.addFinalizer(() =>
      session === undefined
        ? Effect.void
        : service.open("DELETE", remote.url, { headers: headers() }).pipe(
            Effect.flatMap(({ close }) => close),
            Effect.provideService(Network, service),
            Effect.timeout("2 seconds"),
            Effect.ignore
          )
    )
    const keyOf = (id: RequestId) => `${typeof id}:${id}`
    return {
      send: (message) => {
        const id = idOf(message)
        const whole = Effect.catchAll(posted(message), (error) =>
          Effect.sync(() => {
            if (id !== undefined)
              ears.failed(id, error._tag === "GatewayError" ? error : unsent(name, error.message))
          })
        )
        run(id === undefined ? `${++sent}` : keyOf(id), Effect.provideService(whole, Network, service))
      },
      agreed: (given) => {
        revision = given
        if (canListen) listen({})
      },
      forget: (id) => {
        run(keyOf(id), Effect.void)
      },
      end: ears.ended
    }
  })

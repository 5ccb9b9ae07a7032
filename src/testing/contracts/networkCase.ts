/** One case of the contract of the network, and what it is written with. */
import { Chunk, Effect, Either, Encoding, ParseResult, Schema, Stream } from "effect"
import type { Network } from "../../capabilities/network/Network.js"
import { NetworkBackend } from "../../capabilities/network/NetworkBackend.js"
import { NetworkError } from "../../capabilities/network/NetworkOperations.js"
import type { Encoded } from "../../policy/lattice/Authority.js"
import * as Request from "../../policy/lattice/Request.js"
import { ContractBroken, type Case as Shared, text, unique } from "./contract.js"
import { type Holding, permitsFor } from "./permits.js"

/**
 * The server that the cases talk to, and what else they may use.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rig {
  /** The origin of the server, such as `http://127.0.0.1:8080`. */
  readonly origin: string
  /** Another origin of the same server: another port of the same host. Without it there are no cases about redirects. */
  readonly other?: string
  /** An origin of the same host at which nobody listens. Without it there is no case about it. */
  readonly nobody?: string
  /**
   * What the backend was made with: the most bytes of the body of an answer, and of a body that is sent, 2 MiB or more.
   * Without them there are no cases about limits. Those about connections are worth something only where the first is
   * more than 64 MiB: so run the two apart.
   */
  readonly limits?: { readonly bodyBytes: number; readonly requestBytes: number }
}

/**
 * `about` says what a backend must have for the case to apply. `answers`: every one. `connections`, `redirects` and
 * `headers`: one that talks to servers. `addresses`: one that connects to addresses, where that of the origin is not
 * public. `cookies`: one that hands them on as they came. `limits`: one that has them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Case extends Shared<NetworkBackend, NetworkError> {
  readonly about: "answers" | "connections" | "redirects" | "addresses" | "headers" | "cookies" | "limits"
}

/** What the server has got. */
interface Echo {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface Bench {
  readonly backend: NetworkBackend.Service
  readonly rig: Rig
  /** The other origin; without one no case asks. */
  readonly other: string
  readonly limits: NonNullable<Rig["limits"]>
  /** Marks requests of this case, so that the server can tell them from others. */
  readonly id: string
  /** Holds every method for the host of the rig, and may connect to both origins. */
  readonly own: Holding
  /** As `own`, and holds GET for every other host too. */
  readonly everywhere: Holding
  /** Who holds methods for the host of the rig, and may connect to these origins. */
  readonly holding: (
    methods: ReadonlyArray<"get" | "post" | "put" | "delete">,
    origins: ReadonlyArray<string>
  ) => Holding
  /** Requests at the origin, unless a whole URL is given; by who holds all, unless told. */
  readonly request: (
    method: string,
    path: string,
    content?: Partial<NetworkBackend.Content>,
    by?: Holding
  ) => Effect.Effect<Network.Response, NetworkError>
  readonly stream: (
    path: string,
    content?: Partial<NetworkBackend.Content>,
    by?: Holding
  ) => Stream.Stream<Uint8Array, NetworkError>
  /** The parts of an answer, as they come. */
  readonly open: (
    path: string,
    content?: Partial<NetworkBackend.Content>,
    by?: Holding
  ) => Stream.Stream<Network.Part, NetworkError>
  readonly echo: (
    method: string,
    path: string,
    content?: Partial<NetworkBackend.Content>
  ) => Effect.Effect<Echo, NetworkError | ContractBroken>
  /** How many requests with the mark have come. */
  readonly seen: (id: string) => Effect.Effect<number, NetworkError>
  /** When one has come, and when none is open any more. */
  readonly arrived: (id: string) => Effect.Effect<void, NetworkError>
  readonly gone: (id: string) => Effect.Effect<void, NetworkError>
}

const Echoed = Schema.parseJson(
  Schema.Struct({
    method: Schema.String,
    url: Schema.String,
    headers: Schema.Record({ key: Schema.String, value: Schema.String }),
    body: Schema.String
  })
)

const echoOf = ({ body }: Network.Response): Effect.Effect<Echo, ContractBroken> =>
  Effect.mapError(
    Effect.flatMap(Schema.decodeUnknown(Echoed)(text(body)), (echo) =>
      Effect.map(Encoding.decodeBase64(echo.body), (bytes) => ({ ...echo, body: bytes }))
    ),
    (error) =>
      new ContractBroken({
        expected: "the answer of /echo",
        actual: ParseResult.isParseError(error) ? "something else" : "a body that is not base64",
        wanted: "method, url, headers and body"
      })
  )

/** All bytes of a stream. */
export const collected = <E>(stream: Stream.Stream<Uint8Array, E>): Effect.Effect<Uint8Array, E> =>
  Effect.map(Stream.runCollect(stream), (chunks) => {
    const parts = Chunk.toReadonlyArray(chunks)
    const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const part of parts) {
      whole.set(part, at)
      at += part.length
    }
    return whole
  })

const NOT_OK = new NetworkError({ code: "STATUS_NOT_OK", detail: "the status is not in the two hundreds" })

/** The body of a good answer. */
export const bodyOf = (
  parts: Stream.Stream<Network.Part, NetworkError>
): Stream.Stream<Uint8Array, NetworkError> =>
  Stream.flatMap(parts, (part) => {
    if (part instanceof Uint8Array) return Stream.succeed(part)
    return part.status < 200 || part.status > 299 ? Stream.fail(NOT_OK) : Stream.empty
  })

const endpointOf = (origin: string): { readonly host: string; readonly endpoint: string } => {
  const { host, port } = Either.getOrThrow(Request.http("GET", origin))
  return { host, endpoint: `${host}:${port}` }
}

const benchOf = (backend: NetworkBackend.Service, rig: Rig): Bench => {
  const permits = permitsFor(backend)
  const { host } = endpointOf(rig.origin)
  const holding: Bench["holding"] = (methods, origins) => {
    const network: Encoded["network"] = Object.fromEntries(methods.map((method) => [method, [host]]))
    return permits.holding(
      { network, private: { connect: origins.map((origin) => endpointOf(origin).endpoint) } },
      { session: "session", tool: "contract" }
    )
  }
  const { nobody = rig.origin, other = rig.origin } = rig
  const own = holding(["get", "post", "put", "delete"], [rig.origin, other, nobody])
  const urlOf = (path: string) => (path.startsWith("/") ? rig.origin + path : path)
  const request: Bench["request"] = (method, path, content, by = own) =>
    Effect.flatMap(by.ask(Request.http(method, urlOf(path))), (proof) =>
      backend.request(proof, { headers: {}, ...content })
    )
  const open: Bench["open"] = (path, content, by = own) =>
    Stream.unwrap(
      Effect.map(by.ask(Request.http("GET", urlOf(path))), (proof) =>
        backend.open(proof, { headers: {}, ...content })
      )
    )
  return {
    backend,
    rig,
    other,
    limits: rig.limits ?? { bodyBytes: 0, requestBytes: 0 },
    id: unique(),
    own,
    everywhere: permits.holding(
      {
        network: { get: ["*"] },
        private: { connect: [`[::1]:${new URL(rig.origin).port}`, endpointOf(rig.origin).endpoint] }
      },
      { session: "session", tool: "contract" }
    ),
    holding,
    request,
    open,
    stream: (path, content, by) => bodyOf(open(path, content, by)),
    echo: (method, path, content) => Effect.flatMap(request(method, path, content), echoOf),
    seen: (id) => Effect.map(request("GET", `/seen/${id}`), ({ body }) => Number(text(body))),
    arrived: (id) => Effect.asVoid(request("GET", `/arrived/${id}`)),
    gone: (id) => Effect.asVoid(request("GET", `/gone/${id}`))
  }
}

export type Definition = (rig: Rig) => Case

export const define =
  (
    about: Case["about"],
    name: string,
    body: (bench: Bench) => Effect.Effect<void, ContractBroken | NetworkError>
  ): Definition =>
  (rig) => ({
    name,
    about,
    run: Effect.flatMap(NetworkBackend, (backend) => Effect.suspend(() => body(benchOf(backend, rig))))
  })

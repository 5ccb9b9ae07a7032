/**
 * HTTP requests to the hosts a tool declares.
 *
 * @since 0.1.0
 */
import { Chunk, Context, Effect, type Layer, Option, ParseResult, Schema, Stream } from "effect"
import * as Host from "../../policy/lattice/Host.js"
import { joined, textOf } from "../bytes.js"
import { declared, oneOf } from "../declared.js"
import { type Answer, answer, complete } from "../doubles.js"
import type { Dynamic, HostOf, IfLiteral, IsLiteral, OddAuthority } from "../Literals.js"
import { access, accessStream, layerOf } from "../phantom.js"
import { made } from "../Remote.js"
import type { MissingKey, UnknownKey } from "../spelling.js"
import {
  type HttpAnswer,
  type HttpOptions,
  hasHeader,
  mockAnswer,
  payloadOf,
  placeOf,
  unredacted
} from "./Http.js"
import {
  NetworkError,
  NetworkHead,
  type NetworkOperations,
  NetworkPart,
  NetworkRequest,
  NetworkResponse
} from "./NetworkOperations.js"
import { type OpenedAnswer, opened } from "./opened.js"
import { eventsOf, notEvents, type ServerSentEvent } from "./ServerSentEvents.js"

/**
 * A host a tool declares: a name, `*.name` for the names below it, or `*` for all that the policy allows.
 *
 * @since 0.1.0
 * @category schemas
 */
const HostPattern = declared("HostPattern", Host.parsePattern)

/**
 * The `network` of a declaration. What is for `children` alone is what the commands of the tool may reach; the tool itself
 * is given no `Network`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const NetworkDeclaration = Schema.Struct({
  allowedHosts: Schema.Array(HostPattern),
  for: Schema.optionalWith(oneOf("children"), { exact: true })
}).annotations({ parseOptions: { onExcessProperty: "error" } })

/**
 * @since 0.1.0
 * @category symbols
 */
const NetworkHostTypeId: unique symbol = Symbol.for("bailiwick/NetworkHost")

/**
 * @since 0.1.0
 * @category symbols
 */
const NetworkRefusedTypeId: unique symbol = Symbol.for("bailiwick/NetworkRefused")

/**
 * @since 0.1.0
 */
export declare namespace Network {
  /**
   * The requirement "may reach the host H". Covariant: a declared `*.x.com` supplies the pattern that covers it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export interface Host<out H extends string> {
    readonly [NetworkHostTypeId]: H
  }

  /**
   * The requirement of a URL that no policy allows. Nothing supplies it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export interface Refused<out U extends string> {
    readonly [NetworkRefusedTypeId]: U
  }

  /**
   * The requirement of a request: the host of the URL when that is literal, the category otherwise.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type RequiredBy<U extends string> = string extends U ? Network : RequiredByLiteral<U>

  // The plain shape is told apart first: it is what tools write, and it saves the parsing of the rest.
  type RequiredByLiteral<U extends string> = U extends `https://${infer H}/${string}`
    ? H extends OddAuthority
      ? RequiredByParsed<U>
      : IsLiteral<H> extends true
        ? Host<Lowercase<H>>
        : Network
    : RequiredByParsed<U>

  type RequiredByParsed<U extends string> = [HostOf<U>] extends [never]
    ? Refused<U>
    : string extends HostOf<U>
      ? Network
      : Host<HostOf<U>>

  /**
   * The requirement that a declared host supplies, or the sentence that says why it can never match.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Declared<D extends string> = D extends
    | OddAuthority
    | `${string}${"/" | " " | "*"}${string}`
    | Dynamic
    ? DeclaredOdd<D>
    : IfLiteral<D, Host<Lowercase<D>>, Host<string>>

  type DeclaredOdd<D extends string> = D extends "*" | Dynamic
    ? Host<string>
    : D extends `*.${infer Suffix}`
      ? Suffix extends OddAuthority | `${string}${"/" | " " | "*"}${string}`
        ? Malformed<D>
        : Suffix extends `${string}.${string}`
          ? Host<`${string}.${Lowercase<Suffix>}`>
          : `network.allowedHosts: '${D}' covers a whole public suffix`
      : D extends `${infer Name}.`
        ? Name extends OddAuthority | `${string}${"/" | " " | "*"}${string}`
          ? Malformed<D>
          : Host<Lowercase<Name>>
        : D extends `[${string}]`
          ? Host<Lowercase<D>>
          : Malformed<D>

  type Malformed<D extends string> = `network.allowedHosts: '${D}' is not a bare host name`

  /**
   * The requirements that a declaration supplies, or the sentences that say what is wrong with it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Supplied<D> = keyof D extends "allowedHosts"
    ? D extends { readonly allowedHosts: ReadonlyArray<infer H extends string> }
      ? Network | Declared<H>
      : MissingKey<"network", D, "allowedHosts">
    : UnknownKey<"network", D, "allowedHosts" | "for", "allowedHosts, for"> | Known<D>

  type Known<D> = D extends { readonly allowedHosts: unknown }
    ? D extends ForChildren
      ? Extract<Supplied<Pick<D, "allowedHosts">>, string>
      : Supplied<Pick<D, "allowedHosts">>
    : keyof D extends "for"
      ? MissingKey<"network", D, "allowedHosts">
      : never

  /**
   * A declaration of what the children of a tool may reach, and not the tool itself. It supplies nothing.
   *
   * @since 0.1.0
   * @category requirements
   */
  export interface ForChildren {
    readonly for: "children"
  }

  /**
   * Everything that the category can be asked for. A mock supplies it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Everything = Network | Host<string>

  /**
   * `json` becomes the body, with its content type, and takes precedence over `body`.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Options extends HttpOptions {}

  /**
   * @since 0.1.0
   * @category models
   */
  export interface OptionsWithMethod extends Options {
    readonly method?: string
  }

  /**
   * @since 0.1.0
   * @category models
   */
  export type Request = typeof NetworkRequest.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export type Response = typeof NetworkResponse.Type

  /**
   * What comes before a body: status, headers, cookies, and the URL that answered.
   *
   * @since 0.1.0
   * @category models
   */
  export type Head = typeof NetworkHead.Type

  /**
   * The head of an answer, or some bytes of its body.
   *
   * @since 0.1.0
   * @category models
   */
  export type Part = typeof NetworkPart.Type

  /**
   * A head, and a body that is still to be read. It is read once, as `body`, `bytes` or `text`; a second read fails. An
   * answer that nobody reads is let go of when its call ends.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Opened extends OpenedAnswer {}

  /**
   * One event of a server that sends them.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Event extends ServerSentEvent {}

  /**
   * The operations over plain data, as a backend implements them.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Operations extends NetworkOperations {}

  /**
   * Every method but `request` and `open` fails with `STATUS_NOT_OK` when the status is not in the two hundreds.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly request: <const U extends string>(
      method: string,
      url: U,
      options?: Options
    ) => Effect.Effect<Response, NetworkError, RequiredBy<U>>
    readonly open: <const U extends string>(
      method: string,
      url: U,
      options?: Options
    ) => Effect.Effect<Opened, NetworkError, RequiredBy<U>>
    readonly get: <const U extends string>(
      url: U,
      options?: Options
    ) => Effect.Effect<string, NetworkError, RequiredBy<U>>
    readonly post: <const U extends string>(
      url: U,
      body?: string | Uint8Array,
      options?: Options
    ) => Effect.Effect<string, NetworkError, RequiredBy<U>>
    readonly put: <const U extends string>(
      url: U,
      body?: string | Uint8Array,
      options?: Options
    ) => Effect.Effect<string, NetworkError, RequiredBy<U>>
    readonly delete: <const U extends string>(
      url: U,
      options?: Options
    ) => Effect.Effect<string, NetworkError, RequiredBy<U>>
    readonly json: <const U extends string, A, I>(
      url: U,
      schema: Schema.Schema<A, I>,
      options?: OptionsWithMethod
    ) => Effect.Effect<A, NetworkError, RequiredBy<U>>
    readonly bytes: <const U extends string>(
      url: U,
      options?: OptionsWithMethod
    ) => Effect.Effect<Uint8Array, NetworkError, RequiredBy<U>>
    readonly stream: <const U extends string>(
      url: U,
      options?: OptionsWithMethod
    ) => Stream.Stream<Uint8Array, NetworkError, RequiredBy<U>>
    readonly events: <const U extends string>(
      url: U,
      options?: OptionsWithMethod
    ) => Stream.Stream<Event, NetworkError, RequiredBy<U>>
  }

  /**
   * The answers that a mock may give. Text and bytes are a body with status 200.
   *
   * @since 0.1.0
   * @category testing
   */
  export type MockResponse = HttpAnswer

  /**
   * A request as a server sees it: no header is redacted.
   *
   * @since 0.1.0
   * @category testing
   */
  export interface MockRequest extends Request {
    readonly headers: Readonly<Record<string, string>>
  }

  /**
   * @since 0.1.0
   * @category testing
   */
  export type MockHandler = (url: string, request: MockRequest) => Answer<MockResponse, NetworkError>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Network extends Context.Tag("bailiwick/Network")<Network, Network.Service>() {
  /** Schemas of the declaration, and of what goes in and out of the operations. */
  static readonly schemas = {
    Declaration: NetworkDeclaration,
    HostPattern,
    Request: NetworkRequest,
    Response: NetworkResponse,
    Head: NetworkHead
  } as const

  /**
   * The operations as data, for a service on the far side of a process boundary. Each answer of `open` is one part.
   */
  static readonly operations = {
    request: { payload: NetworkRequest, success: NetworkResponse, failure: NetworkError },
    open: { payload: NetworkRequest, success: NetworkPart, failure: NetworkError, stream: true }
  } as const

  /** Makes the service from its operations. */
  static make(operations: Network.Operations): Network.Service {
    const request: Network.Operations["request"] = operations.request
    const send = (method: string, url: string, options?: Network.Options) =>
      Effect.flatMap(toRequest(method, url, options), request)
    const open = (method: string, url: string, options?: Network.Options) =>
      Effect.flatMap(toRequest(method, url, options), (payload) => opened(operations.open(payload)))
    const ok = <A extends Network.Head, R>(
      method: string,
      url: string,
      answer: Effect.Effect<A, NetworkError, R>
    ) =>
      Effect.filterOrFail(
        answer,
        ({ status }) => status >= 200 && status < 300,
        ({ status }) =>
          new NetworkError({
            code: "STATUS_NOT_OK",
            detail: `${method} ${placeOf(url)} answered with status ${status}`
          })
      )
    const sendOk = (method: string, url: string, options?: Network.Options) =>
      ok(method, url, send(method, url, options))
    /** Closed when it is left, and also when its head is not as it should be. */
    const flowing = <A>(
      url: string,
      options: Network.OptionsWithMethod | undefined,
      read: (answer: Network.Opened) => Stream.Stream<A, NetworkError>
    ) => {
      const { method = "GET", ...rest } = options ?? {}
      const answer = Effect.tap(open(method, url, rest), ({ close }) => Effect.addFinalizer(() => close))
      return Stream.unwrapScoped(Effect.map(ok(method, url, answer), read))
    }
    const text = (method: string, url: string, options?: Network.Options) =>
      Effect.map(sendOk(method, url, options), (response) => textOf(response.body))
    const withBody = (body: string | Uint8Array | undefined, options: Network.Options | undefined) =>
      body === undefined ? options : { ...options, body }
    const service: Network.Service = {
      request: send,
      open,
      get: (url, options) => text("GET", url, options),
      post: (url, body, options) => text("POST", url, withBody(body, options)),
      put: (url, body, options) => text("PUT", url, withBody(body, options)),
      delete: (url, options) => text("DELETE", url, options),
      json: (url, schema, options) =>
        Effect.flatMap(text(options?.method ?? "GET", url, options), (body) =>
          Effect.mapError(
            Effect.flatMap(parseJson(body), Schema.decodeUnknown(schema)),
            (why) => new NetworkError({ code: "DECODE_FAILED", detail: mismatch(url, why) })
          )
        ),
      bytes: (url, options) => Effect.map(sendOk(options?.method ?? "GET", url, options), ({ body }) => body),
      stream: (url, options) => flowing(url, options, ({ body }) => body),
      events: (url, options) =>
        flowing(url, withAccept(options, "text/event-stream"), ({ body, headers }) =>
          Option.match(notEvents(placeOf(url), headers), {
            onSome: (error) => Stream.fail(error),
            onNone: () => eventsOf(body)
          })
        )
    }
    return made(service, operations)
  }

  /**
   * Sends a request with any method, and answers with status, headers, final URL and bytes, whatever the status. The
   * host must be in `network.allowedHosts`. Fails with `HOST_NOT_ALLOWED`, `METHOD_NOT_ALLOWED` or `URL_INVALID` when
   * it is not permitted, and with `REQUEST_FAILED` when no answer comes.
   *
   * @example
   * ```ts
   * import { Network } from "bailiwick"
   *
   * export const head = Network.request("HEAD", "https://api.github.com/meta")
   * ```
   */
  static readonly request: Network.Service["request"] = (method, url, options) =>
    access(Network, (network) => network.request(method, url, options))

  /**
   * Sends a request with any method, and answers as soon as the head of the answer is there: status, headers, cookies and
   * final URL, whatever the status, and a body that is still to be read. It needs the host and fails as `request` does.
   *
   * Read the body once, as `body`, `bytes` or `text`, or `close` the answer. What is left open is closed when the call of
   * the tool ends, when the fiber that opened it is interrupted, and when the limits of the backend say so.
   *
   * @example
   * ```ts
   * import { Network } from "bailiwick"
   * import { Effect, Redacted, Stream } from "effect"
   *
   * export const export_ = Effect.gen(function* () {
   *   const { body, headers, status } = yield* Network.open("GET", "https://api.example.com/export", {
   *     headers: { authorization: Redacted.make("Bearer token") }
   *   })
   *   const lines = yield* body.pipe(Stream.decodeText(), Stream.splitLines, Stream.runCount)
   *   return { status, type: headers["content-type"], lines }
   * })
   * ```
   */
  static readonly open: Network.Service["open"] = (method, url, options) =>
    access(Network, (network) => network.open(method, url, options))

  /**
   * Fetches the text at a URL. The host must be in `network.allowedHosts`. Fails with `HOST_NOT_ALLOWED` when the
   * host is not permitted, and with `STATUS_NOT_OK` when the status is not in the two hundreds.
   *
   * @example
   * ```ts
   * import { Network } from "bailiwick"
   *
   * export const meta = Network.get("https://api.github.com/meta")
   * ```
   */
  static readonly get: Network.Service["get"] = (url, options) =>
    access(Network, (network) => network.get(url, options))

  /**
   * Sends a POST request, and answers with the text that comes back. It needs the host and fails as `get` does. When
   * the policy permits the host but not the method, it fails with `METHOD_NOT_ALLOWED`.
   *
   * @example
   * ```ts
   * import { Network } from "bailiwick"
   *
   * export const note = Network.post("https://api.example.com/notes", undefined, { json: { title: "Buy milk" } })
   * ```
   */
  static readonly post: Network.Service["post"] = (url, body, options) =>
    access(Network, (network) => network.post(url, body, options))

  /**
   * Sends a PUT request, and answers with the text that comes back. It needs the host and fails as `post` does.
   *
   * @example
   * ```ts
   * import { Network } from "bailiwick"
   *
   * export const saved = Network.put("https://api.example.com/notes/1", "Buy milk", {
   *   headers: { "content-type": "text/plain" }
   * })
   * ```
   */
  static readonly put: Network.Service["put"] = (url, body, options) =>
    access(Network, (network) => network.put(url, body, options))

  /**
   * Sends a DELETE request, and answers with the text that comes back. It needs the host and fails as `post` does.
   *
   * @example
   * ```ts
   * import { Network } from "bailiwick"
   *
   * export const gone = Network.delete("https://api.example.com/notes/1")
   * ```
   */
  static readonly delete: Network.Service["delete"] = (url, options) =>
    access(Network, (network) => network.delete(url, options))

  /**
   * Fetches JSON and decodes it with a schema. It needs the host and fails as `get` does. An answer that is not JSON,
   * or not as the schema says, fails with `DECODE_FAILED`. The method is GET unless the options name another.
   *
   * @example
   * ```ts
   * import { Network } from "bailiwick"
   * import { Schema } from "effect"
   *
   * const Release = Schema.Struct({ tag_name: Schema.String })
   * export const latest = (repository: string) =>
   *   Network.json(`https://api.github.com/repos/${repository}/releases/latest`, Release)
   * ```
   */
  static readonly json: Network.Service["json"] = (url, schema, options) =>
    access(Network, (network) => network.json(url, schema, options))

  /**
   * Fetches the bytes at a URL. It needs the host and fails as `get` does; `LIMIT_EXCEEDED` says that the answer is
   * too long.
   *
   * @example
   * ```ts
   * import { Network } from "bailiwick"
   *
   * export const logo = Network.bytes("https://www.example.com/logo.png")
   * ```
   */
  static readonly bytes: Network.Service["bytes"] = (url, options) =>
    access(Network, (network) => network.bytes(url, options))

  /**
   * Streams the bytes at a URL as they come. It needs the host and fails as `get` does. Leaving the stream closes the
   * connection.
   *
   * @example
   * ```ts
   * import { Network } from "bailiwick"
   * import { Stream } from "effect"
   *
   * export const lines = Network.stream("https://status.example.com/events").pipe(Stream.decodeText(), Stream.splitLines)
   * ```
   */
  static readonly stream: Network.Service["stream"] = (url, options) =>
    accessStream(Network, (network) => network.stream(url, options))

  /**
   * Reads the events that a server sends (`text/event-stream`), each as it comes. It needs the host and fails as `stream`
   * does, and with `DECODE_FAILED` when the answer is something else. It does not connect again when the server ends.
   *
   * @example
   * ```ts
   * import { Network } from "bailiwick"
   * import { Stream } from "effect"
   *
   * export const deploys = Network.events("https://status.example.com/events").pipe(
   *   Stream.filter(({ event }) => event === "deploy"),
   *   Stream.map(({ data }) => data)
   * )
   * ```
   */
  static readonly events: Network.Service["events"] = (url, options) =>
    accessStream(Network, (network) => network.events(url, options))

  /** A layer of the service over these operations. It supplies everything that the category can be asked for. */
  static layer(operations: () => Network.Operations): Layer.Layer<Network.Everything> {
    return layerOf<Network.Everything>()(Network, () => Network.make(operations()))
  }

  /**
   * A test double: the handler answers every request, with a value or with an `Effect` of one. Nothing is checked;
   * use `TestNetwork.layerMemory` to test refusals.
   *
   * @example
   * ```ts
   * import { Network } from "bailiwick"
   * import { Effect } from "effect"
   *
   * const down = Network.mock((url) => (url.endsWith("/health") ? { status: 503 } : "hello"))
   * const check = Network.get("https://api.example.com/health").pipe(Effect.flip, Effect.provide(down))
   * console.log((await Effect.runPromise(check)).message)
   * ```
   *
   * ```text output
   * STATUS_NOT_OK: GET https://api.example.com/health answered with status 503
   * ```
   */
  static mock(handler: Network.MockHandler): Layer.Layer<Network.Everything> {
    return Network.layer(() => Network.memory(handler))
  }

  /** The operations of the mock. */
  static memory(handler: Network.MockHandler): Network.Operations {
    const answered = (payload: Network.Request) =>
      Effect.map(
        answer(() => handler(payload.url, { ...payload, headers: unredacted(payload.headers) })),
        (given) => mockAnswer(payload.url, given)
      )
    return {
      request: (payload) =>
        Effect.flatMap(answered(payload), ({ body, head }) =>
          body instanceof Uint8Array
            ? Effect.succeed({ ...head, body })
            : Effect.map(Stream.runCollect(body), (chunks) => ({
                ...head,
                body: joined(Chunk.toReadonlyArray(chunks))
              }))
        ),
      open: (payload) =>
        Stream.unwrap(
          Effect.map(answered(payload), ({ body, head }) =>
            Stream.concat(
              Stream.succeed<Network.Part>(head),
              body instanceof Uint8Array ? Stream.succeed(body) : body
            )
          )
        )
    }
  }

  /**
   * A test double made of a part of the service. A method that is missing dies when it is called, and names itself.
   *
   * @example
   * ```ts
   * import { Network } from "bailiwick"
   * import { Effect } from "effect"
   *
   * export const network = Network.layerTest({ get: (url) => Effect.succeed(`the page at ${url}`) })
   * ```
   */
  static layerTest(service: Partial<Network.Service>): Layer.Layer<Network.Everything> {
    return layerOf<Network.Everything>()(Network, () =>
      complete(
        "Network",
        {
          request: "effect",
          open: "effect",
          get: "effect",
          post: "effect",
          put: "effect",
          delete: "effect",
          json: "effect",
          bytes: "effect",
          stream: "stream",
          events: "stream"
        },
        service
      )
    )
  }
}

const toRequest = (
  method: string,
  url: string,
  options: Network.Options | undefined
): Effect.Effect<Network.Request, NetworkError> =>
  Effect.try({
    try: () => payloadOf(method, url, options),
    catch: () =>
      new NetworkError({ code: "REQUEST_FAILED", detail: "the json option cannot be written as JSON" })
  })

const withAccept = (
  options: Network.OptionsWithMethod | undefined,
  type: string
): Network.OptionsWithMethod => {
  const { headers = {} } = options ?? {}
  return { ...options, headers: hasHeader(headers, "accept") ? headers : { ...headers, accept: type } }
}

const parseJson = (body: string): Effect.Effect<unknown, "not JSON"> =>
  Effect.try({ try: () => JSON.parse(body) as unknown, catch: () => "not JSON" as const })

/** Says where an answer is not as expected, and what was expected. It does not repeat the answer. */
const mismatch = (url: string, why: ParseResult.ParseError | "not JSON"): string => {
  if (why === "not JSON") return `the answer of ${placeOf(url)} is not JSON`
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(why)
  const place = (issue?.path ?? []).map(String).join(".")
  const [expected = ""] = (issue?.message ?? "").split(", actual ")
  return `the answer of ${placeOf(url)} is not as expected${place === "" ? "" : ` at ${place}`}: ${expected.slice(0, 200)}`
}

/**
 * The `HttpClient` of a tool, made from its `Network`: whatever a library asks of the client is asked of the tool's
 * declaration and of the policy.
 *
 * @since 0.1.0
 */
import * as Headers from "@effect/platform/Headers"
import * as HttpClient from "@effect/platform/HttpClient"
import { RequestError } from "@effect/platform/HttpClientError"
import type { HttpClientRequest } from "@effect/platform/HttpClientRequest"
import * as UrlParams from "@effect/platform/UrlParams"
import { Effect, Either, Layer, Option } from "effect"
import { Network } from "../capabilities/network/Network.js"
import { NetworkError } from "../capabilities/network/NetworkOperations.js"
import * as Host from "../policy/lattice/Host.js"
import { HttpAnswer } from "./httpAnswer.js"
import { type SentBody, sentBody } from "./httpBody.js"

const hostOf = (url: string): string | undefined =>
  Either.getOrUndefined(Either.map(Host.fromUrl(url), ({ host }) => host))

const failedWith =
  (request: HttpClientRequest) =>
  (cause: unknown): RequestError => {
    if (!(cause instanceof NetworkError)) return new RequestError({ request, reason: "Encode", cause })
    const reason = cause.code === "URL_INVALID" ? "InvalidUrl" : "Transport"
    return new RequestError({ request, reason, cause, description: cause.message })
  }

/** Values that the platform would not show are not shown by us. The length is the backend's to say. */
const headersOf = (
  { headers }: HttpClientRequest,
  hidden: ReadonlyArray<string | RegExp>,
  body: SentBody | undefined
): NonNullable<Network.Options["headers"]> => {
  const { "content-length": _, ...sent } = Headers.redact(headers, hidden)
  if (body?.contentType === undefined) return sent
  const given = sent["content-type"]
  // Only the form itself knows its boundary.
  return given === undefined || given === "multipart/form-data"
    ? { ...sent, "content-type": body.contentType }
    : sent
}

interface Bounds {
  /** The one host that the client goes to. */
  readonly only?: string | undefined
}

const outOfBounds = (only: string): NetworkError =>
  new NetworkError({
    code: "HOST_NOT_ALLOWED",
    detail: `this client is for ${only} alone; make one for the other host, or use layerHttpClient`
  })

/** The URLs of libraries are computed: what they need is the category, and the layer has it. */
type Open = (
  method: string,
  url: string,
  options: Network.Options
) => Effect.Effect<Network.Opened, NetworkError>

type Send = (request: HttpClientRequest, url: string) => Effect.Effect<HttpAnswer, RequestError>

const sending = (network: Network.Service, { only }: Bounds): Send => {
  const open: Open = network.open as Open
  const bounds = only === undefined ? {} : ({ redirects: "same-host" } as const)
  return (request, url) => {
    const failed = failedWith(request)
    if (only !== undefined && hostOf(url) !== only) return Effect.fail(failed(outOfBounds(only)))
    const ask = (body: SentBody | undefined) =>
      Effect.withFiberRuntime<Network.Opened, NetworkError>((fiber) =>
        open(request.method, url, {
          ...bounds,
          headers: headersOf(request, fiber.getFiberRef(Headers.currentRedactedNames), body),
          ...(body === undefined ? {} : { body: body.bytes })
        })
      )
    const opened =
      request.body._tag === "Empty" ? ask(undefined) : Effect.flatMap(sentBody(request.body), ask)
    return Effect.mapBoth(opened, {
      onFailure: failed,
      onSuccess: (answer) => new HttpAnswer(request, answer)
    })
  }
}

/** The text of a URL is the network's to read, unless there is more to it than the text. */
const urlOf = (request: HttpClientRequest): Either.Either<string, RequestError> =>
  request.urlParams.length === 0 && Option.isNone(request.hash)
    ? Either.right(request.url)
    : Either.mapBoth(UrlParams.makeUrl(request.url, request.urlParams, request.hash), {
        onLeft: (cause) => new RequestError({ request, reason: "InvalidUrl", cause }),
        onRight: ({ href }) => href
      })

/**
 * Not made with `HttpClient.make`, whose spans would be told to the server in headers, and whose way to let go of what
 * nobody reads costs more than the rest: the call does that.
 */
const clientOf = (send: Send): HttpClient.HttpClient =>
  HttpClient.makeWith(
    (asked: Effect.Effect<HttpClientRequest>) =>
      Effect.flatMap(asked, (request) =>
        Either.match(urlOf(request), {
          onLeft: (error) => Effect.fail(error),
          onRight: (url) => send(request, url)
        })
      ),
    (request) => Effect.succeed(request)
  )

/**
 * The client of a tool that declares `network`. It makes no spans and sends no trace headers.
 *
 * @example
 * ```ts
 * import { HttpClient } from "@effect/platform"
 * import { Tool } from "bailiwick"
 * import { absorbed, layerHttpClient } from "bailiwick/platform"
 * import { Effect, Schema } from "effect"
 *
 * export const page = Tool.make({
 *   name: "page",
 *   description: "The text of a page",
 *   parameters: Schema.Struct({ url: Schema.String }),
 *   capabilities: { network: { allowedHosts: ["*"] } },
 *   execute: ({ url }) =>
 *     HttpClient.get(url).pipe(
 *       Effect.flatMap(({ text }) => text),
 *       absorbed,
 *       Effect.provide(layerHttpClient)
 *     )
 * })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerHttpClient: Layer.Layer<HttpClient.HttpClient, never, Network> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(Network, (network) => clientOf(sending(network, {})))
)

/**
 * The same client with the platform's spans, which goes on to send `traceparent` and `b3` to every server that it talks
 * to. Use it where these servers are your own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerHttpClientTraced: Layer.Layer<HttpClient.HttpClient, never, Network> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(Network, (network) => {
    const send = sending(network, {})
    return HttpClient.make((request, { href }) => send(request, href))
  })
)

/**
 * The client of a tool that declares one host. It goes nowhere else, also not where a redirect leads.
 *
 * @example
 * ```ts
 * import { HttpClient } from "@effect/platform"
 * import { Tool } from "bailiwick"
 * import { absorbed, layerHttpClientFor } from "bailiwick/platform"
 * import { Effect, Schema } from "effect"
 *
 * export const meta = Tool.make({
 *   name: "meta",
 *   description: "What the forge says of itself",
 *   parameters: Schema.Struct({}),
 *   capabilities: { network: { allowedHosts: ["api.github.com"] } },
 *   execute: () =>
 *     HttpClient.get("https://api.github.com/meta").pipe(
 *       Effect.flatMap(({ text }) => text),
 *       absorbed,
 *       Effect.provide(layerHttpClientFor("api.github.com"))
 *     )
 * })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerHttpClientFor = <const H extends string>(
  host: H
): Layer.Layer<HttpClient.HttpClient, never, Network.RequiredBy<`https://${H}/`>> => {
  // What cannot be read as a host is no host's: nothing is asked for.
  const only = hostOf(`https://${host}/`) ?? host
  const layer = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(Network, (network) => clientOf(sending(network, { only })))
  )
  // At run time the tag of the category stands for each of its hosts.
  return layer as Layer.Layer<HttpClient.HttpClient, never, unknown> as Layer.Layer<
    HttpClient.HttpClient,
    never,
    Network.RequiredBy<`https://${H}/`>
  >
}

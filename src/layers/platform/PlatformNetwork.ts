/**
 * Requests over the `HttpClient` of whatever platform a program runs on. It is weaker than the backend of Node: where a name
 * leads is the platform's to say, and nobody asks the policy about the address.
 *
 * @since 0.1.0
 */
import * as Cookies from "@effect/platform/Cookies"
import { RequestInit } from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type { HttpClientError } from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { HttpClientResponse } from "@effect/platform/HttpClientResponse"
import { Chunk, Clock, Duration, Effect, Either, Layer, Option, type Scope, Stream } from "effect"
import type { Network } from "../../capabilities/network/Network.js"
import { NetworkBackend } from "../../capabilities/network/NetworkBackend.js"
import type { NetworkError } from "../../capabilities/network/NetworkOperations.js"
import { begun } from "../http/FirstStep.js"
import { codeOf, exceeded, failed, peerOf } from "../http/HttpFailures.js"
import { decoded } from "../http/HttpHeaders.js"
import { isRedirect, next, ofRedirect, type Step } from "../http/Redirects.js"
import { vetted } from "./literalHosts.js"

/**
 * How much one request may take.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Bytes of the headers that a tool sends: 16 KiB unless given. */
  readonly headerBytes?: number | undefined
  /** Bytes of a body that is sent: 16 MiB unless given. */
  readonly requestBytes?: number | undefined
  /** Bytes of the body of an answer: 16 MiB unless given. */
  readonly bodyBytes?: number | undefined
  /** Requests in one chain of redirects, the first included: 5 unless given. */
  readonly requests?: number | undefined
  /** From sending a request to the head of its answer: 30 seconds unless given. */
  readonly headersTime?: Duration.DurationInput | undefined
  /** From the call to the last byte: 2 minutes unless given. */
  readonly totalTime?: Duration.DurationInput | undefined
}

const MEBIBYTE = 1024 * 1024

const settled = (given: Options) => ({
  headerBytes: given.headerBytes ?? 16 * 1024,
  requestBytes: given.requestBytes ?? 16 * MEBIBYTE,
  bodyBytes: given.bodyBytes ?? 16 * MEBIBYTE,
  requests: given.requests ?? 5,
  headersTime: Duration.decode(given.headersTime ?? "30 seconds"),
  totalTime: Duration.decode(given.totalTime ?? "2 minutes")
})

/** Nothing of the page or the program that it runs in goes with a request, and redirects come back here. */
const discreet = {
  redirect: "manual",
  credentials: "omit",
  referrerPolicy: "no-referrer",
  cache: "no-store"
} as const

const METHODS = {
  GET: HttpClientRequest.get,
  HEAD: HttpClientRequest.head,
  OPTIONS: HttpClientRequest.options,
  POST: HttpClientRequest.post,
  PUT: HttpClientRequest.put,
  PATCH: HttpClientRequest.patch,
  DELETE: HttpClientRequest.del
} as const

const isMethod = (method: string): method is keyof typeof METHODS => Object.hasOwn(METHODS, method)

const requestOf = ({
  proof: {
    request: { method, url }
  },
  sent: { body, headers }
}: Step): Either.Either<HttpClientRequest.HttpClientRequest, NetworkError> => {
  if (!isMethod(method)) return Either.left(failed(`this platform has no ${method} requests; use another`))
  const request = METHODS[method](url, { headers })
  return Either.right(
    body === undefined
      ? request
      : HttpClientRequest.bodyUint8Array(request, body, headers["content-type"] ?? "application/octet-stream")
  )
}

/** What is told apart by its code lies deeper than what fetch throws. */
const causeOf = ({ cause }: HttpClientError): unknown =>
  cause instanceof Error && cause.cause !== undefined ? cause.cause : cause

const broken = ({ proof }: Step, error: HttpClientError): NetworkError =>
  failed(
    `the request to ${peerOf(proof.request)} failed (${codeOf(causeOf(error))}); see that the server is there, then try again`
  )

/** Who decompresses a body does not say so in its headers. */
const headOf = ({ proof }: Step, { cookies, headers, status }: HttpClientResponse): Network.Head => ({
  status,
  headers: headers["content-encoding"] === undefined ? { ...headers } : decoded({ ...headers }),
  setCookies: Cookies.toSetCookieHeaders(cookies),
  url: proof.request.url
})

const late = () => exceeded("the request took too long; ask for less, or raise headersTime or totalTime")

type Settled = ReturnType<typeof settled>

/** The body, counted and timed; where there is none, the platform may call it a failure. */
const bodyOf = (
  step: Step,
  response: HttpClientResponse,
  { bodyBytes }: Settled,
  remaining: Effect.Effect<Duration.Duration>
): Effect.Effect<Stream.Stream<Uint8Array, NetworkError>, never, Scope.Scope> => {
  const { request } = step.proof
  const tooLong = () =>
    exceeded(
      `the body that ${peerOf(request)} answers with is longer than ${bodyBytes} bytes; ask for less, or raise the limit bodyBytes`
    )
  if (request.method === "HEAD") return Effect.succeed(Stream.empty)
  if (Number(response.headers["content-length"]) > bodyBytes) return Effect.succeed(Stream.fail(tooLong()))
  let size = 0
  return Effect.map(Stream.toPull(response.stream), (pull) => {
    const next = Effect.mapError(
      pull,
      Option.filterMap((error) =>
        error.reason === "EmptyBody" ? Option.none() : Option.some(broken(step, error))
      )
    )
    const counted = Effect.filterOrFail(
      next,
      (chunks) => {
        size += Chunk.reduce(chunks, 0, (sum, { length }) => sum + length)
        return size <= bodyBytes
      },
      () => Option.some(tooLong())
    )
    return Stream.repeatEffectChunkOption(
      Effect.flatMap(remaining, (duration) =>
        Effect.timeoutFail(counted, { duration, onTimeout: () => Option.some(late()) })
      )
    )
  })
}

/** Two lines of one name come as one here. */
const locationOf = ({ headers }: HttpClientResponse): string => headers.location ?? ""

interface Answered {
  readonly step: Step
  readonly response: HttpClientResponse
}

const hop = (
  execute: (
    request: HttpClientRequest.HttpClientRequest
  ) => Effect.Effect<HttpClientResponse, HttpClientError, Scope.Scope>,
  limits: Settled,
  step: Step
): Effect.Effect<Answered, NetworkError, Scope.Scope> =>
  Effect.gen(function* () {
    const { from, isPrivate, proof, redirects } = step
    yield* Either.mapLeft(vetted(proof, isPrivate), (error) =>
      from === undefined ? error : ofRedirect(from, error)
    )
    const request = yield* requestOf(step)
    const response = yield* execute(request).pipe(
      Effect.mapError((error) => broken(step, error)),
      Effect.timeoutFail({ duration: limits.headersTime, onTimeout: late })
    )
    // A browser shows that there was a redirect, and not where to.
    if (response.status === 0) {
      return yield* failed(
        `${peerOf(proof.request)} redirects, and this platform does not say where to; request where it leads`
      )
    }
    if (redirects === "none" || !isRedirect(response.status, response.headers)) return { step, response }
    const following = yield* next(step, response.status, locationOf(response), limits.requests)
    return yield* hop(execute, limits, following)
  })

/**
 * Makes the backend over the client of the context. The client must follow no redirects by itself: that of fetch is told
 * so, those of Node do not.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Options = {}
): Effect.Effect<NetworkBackend.Service, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const limits = settled(options)
    const given = yield* Effect.serviceOption(RequestInit)
    const init = { ...Option.getOrElse(given, () => ({})), ...discreet }
    const client = HttpClient.withTracerDisabledWhen(
      HttpClient.withScope(yield* HttpClient.HttpClient),
      () => true
    )
    const execute = (request: HttpClientRequest.HttpClientRequest) =>
      Effect.provideService(client.execute(request), RequestInit, init)
    const open: NetworkBackend.Service["open"] = (proof, content) =>
      Stream.unwrapScoped(
        Effect.gen(function* () {
          const started = yield* Clock.currentTimeMillis
          const remaining = Effect.map(Clock.currentTimeMillis, (now) =>
            Duration.subtract(limits.totalTime, Duration.millis(now - started))
          )
          const first = yield* begun(proof, plain(content), limits)
          const { response, step } = yield* Effect.timeoutFail(hop(execute, limits, first), {
            duration: limits.totalTime,
            onTimeout: late
          })
          const body = yield* bodyOf(step, response, limits, remaining)
          return Stream.concat(Stream.succeed<Network.Part>(headOf(step, response)), body)
        })
      )
    return NetworkBackend.guarded({
      open,
      request: (proof, content) =>
        Effect.flatMap(Stream.runCollect(open(proof, content)), (parts) =>
          whole(Chunk.toReadonlyArray(parts))
        )
    })
  })

/** Some clients decompress what they get, and others do not: so nothing is compressed, unless the tool asks. */
const plain = (content: NetworkBackend.Content): NetworkBackend.Content =>
  Object.keys(content.headers).some((name) => name.toLowerCase() === "accept-encoding")
    ? content
    : { ...content, headers: { ...content.headers, "accept-encoding": "identity" } }

const whole = ([head, ...rest]: ReadonlyArray<Network.Part>): Effect.Effect<
  Network.Response,
  NetworkError
> => {
  if (head === undefined || head instanceof Uint8Array) return Effect.fail(failed("there was no answer"))
  const chunks = rest.filter((part) => part instanceof Uint8Array)
  const body = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.length
  }
  return Effect.succeed({ ...head, body })
}

/**
 * Sends the requests that the policy permits, over the `HttpClient` of the platform.
 *
 * @example
 * ```ts
 * import { FetchHttpClient } from "@effect/platform"
 * import { PlatformNetwork } from "bailiwick/platform"
 * import { Layer } from "effect"
 *
 * export const network = PlatformNetwork.layer().pipe(Layer.provide(FetchHttpClient.layer))
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<NetworkBackend, never, HttpClient.HttpClient> =>
  Layer.effect(NetworkBackend, make(options))

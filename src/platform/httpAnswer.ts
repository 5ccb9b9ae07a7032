/** An answer of the network as a response of the platform. A web `Response` around it would cost more than the request. */
import * as Cookies from "@effect/platform/Cookies"
import * as Headers from "@effect/platform/Headers"
import { ResponseError } from "@effect/platform/HttpClientError"
import type { HttpClientRequest } from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as UrlParams from "@effect/platform/UrlParams"
import { Deferred, Effect, type Exit, FiberId, Inspectable, Option, Stream } from "effect"
import type { Network } from "../capabilities/network/Network.js"

const utf8 = new TextDecoder()

export class HttpAnswer extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly [HttpClientResponse.TypeId]: HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly remoteAddress = Option.none<string>()
  readonly request: HttpClientRequest
  readonly status: number
  readonly #opened: Network.Opened
  #headers: Headers.Headers | undefined
  #cookies: Cookies.Cookies | undefined
  #isRead = false
  #waiting: Deferred.Deferred<Uint8Array, ResponseError> | undefined
  #whole: Exit.Exit<Uint8Array, ResponseError> | undefined

  constructor(request: HttpClientRequest, opened: Network.Opened) {
    super()
    this.request = request
    this.#opened = opened
    this.status = opened.status
  }

  get headers(): Headers.Headers {
    this.#headers ??= Headers.fromInput(this.#opened.headers)
    return this.#headers
  }

  get cookies(): Cookies.Cookies {
    this.#cookies ??= Cookies.fromSetCookie(this.#opened.setCookies)
    return this.#cookies
  }

  get stream(): Stream.Stream<Uint8Array, ResponseError> {
    return Stream.suspend(() =>
      this.#isRead
        ? Stream.fromEffect(this.#bytes)
        : Stream.mapError(this.#opened.body, (error) => this.#undecodable(error))
    )
  }

  get text(): Effect.Effect<string, ResponseError> {
    return Effect.map(this.#bytes, (bytes) => utf8.decode(bytes))
  }

  get json(): Effect.Effect<unknown, ResponseError> {
    return this.#decoded((text): unknown => (text === "" ? null : JSON.parse(text)))
  }

  get urlParamsBody(): Effect.Effect<UrlParams.UrlParams, ResponseError> {
    return this.#decoded((text) => UrlParams.fromInput(new URLSearchParams(text)))
  }

  get arrayBuffer(): Effect.Effect<ArrayBuffer, ResponseError> {
    return Effect.map(this.#bytes, (bytes) => new Uint8Array(bytes).buffer)
  }

  get formData(): Effect.Effect<FormData, ResponseError> {
    const type = this.headers["content-type"]
    const headers = type === undefined ? {} : { "content-type": type }
    return Effect.flatMap(this.#bytes, (bytes) =>
      Effect.tryPromise({
        try: () => new Response(new Uint8Array(bytes), { headers }).formData(),
        catch: (cause) => this.#undecodable(cause)
      })
    )
  }

  toJSON(): unknown {
    return HttpIncomingMessage.inspect(this, {
      _id: "@effect/platform/HttpClientResponse",
      request: this.request.toJSON(),
      status: this.status
    })
  }

  /** As the platform has it, what was read once as a whole may be read so again, by many at a time. */
  get #bytes(): Effect.Effect<Uint8Array, ResponseError> {
    return Effect.suspend((): Effect.Effect<Uint8Array, ResponseError> => {
      if (this.#whole !== undefined) return this.#whole
      if (this.#isRead) {
        this.#waiting ??= Deferred.unsafeMake(FiberId.none)
        return Deferred.await(this.#waiting)
      }
      this.#isRead = true
      return Effect.onExit(
        Effect.mapError(this.#opened.bytes, (error) => this.#undecodable(error)),
        (exit) =>
          Effect.sync(() => {
            this.#whole = exit
            if (this.#waiting !== undefined) Deferred.unsafeDone(this.#waiting, exit)
          })
      )
    })
  }

  #undecodable(cause: unknown): ResponseError {
    return new ResponseError({ request: this.request, response: this, reason: "Decode", cause })
  }

  #decoded<A>(read: (text: string) => A): Effect.Effect<A, ResponseError> {
    return Effect.flatMap(this.#bytes, (bytes) =>
      Effect.try({ try: () => read(utf8.decode(bytes)), catch: (cause) => this.#undecodable(cause) })
    )
  }
}

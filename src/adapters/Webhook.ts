/**
 * The entry point by which a platform calls this program: an `HttpApp` that reads a body once, within bounds, believes
 * nothing of it before the platform's own proof holds, and hands each message over once.
 *
 * @since 0.1.0
 */
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Clock, type Duration, Effect, Option, type Scope, Stream } from "effect"
import * as Delivery from "./Delivery.js"
import type { Draft, Intake } from "./Intake.js"
import { Memory } from "./memory.js"
import { MEMORY_MILLIS } from "./Signature.js"

/**
 * A request as it came. Names of headers are in small letters.
 *
 * @since 0.1.0
 * @category models
 */
export interface Received {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
  readonly nowMillis: number
}

/**
 * Whether a request is the platform's. `once` is what must not come twice: the signature of the request. When the handler
 * fails it may come again.
 *
 * @since 0.1.0
 * @category models
 */
export type Verdict = { readonly isGenuine: false } | { readonly isGenuine: true; readonly once?: string }

/**
 * What a payload is: a message, something to be answered at once, or nothing that this program takes.
 *
 * @since 0.1.0
 * @category models
 */
export type Payload =
  | { readonly _tag: "Message"; readonly draft: Draft; readonly answer?: unknown }
  | { readonly _tag: "Answer"; readonly answer: unknown }
  | { readonly _tag: "Ignored" }

/**
 * What a platform's webhook is made of.
 *
 * @since 0.1.0
 * @category models
 */
export interface Protocol {
  readonly verify: (received: Received) => Effect.Effect<Verdict, unknown>
  readonly read: (payload: unknown) => Payload
}

/**
 * @since 0.1.0
 * @category models
 */
export interface WebhookOptions {
  /** The most bytes that a body may have: 1 MiB unless told. */
  readonly maxBodyBytes?: number | undefined
  /** How long a body may take to come: ten seconds unless told. */
  readonly bodyTime?: Duration.DurationInput | undefined
  /**
   * How long the platform waits for an answer. A message that takes longer is answered with yes and goes on; one that fails
   * before is answered with no, so that the platform sends it again.
   */
  readonly answerWithin?: Duration.DurationInput | undefined
}

const MAX_BODY = 1024 * 1024
const CAPACITY = 100_000

const status = (code: number, words: string) => HttpServerResponse.text(words, { status: code })

const TOO_LONG = status(413, "too long")
const TOO_SLOW = status(408, "too slow")
const NOT_GENUINE = status(401, "not genuine")
const SEEN = status(403, "seen before")
const NOT_JSON = status(400, "not JSON")
const NOT_POST = status(405, "only POST")
const FAILED = status(500, "not taken; send it again")
const TAKEN = status(200, "ok")

class TooLong {
  readonly _tag = "TooLong"
}

/** All of the body, raw: what a signature is over. */
const bodyOf = (
  request: HttpServerRequest.HttpServerRequest,
  most: number
): Effect.Effect<Uint8Array, HttpServerResponse.HttpServerResponse> => {
  if (Number(request.headers["content-length"]) > most) return Effect.fail(TOO_LONG)
  const chunks: Array<Uint8Array> = []
  let size = 0
  return Stream.runForEach(request.stream, (chunk) => {
    size += chunk.length
    chunks.push(chunk)
    return size > most ? Effect.fail(new TooLong()) : Effect.void
  }).pipe(
    Effect.mapBoth({
      onFailure: (error) => (error._tag === "TooLong" ? TOO_LONG : status(400, "not readable")),
      onSuccess: () => new Uint8Array(Buffer.concat(chunks))
    })
  )
}

const strict = new TextDecoder("utf-8", { fatal: true })

const jsonOf = (body: Uint8Array): Effect.Effect<unknown, HttpServerResponse.HttpServerResponse> =>
  Effect.try({ try: () => JSON.parse(strict.decode(body)) as unknown, catch: () => NOT_JSON })

const answering = (answer: unknown) => (answer === undefined ? TAKEN : HttpServerResponse.unsafeJson(answer))

/**
 * Makes the app of a platform. What it has begun ends with the scope.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <E, R>(
  receiver: Intake,
  { read, verify }: Protocol,
  handler: Delivery.Handler<E, R>,
  { answerWithin = "50 seconds", bodyTime = "10 seconds", maxBodyBytes = MAX_BODY }: WebhookOptions = {}
): Effect.Effect<HttpApp.Default, never, R | Scope.Scope> =>
  Effect.map(Delivery.make(receiver, handler), ({ deliver }) => {
    const signatures = new Memory<true>(MEMORY_MILLIS, CAPACITY)

    const genuine = (received: Received) =>
      Effect.flatMap(
        Effect.catchAllCause(verify(received), (cause) =>
          Effect.as(
            Effect.annotateLogs(
              Effect.logError(`Inbound.webhook: nothing can be verified: ${receiver.scrub(String(cause))}`),
              {
                platform: receiver.platform
              }
            ),
            { isGenuine: false } as const
          )
        ),
        (verdict) => {
          if (!verdict.isGenuine) return Effect.fail(NOT_GENUINE)
          const { once } = verdict
          if (once === undefined) return Effect.succeed(once)
          if (signatures.get(once, received.nowMillis) === true) return Effect.fail(SEEN)
          signatures.set(once, true, received.nowMillis)
          return Effect.succeed(once)
        }
      )

    /** What was not taken is to come again, and a platform may send it again as it was. */
    const failed = (once: string | undefined) => {
      if (once !== undefined) signatures.delete(once)
      return FAILED
    }

    const answered = (payload: Payload, once: string | undefined) => {
      if (payload._tag === "Ignored") return Effect.succeed(TAKEN)
      if (payload._tag === "Answer") return Effect.succeed(answering(payload.answer))
      return Effect.map(Effect.timeoutOption(deliver(payload.draft), answerWithin), (taken) =>
        Option.getOrUndefined(taken) === "failed" ? failed(once) : answering(payload.answer)
      )
    }

    return Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (request.method !== "POST") return NOT_POST
      const body = yield* Effect.timeoutFail(bodyOf(request, maxBodyBytes), {
        duration: bodyTime,
        onTimeout: () => TOO_SLOW
      })
      const nowMillis = yield* Clock.currentTimeMillis
      const once = yield* genuine({ headers: request.headers, body, nowMillis })
      return yield* answered(read(yield* jsonOf(body)), once)
    }).pipe(Effect.catchAll((refused) => Effect.succeed(refused)))
  })

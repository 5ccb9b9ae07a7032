/** The bodies of the platform as bytes, which is what a request of a tool carries. */
import type { HttpBody } from "@effect/platform/HttpBody"
import { Effect, Stream } from "effect"
import { NetworkError } from "../capabilities/network/NetworkOperations.js"

export interface SentBody {
  readonly bytes: Uint8Array
  /** Of a body whose type is known only once it is written, such as the boundary of a form. */
  readonly contentType?: string | undefined
}

/** How much is gathered before a backend, which has a limit of its own, is asked. */
const MOST = 64 * 1024 * 1024

const tooLong = () =>
  new NetworkError({
    code: "LIMIT_EXCEEDED",
    detail: `the body is longer than ${MOST} bytes; send it in parts`
  })

const unknownBody = () =>
  new NetworkError({
    code: "REQUEST_FAILED",
    detail: "a raw body is text, bytes, a form, a blob or a stream of bytes; encode it first"
  })

const utf8 = new TextEncoder()

const gathered = (stream: Stream.Stream<unknown, unknown>): Effect.Effect<SentBody, unknown> =>
  Effect.suspend(() => {
    const chunks: Array<Uint8Array> = []
    let size = 0
    const whole = () => {
      const bytes = new Uint8Array(size)
      let at = 0
      for (const chunk of chunks) {
        bytes.set(chunk, at)
        at += chunk.length
      }
      return { bytes }
    }
    return Effect.map(
      Stream.runForEach(stream, (part) => {
        const chunk = typeof part === "string" ? utf8.encode(part) : part
        if (!(chunk instanceof Uint8Array)) return Effect.fail(unknownBody())
        size += chunk.length
        if (size > MOST) return Effect.fail(tooLong())
        chunks.push(chunk)
        return Effect.void
      }),
      whole
    )
  })

/** A form gets a boundary, and a blob keeps its type. */
const written = (body: FormData | Blob | URLSearchParams): Effect.Effect<SentBody, unknown> =>
  Effect.tryPromise({
    try: async () => {
      const encoded = new Response(body)
      const contentType = encoded.headers.get("content-type") ?? undefined
      return { bytes: new Uint8Array(await encoded.arrayBuffer()), contentType }
    },
    catch: (cause) => cause
  })

const isWritable = (body: unknown): body is FormData | Blob | URLSearchParams =>
  body instanceof FormData || body instanceof Blob || body instanceof URLSearchParams

const isIterable = (body: unknown): body is AsyncIterable<unknown> =>
  typeof body === "object" && body !== null && Symbol.asyncIterator in body

const raw = (body: unknown): Effect.Effect<SentBody | undefined, unknown> => {
  if (body === undefined || body === null) return Effect.succeed(undefined)
  if (typeof body === "string") return Effect.succeed({ bytes: utf8.encode(body) })
  if (body instanceof ArrayBuffer) return Effect.succeed({ bytes: new Uint8Array(body) })
  if (ArrayBuffer.isView(body)) {
    return Effect.succeed({ bytes: new Uint8Array(body.buffer, body.byteOffset, body.byteLength) })
  }
  if (isWritable(body)) return written(body)
  if (body instanceof ReadableStream) {
    return gathered(
      Stream.fromReadableStream(
        () => body,
        (cause) => cause
      )
    )
  }
  return isIterable(body)
    ? gathered(Stream.fromAsyncIterable(body, (cause) => cause))
    : Effect.fail(unknownBody())
}

/** What a request sends, or nothing. Whatever goes wrong on the way is what it fails with. */
export const sentBody = (body: HttpBody): Effect.Effect<SentBody | undefined, unknown> => {
  switch (body._tag) {
    case "Empty":
      return Effect.succeed(undefined)
    case "Uint8Array":
      return Effect.succeed({ bytes: body.body })
    case "Raw":
      return raw(body.body)
    case "FormData":
      return written(body.formData)
    case "Stream":
      return gathered(body.stream)
  }
}

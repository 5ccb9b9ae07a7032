/**
 * What is done with the network, as plain data: what a scoped service asks for, a backend answers, and a process boundary
 * can carry.
 *
 * @since 0.1.0
 */
import { type Effect, Redacted, Schema, type Stream } from "effect"
import { Denial } from "../../policy/lattice/Denial.js"

/**
 * @since 0.1.0
 * @category errors
 */
export class NetworkError extends Schema.TaggedError<NetworkError>("bailiwick/NetworkError")("NetworkError", {
  code: Schema.Literal(
    "HOST_NOT_ALLOWED",
    "METHOD_NOT_ALLOWED",
    "URL_INVALID",
    "ADDRESS_NOT_ALLOWED",
    "REDIRECT_REFUSED",
    "HEADER_REFUSED",
    "SEAL_REFUSED",
    "LIMIT_EXCEEDED",
    "STATUS_NOT_OK",
    "DECODE_FAILED",
    "REQUEST_FAILED"
  ),
  detail: Schema.String,
  denial: Schema.optional(Denial)
}) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.detail}`
  }
}

/** What must not be shown is known as such on the far side of a process boundary too. */
const Hidden = Schema.transform(
  Schema.Struct({ redacted: Schema.String }),
  Schema.RedactedFromSelf(Schema.String),
  {
    strict: true,
    decode: ({ redacted }) => Redacted.make(redacted),
    encode: (value) => ({ redacted: Redacted.value(value) })
  }
)

/**
 * Which redirects are followed, of those that are permitted: all of them, those that stay at the host, those that stay at
 * its scheme and port too, or none, so that a redirect is an answer like any other. Without a word, all.
 */
const Redirects = Schema.Literal("follow", "same-host", "same-origin", "none")

/**
 * A header that is `Redacted` is unwrapped by the backend, when the request is made.
 *
 * @since 0.1.0
 * @category schemas
 */
export const NetworkRequest = Schema.Struct({
  method: Schema.String,
  url: Schema.String,
  headers: Schema.Record({ key: Schema.String, value: Schema.Union(Schema.String, Hidden) }),
  body: Schema.optionalWith(Schema.Uint8ArrayFromBase64, { exact: true }),
  redirects: Schema.optionalWith(Redirects, { exact: true })
})

const head = {
  status: Schema.Finite,
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  setCookies: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
  url: Schema.String
}

/**
 * What comes before a body. `url` is the one that answered, after redirects. `setCookies` are the `Set-Cookie` headers,
 * one by one: joined they cannot be told apart.
 *
 * @since 0.1.0
 * @category schemas
 */
export const NetworkHead = Schema.Struct(head)

/**
 * A head and the whole body.
 *
 * @since 0.1.0
 * @category schemas
 */
export const NetworkResponse = Schema.Struct({ ...head, body: Schema.Uint8ArrayFromBase64 })

/**
 * An answer bit by bit: the head first, and then the bytes of the body as they come.
 *
 * @since 0.1.0
 * @category schemas
 */
export const NetworkPart = Schema.Union(NetworkHead, Schema.Uint8ArrayFromBase64)

/**
 * The operations themselves, over plain data, as a backend writes them. Neither cares for the status. The first part of
 * `open` is the head, and there is no other; leaving the stream closes the connection.
 *
 * @since 0.1.0
 * @category models
 */
export interface NetworkOperations {
  readonly request: (
    request: typeof NetworkRequest.Type
  ) => Effect.Effect<typeof NetworkResponse.Type, NetworkError>
  readonly open: (request: typeof NetworkRequest.Type) => Stream.Stream<typeof NetworkPart.Type, NetworkError>
}

/**
 * What is done with the network, as plain data: what a scoped service asks for, a backend answers, and a process boundary
 * can carry.
 *
 * @since 0.1.0
 */
import { type Effect, Schema, type Stream } from "effect"
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

/**
 * @since 0.1.0
 * @category schemas
 */
export const NetworkRequest = Schema.Struct({
  method: Schema.String,
  url: Schema.String,
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  body: Schema.optionalWith(Schema.Uint8ArrayFromBase64, { exact: true })
})

/**
 * `url` is the one that answered, after redirects.
 *
 * @since 0.1.0
 * @category schemas
 */
export const NetworkResponse = Schema.Struct({
  status: Schema.Finite,
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  url: Schema.String,
  body: Schema.Uint8ArrayFromBase64
})

/**
 * The operations themselves, over plain data, as a backend writes them. `stream` fails with `STATUS_NOT_OK` when
 * the status is not in the two hundreds.
 *
 * @since 0.1.0
 * @category models
 */
export interface NetworkOperations {
  readonly request: (
    request: typeof NetworkRequest.Type
  ) => Effect.Effect<typeof NetworkResponse.Type, NetworkError>
  readonly stream: (request: typeof NetworkRequest.Type) => Stream.Stream<Uint8Array, NetworkError>
}

/**
 * @since 0.1.0
 */
import { Schema } from "effect"
import { gatewayCodes } from "../../registry/errorCodes/EdgeCodes.js"

/**
 * What a server could not be asked, and why. What the server itself said is in it only bounded, marked as the server's words,
 * and without anything that a reader would not see.
 *
 * @since 0.1.0
 * @category errors
 */
export class GatewayError extends Schema.TaggedError<GatewayError>("bailiwick/GatewayError")("GatewayError", {
  code: Schema.Literal(...gatewayCodes),
  detail: Schema.String
}) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.detail}`
  }
}

/**
 * @since 0.1.0
 */
import { Schema } from "effect"
import { adapterCodes } from "../registry/errorCodes/EdgeCodes.js"

/**
 * Why nothing can be received: a setting, or the platform. What is wrong with one file of a message is no error; the
 * message arrives, and says so.
 *
 * @since 0.1.0
 * @category errors
 */
export class AdapterError extends Schema.TaggedError<AdapterError>("bailiwick/AdapterError")("AdapterError", {
  code: Schema.Literal(...adapterCodes),
  platform: Schema.String,
  detail: Schema.String
}) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.platform}: ${this.detail}`
  }
}

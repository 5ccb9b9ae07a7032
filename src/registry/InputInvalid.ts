/**
 * @since 0.1.0
 */
import { Schema } from "effect"

/**
 * Arguments that do not fit the parameters of a tool whose schema is elsewhere: the result is `input_invalid`, as for one
 * whose schema is here.
 *
 * @since 0.1.0
 * @category errors
 */
export class InputInvalid extends Schema.TaggedError<InputInvalid>("bailiwick/InputInvalid")("InputInvalid", {
  detail: Schema.String
}) {
  /** @since 0.1.0 */
  override get message(): string {
    return this.detail
  }
}

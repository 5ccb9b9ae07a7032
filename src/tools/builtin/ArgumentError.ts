/**
 * @since 0.1.0
 */
import { Schema } from "effect"

/**
 * Arguments that fit the schema of a built-in tool and still mean nothing.
 *
 * @since 0.1.0
 * @category errors
 */
export class ArgumentError extends Schema.TaggedError<ArgumentError>("bailiwick/ArgumentError")(
  "ArgumentError",
  { code: Schema.Literal("ARGUMENT_INVALID"), detail: Schema.String }
) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.detail}`
  }
}

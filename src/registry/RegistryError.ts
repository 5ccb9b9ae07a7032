/**
 * @since 0.1.0
 */
import { Schema } from "effect"

/**
 * A tool that a registry does not take.
 *
 * @since 0.1.0
 * @category errors
 */
export class RegistryError extends Schema.TaggedError<RegistryError>("bailiwick/RegistryError")(
  "RegistryError",
  {
    code: Schema.Literal("TOOL_MALFORMED", "NAME_TAKEN"),
    detail: Schema.String
  }
) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.detail}`
  }
}

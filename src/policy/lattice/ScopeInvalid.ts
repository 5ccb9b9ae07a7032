/**
 * @since 0.1.0
 */
import { Either, Schema } from "effect"

/**
 * A pattern or a request that cannot be read. It grants nothing and asks for nothing; `detail` says what is
 * wrong with it and what to write instead.
 *
 * @since 0.1.0
 * @category errors
 */
export class ScopeInvalid extends Schema.TaggedError<ScopeInvalid>("bailiwick/ScopeInvalid")("ScopeInvalid", {
  code: Schema.Literal(
    "HOST_INVALID",
    "URL_INVALID",
    "METHOD_INVALID",
    "PATH_INVALID",
    "COMMAND_INVALID",
    "REF_INVALID",
    "NAME_INVALID",
    "ID_INVALID",
    "REQUEST_INVALID",
    "SCOPE_INVALID"
  ),
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.code}: ${this.detail}`
  }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const invalid = (code: ScopeInvalid["code"], detail: string): Either.Either<never, ScopeInvalid> =>
  Either.left(new ScopeInvalid({ code, detail }))

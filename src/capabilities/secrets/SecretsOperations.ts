/**
 * What is done with secrets, as plain data: what a scoped service asks for, a backend answers, and a process boundary
 * can carry.
 *
 * @since 0.1.0
 */
import { type Effect, type Redacted, Schema } from "effect"
import { Denial } from "../../policy/lattice/Denial.js"
import type { SealForm } from "./SealForm.js"

/**
 * @since 0.1.0
 * @category errors
 */
export class SecretsError extends Schema.TaggedError<SecretsError>("bailiwick/SecretsError")("SecretsError", {
  code: Schema.Literal(
    "SECRET_NOT_DECLARED",
    "SECRET_NOT_FOUND",
    "SECRET_REF_INVALID",
    "SECRET_SEALED",
    "SEAL_INVALID",
    "SECRETS_FAILED"
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
 * The operations themselves, over plain data, as a backend writes them.
 *
 * @since 0.1.0
 * @category models
 */
export interface SecretsOperations {
  readonly get: (payload: { readonly ref: string }) => Effect.Effect<Redacted.Redacted<string>, SecretsError>
  /** A token that stands for the secret, and means nothing. */
  readonly sealed: (payload: {
    readonly ref: string
    readonly form?: SealForm
  }) => Effect.Effect<string, SecretsError>
}

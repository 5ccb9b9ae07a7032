/**
 * What is done with attachments, as plain data: what a scoped service asks for, a backend answers, and a process boundary
 * can carry.
 *
 * @since 0.1.0
 */
import { type Effect, Schema } from "effect"
import { Denial } from "../../policy/lattice/Denial.js"
import { oneOf } from "../declared.js"

/**
 * @since 0.1.0
 * @category schemas
 */
export const AttachmentKind = oneOf("image", "audio", "file")

/**
 * @since 0.1.0
 * @category errors
 */
export class AttachmentsError extends Schema.TaggedError<AttachmentsError>("bailiwick/AttachmentsError")(
  "AttachmentsError",
  {
    code: Schema.Literal(
      "ATTACHMENT_NOT_FOUND",
      "KIND_NOT_ALLOWED",
      "ATTACHMENT_MISMATCH",
      "ATTACHMENTS_FAILED"
    ),
    detail: Schema.String,
    denial: Schema.optional(Denial)
  }
) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.detail}`
  }
}

/**
 * @since 0.1.0
 * @category schemas
 */
export const Attachment = Schema.Struct({
  type: AttachmentKind,
  ref: Schema.String,
  url: Schema.String,
  mimeType: Schema.String,
  filename: Schema.optionalWith(Schema.String, { exact: true }),
  sizeBytes: Schema.optionalWith(Schema.Finite, { exact: true })
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Attachment extends Schema.Schema.Type<typeof Attachment> {}

/**
 * The operations themselves, over plain data, as a backend writes them. `open` answers with a local path.
 *
 * @since 0.1.0
 * @category models
 */
export interface AttachmentsOperations {
  readonly list: (payload: {
    readonly kind: typeof AttachmentKind.Type | null
  }) => Effect.Effect<ReadonlyArray<Attachment>, AttachmentsError>
  readonly open: (payload: { readonly ref: string }) => Effect.Effect<string, AttachmentsError>
  readonly read: (payload: { readonly ref: string }) => Effect.Effect<Uint8Array, AttachmentsError>
}

/**
 * The refs of a turn's attachments. They are given out by the framework, and say nothing of names or places.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import { type Attachment, AttachmentsError } from "../capabilities/attachments/AttachmentsOperations.js"
import { withSize } from "../capabilities/attachments/Size.js"

/**
 * Gives refs to attachments that have none, in order: `att-0`, `att-1`, …
 *
 * @since 0.1.0
 * @category constructors
 */
export const assign = (drafts: ReadonlyArray<Omit<Attachment, "ref">>): ReadonlyArray<Attachment> =>
  drafts.map(({ filename, mimeType, sizeBytes, type, url }, index) =>
    withSize({
      type,
      ref: `att-${index}`,
      url,
      mimeType,
      ...(filename === undefined ? {} : { filename }),
      ...(sizeBytes === undefined ? {} : { sizeBytes })
    })
  )

/**
 * The attachments as they are, if each has a ref of its own: a ref that stood for two would open the one and be
 * allowed for the other.
 *
 * @since 0.1.0
 * @category deciding
 */
export const distinct = (
  attachments: ReadonlyArray<Attachment>
): Either.Either<ReadonlyArray<Attachment>, AttachmentsError> => {
  const seen = new Set<string>()
  for (const { ref } of attachments) {
    if (ref === "" || seen.has(ref)) {
      return Either.left(
        new AttachmentsError({
          code: "ATTACHMENT_MISMATCH",
          detail:
            ref === ""
              ? "an attachment has an empty ref; leave refs to the framework"
              : `two attachments have the ref ${JSON.stringify(ref)}; give each its own`
        })
      )
    }
    seen.add(ref)
  }
  return Either.right(attachments)
}

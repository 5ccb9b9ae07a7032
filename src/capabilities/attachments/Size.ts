/**
 * @since 0.1.0
 */
import type { Attachment } from "./AttachmentsOperations.js"

/**
 * A copy of an attachment, without a size that is none: whoever does not know the size of a file tends to write `-1`.
 *
 * @since 0.1.0
 * @category combinators
 */
export const withSize = ({ sizeBytes, ...attachment }: Attachment): Attachment =>
  sizeBytes !== undefined && Number.isSafeInteger(sizeBytes) && sizeBytes >= 0
    ? { ...attachment, sizeBytes }
    : attachment

/** A text, what it says of itself, and the revision that it is. */
import { Either } from "effect"
import { type RecordText, read } from "../../../policy/record/RecordText.js"
import { bytesOf } from "../../bytes.js"
import type { RecordsError } from "../RecordsOperations.js"
import { invalid, tooLarge, unreadable, unwritable } from "./Refusals.js"

export const MAX_BYTES = 1024 * 1024

export interface Version {
  readonly text: string
  readonly record: RecordText
  readonly revision: string
}

/** A name for a text: the same for the same text, wherever it lies and whoever wrote it. */
export type RevisionOf = (text: string) => string

/** A text that lies there. */
export const found = (
  id: string,
  text: string,
  revisionOf: RevisionOf
): Either.Either<Version, RecordsError> =>
  Either.mapBoth(read(text), {
    onLeft: (problem) => unreadable(id, problem),
    onRight: (record) => ({ text, record, revision: revisionOf(text) })
  })

/** A text that is to be written. */
export const offered = (
  id: string,
  text: string,
  revisionOf: RevisionOf
): Either.Either<Version, RecordsError> => {
  if (bytesOf(text).byteLength > MAX_BYTES) return Either.left(tooLarge(id, MAX_BYTES))
  if (/\p{Surrogate}/u.test(text)) {
    return Either.left(invalid(`the text of ${id} holds half of a character; write it whole`))
  }
  return Either.mapBoth(read(text), {
    onLeft: (problem) => unwritable(id, problem),
    onRight: (record) => ({ text, record, revision: revisionOf(text) })
  })
}

/** A text, what it says of itself, and the revision that it is. */
import { createHash } from "node:crypto"
import { Either } from "effect"
import type { RecordsError } from "../../capabilities/Records.js"
import { type RecordText, read } from "../../policy/internal/recordText.js"
import { invalid, tooLarge, unreadable, unwritable } from "./Refusals.js"

export const MAX_BYTES = 1024 * 1024

export interface Version {
  readonly text: string
  readonly record: RecordText
  readonly revision: string
}

/** The same for the same text, wherever it lies and whoever wrote it. */
const revisionOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

const versionOf = (text: string, record: RecordText): Version => ({
  text,
  record,
  revision: revisionOf(text)
})

/** A text that lies there. */
export const found = (id: string, text: string): Either.Either<Version, RecordsError> =>
  Either.mapBoth(read(text), {
    onLeft: (problem) => unreadable(id, problem),
    onRight: (record) => versionOf(text, record)
  })

/** A text that is to be written. */
export const offered = (id: string, text: string): Either.Either<Version, RecordsError> => {
  if (Buffer.byteLength(text) > MAX_BYTES) return Either.left(tooLarge(id, MAX_BYTES))
  if (/\p{Surrogate}/u.test(text)) {
    return Either.left(invalid(`the text of ${id} holds half of a character; write it whole`))
  }
  return Either.mapBoth(read(text), {
    onLeft: (problem) => unwritable(id, problem),
    onRight: (record) => versionOf(text, record)
  })
}

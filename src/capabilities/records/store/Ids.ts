/** Ids that are also names of files, on every file system and in every listing. */
import { Either } from "effect"
import { recordPath } from "../../../policy/lattice/dimensions/Id.js"
import { deception } from "../../../policy/text/Lookalike.js"
import { hasControl, quote } from "../../../policy/text/Quote.js"
import type { RecordsError } from "../RecordsOperations.js"
import { invalid } from "./Refusals.js"

const MAX_SEGMENT_BYTES = 200

const wrongWith = (segment: string): string | undefined => {
  if (segment.startsWith(".")) return "starts with a dot"
  if (/[\s.]$/.test(segment)) return "ends with a blank or a dot"
  if (/[:\\]/.test(segment) || hasControl(segment)) return "holds ':', a backslash or a control character"
  if (/\p{Surrogate}/u.test(segment)) return "holds half of a character"
  return Buffer.byteLength(segment) > MAX_SEGMENT_BYTES
    ? `is longer than ${MAX_SEGMENT_BYTES} bytes`
    : deception(segment)?.detail
}

/** Whether a name can be a part of an id. */
export const isSegment = (name: string): boolean => name !== "" && wrongWith(name) === undefined

const EXTENSION = /\.md$/i

/** Whether a name can be the last part of an id. */
export const isName = (name: string): boolean => isSegment(name) && !EXTENSION.test(name)

export const checked = (segments: ReadonlyArray<string>): Either.Either<string, RecordsError> => {
  for (const segment of segments) {
    const wrong = wrongWith(segment)
    if (wrong !== undefined) {
      return Either.left(invalid(`the part ${quote(segment)} of an id ${wrong}; choose another id`))
    }
  }
  const id = segments.join("/")
  return EXTENSION.test(id)
    ? Either.left(invalid(`${quote(id)} is the name of a file; an id is written without '.md'`))
    : Either.right(id)
}

export const parsed = (id: string): Either.Either<string, RecordsError> =>
  Either.flatMap(
    Either.mapLeft(recordPath.element(id), ({ detail }) => invalid(detail)),
    checked
  )

/**
 * The front matter of a Markdown file: YAML between a first line `---` and the next one. What has no such first line
 * has none, and is all body; what opens one and does not close it is an error, for nobody can say where it ends.
 */
import { Either } from "effect"
import type { Problem } from "../text/Problem.js"
import { problem } from "../text/StrictYaml.js"

export interface Split {
  /** The YAML, without its fences. */
  readonly yaml: string
  /** Where the YAML starts and ends in the text. */
  readonly start: number
  readonly end: number
  /** The number of lines above the YAML: a line of it is that many lines further down in the file. */
  readonly above: number
  /** All that follows the closing fence and its line break, byte for byte. */
  readonly body: string
  /** Whether there is a front matter at all. */
  readonly fenced: boolean
}

const OPENING = /^\uFEFF?---[ \t]*(?:\r?\n|$)/

/** A line starts behind a line feed and nowhere else: a value that holds another kind of break closes nothing. */
const CLOSING = /(?<![^\n])---[ \t]*(?:\r?\n|$)/g

export const split = (text: string): Either.Either<Split, Problem> => {
  const opening = OPENING.exec(text)
  if (opening === null) {
    return Either.right({ yaml: "", start: 0, end: 0, above: 0, body: text, fenced: false })
  }
  const start = opening[0].length
  CLOSING.lastIndex = start
  const closing = CLOSING.exec(text)
  if (closing === null) {
    return problem(
      "YAML_INVALID",
      { line: 1, column: 1 },
      "the front matter that opens here is not closed",
      "close it with a line '---'"
    )
  }
  return Either.right({
    yaml: text.slice(start, closing.index),
    start,
    end: closing.index,
    above: 1,
    body: text.slice(closing.index + closing[0].length),
    fenced: true
  })
}

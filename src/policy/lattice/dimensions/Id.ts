/**
 * Record and agent ids: `notes/today`, `agents/scout`, with `*`, `?` and `**` as globs. A closing `**` is
 * strictly deeper.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import { deceives } from "../../text/Lookalike.js"
import { hasControl, MAX_LENGTH, MAX_SEGMENTS, quote } from "../../text/Quote.js"
import * as Glob from "../Glob.js"
import { invalid, type ScopeInvalid } from "../ScopeInvalid.js"
import { parseGlobSegments, printGlobSegments } from "../segments.js"
import { Any, Deep } from "../Token.js"
import { isWild } from "../Wildcard.js"
import type { Dimension } from "./Dimension.js"

const segments = (text: string): Either.Either<ReadonlyArray<string>, ScopeInvalid> => {
  const parts = text.split("/")
  if (text.length > MAX_LENGTH || parts.length > MAX_SEGMENTS) {
    return invalid("ID_INVALID", `an id is longer than ${MAX_LENGTH} characters or ${MAX_SEGMENTS} segments`)
  }
  if (
    text.includes("\\") ||
    hasControl(text) ||
    parts.some((part) => part.trim() === "" || /^\.{1,2}$/.test(part))
  ) {
    return invalid(
      "ID_INVALID",
      `${quote(text)} is not an id; write segments between slashes, none of them empty, '.' or '..', no backslash`
    )
  }
  const why = deceives(text)
  return why === undefined ? Either.right(parts) : invalid("ID_INVALID", `the id ${quote(text)} ${why}`)
}

const element = (text: string): Either.Either<ReadonlyArray<string>, ScopeInvalid> =>
  Either.filterOrLeft(
    segments(text),
    (parts) => !parts.some(isWild),
    () =>
      Either.merge(Either.flip(invalid("ID_INVALID", `${quote(text)} holds a wildcard where one id belongs`)))
  )

const dimension = <Name extends string>(name: Name): Dimension<Name> => ({
  name,
  top: Glob.make([Any, Deep]),
  parse: (text) =>
    Either.map(
      Either.flatMap(segments(text), (parts) => parseGlobSegments("ID_INVALID", text, parts)),
      Glob.make
    ),
  print: (glob) => printGlobSegments(glob.tokens).join("/"),
  element,
  folder: Glob.below
})

/**
 * @since 0.1.0
 * @category dimensions
 */
export const agentId = dimension("id")

/**
 * @since 0.1.0
 * @category dimensions
 */
export const recordPath = dimension("path")

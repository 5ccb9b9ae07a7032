/** Segments that are globs: `**` alone for any depth, otherwise literal or with `*` and `?`. */
import { Either } from "effect"
import { quote } from "../text/Quote.js"
import { invalid, type ScopeInvalid } from "./ScopeInvalid.js"
import { Any, Deep, isAny, segment, type Token } from "./Token.js"

/** Segments are never empty, so `?*` is `*`. */
const nonEmpty = (token: Token): Token => (token._tag === "Wild" && token.pattern === "?*" ? Any : token)

/** A closing `**` is strictly deeper: at least one segment. */
export const parseGlobSegments = (
  code: ScopeInvalid["code"],
  text: string,
  segments: ReadonlyArray<string>
): Either.Either<ReadonlyArray<Token>, ScopeInvalid> => {
  const tokens: Array<Token> = []
  for (const [i, part] of segments.entries()) {
    if (part === "**") tokens.push(...(i === segments.length - 1 ? [Any, Deep] : [Deep]))
    else if (part.includes("**")) {
      return invalid(code, `${quote(text)} joins '**' to other characters; '**' stands alone between slashes`)
    } else tokens.push(nonEmpty(segment(part)))
  }
  return Either.right(tokens)
}

const isOpenEnd = (tokens: ReadonlyArray<Token>): boolean => tokens.at(-1) === Deep && isAny(tokens.at(-2))

/** Undoes `parseGlobSegments`; what it cannot write, a tree, its caller must. */
export const printGlobSegments = (tokens: ReadonlyArray<Token>): ReadonlyArray<string> => {
  const closed = isOpenEnd(tokens) ? tokens.slice(0, -2) : tokens
  const out = closed.map((token) =>
    token._tag === "Literal" ? token.text : token._tag === "Wild" ? token.pattern : "**"
  )
  return isOpenEnd(tokens) ? [...out, "**"] : out
}

/**
 * Secret refs: `WEATHER_API_KEY`, `providers/exa/key`, and `providers/exa/*` for all that is strictly deeper.
 * The alphabet is closed, so that no spelling of `..`, of a separator or of a wildcard reaches a backend.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import { MAX_SEGMENTS } from "../../text/Quote.js"
import * as Glob from "../Glob.js"
import { invalid, type ScopeInvalid } from "../ScopeInvalid.js"
import { Any, Deep, literal } from "../Token.js"
import type { Dimension } from "./Dimension.js"

const SEGMENT = /^[A-Za-z0-9_@+:=.-]{1,255}$/

/** Says what is wrong and never repeats the ref: a tool may have passed a secret's value by mistake. */
const segments = (text: string): Either.Either<ReadonlyArray<string>, ScopeInvalid> => {
  const parts = text.split("/")
  return parts.length <= MAX_SEGMENTS &&
    parts.every((part) => SEGMENT.test(part) && part !== "." && part !== "..")
    ? Either.right(parts)
    : invalid(
        "REF_INVALID",
        "a secret ref is segments of letters, digits and _ @ + : = . - between slashes, none of them empty, '.' or '..'"
      )
}

const parse = (text: string): Either.Either<Glob.Glob, ScopeInvalid> => {
  if (text === "*" || text === "/*") {
    return invalid(
      "REF_INVALID",
      "'*' would be every secret; name the refs, or a group such as 'providers/exa/*'"
    )
  }
  return text.endsWith("/*")
    ? Either.map(segments(text.slice(0, -2)), (parts) => Glob.make([...parts.map(literal), Any, Deep]))
    : Either.map(segments(text), Glob.exact)
}

const print = ({ literals, tokens }: Glob.Glob): string => {
  const parts = tokens.slice(0, literals).map((token) => (token._tag === "Literal" ? token.text : ""))
  return literals === tokens.length ? parts.join("/") : [...parts, "*"].join("/")
}

/**
 * @since 0.1.0
 * @category dimensions
 */
export const ref: Dimension<"ref"> = {
  name: "ref",
  top: Glob.make([Any, Deep]),
  parse,
  print,
  element: segments
}

/**
 * Where in a request a sealed secret may stand: `header:authorization`, `query:key`, `path`, `body`. `header` is every
 * header, and `query` the value of every parameter. Names of headers have no case.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import { quote } from "../../text/Quote.js"
import * as Glob from "../Glob.js"
import { invalid, type ScopeInvalid } from "../ScopeInvalid.js"
import { Any, Deep, literal } from "../Token.js"
import type { Dimension } from "./Dimension.js"

const HEADER = /^[a-z0-9!#$%&'+.^_`|~-]{1,128}$/
const PARAMETER = /^[A-Za-z0-9_.~[\]-]{1,128}$/

const refuse = (text: string): Either.Either<never, ScopeInvalid> =>
  invalid(
    "SCOPE_INVALID",
    `${quote(text)} is no place in a request; write it as in 'header:authorization', 'query:key', 'path' or 'body'`
  )

/** A place by its name: one header, one parameter, the path or the body. */
const element = (text: string): Either.Either<ReadonlyArray<string>, ScopeInvalid> => {
  if (text === "path" || text === "body") return Either.right([text])
  const colon = text.indexOf(":")
  const [kind, name] = [text.slice(0, Math.max(0, colon)), text.slice(colon + 1)]
  if (kind === "header" && HEADER.test(lowered(name))) return Either.right([kind, lowered(name)])
  return kind === "query" && PARAMETER.test(name) ? Either.right([kind, name]) : refuse(text)
}

/** Only ASCII: there are other letters that become these in lower case. */
const lowered = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

const parse = (text: string): Either.Either<Glob.Glob, ScopeInvalid> =>
  text === "header" || text === "query"
    ? Either.right(Glob.make([literal(text), Any]))
    : Either.map(element(text), Glob.exact)

const print = ({ literals, tokens }: Glob.Glob): string =>
  literals === 0
    ? "*"
    : tokens
        .slice(0, literals)
        .map((token) => (token._tag === "Literal" ? token.text : ""))
        .join(":")

/**
 * @since 0.1.0
 * @category dimensions
 */
export const place: Dimension<"in"> = { name: "in", top: Glob.make([Any, Deep]), parse, print, element }

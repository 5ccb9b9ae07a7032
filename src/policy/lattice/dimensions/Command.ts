/**
 * Command lines, matched word by word on the argument vector and never on a joined string: `npm test` does not
 * match the single word `"npm test"`. `git:*` is git with any arguments; a closing `*` is any further arguments, none
 * included (`git log *`), an inner one exactly one; `*` and `?` inside a word do not leave it.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import { deceives, hides } from "../../text/Lookalike.js"
import { hasControl, MAX_LENGTH, MAX_SEGMENTS, quote } from "../../text/Quote.js"
import * as Glob from "../Glob.js"
import { invalid, type ScopeInvalid } from "../ScopeInvalid.js"
import { Any, Deep, isAny, literal, segment, type Token } from "../Token.js"
import { isWild } from "../Wildcard.js"
import type { Dimension } from "./Dimension.js"

const refuse = (detail: string) => invalid("COMMAND_INVALID", detail)

/**
 * One command by name, with any arguments. The name is compared as it is written: `git` is not `/usr/bin/git`.
 *
 * @since 0.1.0
 * @category parsing
 */
export const parseName = (name: string): Either.Either<Glob.Glob, ScopeInvalid> => {
  if (name === "") return refuse("a command name is empty")
  if (isWild(name)) return refuse(`${quote(name)} holds a wildcard; a command is named exactly`)
  if (/\s/.test(name) || hasControl(name))
    return refuse(`${quote(name)} holds white space; name the command alone`)
  if (name.includes("/") && (!name.startsWith("/") || /\/(\.{0,2})(\/|$)/.test(name))) {
    return refuse(`${quote(name)} is a relative or unclean path; name the command or give its full path`)
  }
  const why = deceives(name)
  return why === undefined
    ? Either.right(Glob.make([literal(name), Deep]))
    : refuse(`the command ${quote(name)} ${why}`)
}

const parse = (text: string): Either.Either<Glob.Glob, ScopeInvalid> => {
  if (hasControl(text)) return refuse(`${quote(text)} holds a control character`)
  if (text.length > MAX_LENGTH) return refuse(`a command pattern is longer than ${MAX_LENGTH} characters`)
  const words = text.split(" ").filter((word) => word !== "")
  if (words.length === 0) return refuse("a command pattern is empty")
  const withAnyArguments = words.length === 1 && words[0] !== ":*" && words[0]?.endsWith(":*") === true
  if (withAnyArguments) return parseName((words[0] as string).slice(0, -2))
  if (words.some((word) => /:[*?]*\*$/.test(word))) {
    return refuse(`${quote(text)} uses ':*' after more than one word; write 'git log *' or 'git:*'`)
  }
  if (words.some((word) => word.includes("**"))) {
    return refuse(`${quote(text)} holds '**', which means nothing in a command; write '*'`)
  }
  if (words.length > MAX_SEGMENTS) return refuse(`a command pattern has more than ${MAX_SEGMENTS} words`)
  const why = deceives(words[0] ?? "")
  if (why !== undefined) return refuse(`the command of ${quote(text)} ${why}`)
  const unseen = hides(text)
  if (unseen !== undefined) return refuse(`the pattern ${quote(text)} ${unseen}`)
  const tokens: Array<Token> = words.map(segment)
  if (!isAny(tokens.at(-1))) return Either.right(Glob.make(tokens))
  return Either.right(tokens.length === 1 ? top : Glob.make([...tokens.slice(0, -1), Deep]))
}

/** A command has a name, so that a lone `*` is at least one word. */
const top = Glob.make([Any, Deep])

const print = (glob: Glob.Glob): string => {
  if (glob.key === top.key) return "*"
  const { tokens } = glob
  if (tokens.length === 2 && tokens[0]?._tag === "Literal" && tokens[1] === Deep) return `${tokens[0].text}:*`
  return tokens
    .map((token) => (token._tag === "Literal" ? token.text : token._tag === "Wild" ? token.pattern : "*"))
    .join(" ")
}

/**
 * @since 0.1.0
 * @category dimensions
 */
export const argv: Dimension<"argv"> = {
  name: "argv",
  top,
  parse,
  print,
  element: (text) => {
    const words = text.split(" ").filter((word) => word !== "")
    return words.length === 0 ? refuse("a command is empty") : Either.right(words)
  }
}

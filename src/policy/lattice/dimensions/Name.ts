/**
 * Single words from a list: storage scopes, attachment kinds, record classes. `*` is every one of them.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import { deceives } from "../../text/Lookalike.js"
import { hasControl, quote } from "../../text/Quote.js"
import * as Glob from "../Glob.js"
import { invalid, type ScopeInvalid } from "../ScopeInvalid.js"
import { Any } from "../Token.js"
import { isWild } from "../Wildcard.js"
import type { Dimension } from "./Dimension.js"

const top = Glob.make([Any])

/** `known` closes the list: another word is an error that names the list. */
const named = <Name extends string>(name: Name, known?: ReadonlyArray<string>): Dimension<Name> => {
  const element = (text: string): Either.Either<ReadonlyArray<string>, ScopeInvalid> => {
    if (known !== undefined && !known.includes(text)) {
      return invalid("NAME_INVALID", `${quote(text)} is not a ${name}; the ${name}s are ${known.join(", ")}`)
    }
    if (text.trim() === "" || isWild(text) || hasControl(text)) {
      return invalid(
        "NAME_INVALID",
        `${quote(text)} is not a ${name}; write one word, or '*' for every ${name}`
      )
    }
    const why = deceives(text)
    return why === undefined
      ? Either.right([text])
      : invalid("NAME_INVALID", `the ${name} ${quote(text)} ${why}`)
  }
  return {
    name,
    top,
    element,
    parse: (text) => (text === "*" ? Either.right(top) : Either.map(element(text), Glob.exact)),
    print: (glob) =>
      glob.key === top.key ? "*" : glob.tokens.map((t) => (t._tag === "Literal" ? t.text : "")).join("")
  }
}

/**
 * @since 0.1.0
 * @category dimensions
 */
export const storageScope = named("scope", ["tool-private", "session", "personality"])

/**
 * @since 0.1.0
 * @category dimensions
 */
export const attachmentKind = named("kind", ["image", "audio", "file"])

/**
 * @since 0.1.0
 * @category dimensions
 */
export const recordClass = named("class")

/**
 * A tool that runs at the provider of the model.
 *
 * @since 0.1.0
 * @category dimensions
 */
export const providerTool = named("tool")

/** The tools that a skill lists, as text: `Bash(git log *)` is one of them, blanks and all. */
import { Either } from "effect"
import { quote } from "../text/Quote.js"

/** A name, and what stands in parentheses behind it. */
export interface Listed {
  readonly text: string
  readonly tool: string
  readonly scope: string | undefined
}

export interface Malformed {
  readonly detail: string
  readonly remedy: string
}

export type ToolReading<A> = Either.Either<A, Malformed>

const SHAPE = "write names with their scope in parentheses, as in 'Read Bash(git log *)'"

const refuse = (detail: string): ToolReading<never> => Either.left({ detail, remedy: SHAPE })

const separates = (character: string): boolean => character === "," || /\s/.test(character)

/** Cut at blanks and commas, but not inside parentheses. */
const cut = (text: string): ToolReading<ReadonlyArray<string>> => {
  const parts: Array<string> = []
  let depth = 0
  let start = 0
  for (let i = 0; i <= text.length; i++) {
    const character = text[i]
    if (character === undefined || (depth === 0 && separates(character))) {
      if (i > start) parts.push(text.slice(start, i))
      start = i + 1
    } else if (character === "(") depth++
    else if (character === ")" && --depth < 0) break
  }
  return depth === 0
    ? Either.right(parts)
    : refuse("a parenthesis is opened and not closed, or the other way")
}

const TOKEN = /^([^\s(),]+)(?:\(([\s\S]*)\))?$/

const token = (text: string): ToolReading<Listed> => {
  const [, tool, scope] = TOKEN.exec(text) ?? []
  if (tool === undefined || tool.includes(")")) {
    return refuse(`${quote(text)} is not the name of a tool with its scope`)
  }
  const inside = scope?.trim()
  return inside === ""
    ? refuse(`the parentheses of ${quote(text)} are empty`)
    : // All of what a tool may do is what its bare name stands for.
      Either.right({ text, tool, scope: inside === "*" ? undefined : inside })
}

export const splitTools = (text: string): ToolReading<ReadonlyArray<Listed>> =>
  Either.flatMap(cut(text), (parts) => Either.all(parts.map(token)))

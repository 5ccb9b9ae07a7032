/**
 * The compact form of grants, as text and nothing more: `net.get{hosts=[*.github.com,api.example.com]}`. A backslash
 * takes the next character as it is; there are no quotes.
 */
import { Either } from "effect"
import { hasControl, quote } from "./Quote.js"

export type Value = string | ReadonlyArray<string>

/** A name and its pairs, in the order in which they are written. */
export interface Spec {
  readonly name: string
  readonly pairs: ReadonlyArray<readonly [key: string, value: Value]>
}

export interface Malformed {
  readonly detail: string
  readonly remedy: string
}

type SpecReading<A> = Either.Either<A, Malformed>

const EXAMPLE = "write it as in 'records.read' or 'net.get{hosts=[api.example.com]}'"

const refuse = (detail: string, remedy: string = EXAMPLE): SpecReading<never> =>
  Either.left({ detail, remedy })

const MAX_SPEC = 65_536

const OPEN = new Set(["{", "["])
const CLOSE = new Map([
  ["}", "{"],
  ["]", "["]
])

/**
 * Cuts a text at one of the given characters, but not inside braces or brackets nor after a backslash. `undefined` when
 * the brackets do not match.
 */
const cut = (text: string, at: (character: string) => boolean): ReadonlyArray<string> | undefined => {
  const parts: Array<string> = []
  const open: Array<string> = []
  let start = 0
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i)
    if (character === "\\") i++
    else if (OPEN.has(character)) open.push(character)
    else if (CLOSE.has(character)) {
      if (open.pop() !== CLOSE.get(character)) return undefined
    } else if (open.length === 0 && at(character)) {
      parts.push(text.slice(start, i))
      start = i + 1
    }
  }
  return open.length === 0 ? [...parts, text.slice(start)] : undefined
}

const isComma = (character: string): boolean => character === ","

/** Trims blanks, but not one that is escaped. */
const trimmed = (text: string): string => {
  const end = /(?:^|[^\\])(?:\\\\)*\\\s+$/.test(text) ? text.replace(/(\\\s)\s*$/, "$1") : text.trimEnd()
  return end.trimStart()
}

const unescaped = (text: string): string => text.replace(/\\([\s\S])/g, "$1")

const ESCAPED = /[,=[\]{}\\]/g

const escaped = (text: string): string =>
  text.replace(ESCAPED, (character) => `\\${character}`).replace(/^\s|\s$/g, (blank) => `\\${blank}`)

/** A value between brackets is a list, and empty elements of it are none. */
const value = (text: string): SpecReading<Value> => {
  if (!text.startsWith("[")) {
    return /^(?:[^[\]{}\\]|\\[\s\S])*$/.test(text)
      ? Either.right(unescaped(text))
      : refuse(`the value ${quote(text)} holds a bracket`, "write a backslash before it")
  }
  const parts = text.endsWith("]") ? cut(text.slice(1, -1), isComma) : undefined
  if (parts?.every((part) => /^(?:[^[\]{}\\]|\\[\s\S])*$/.test(part)) !== true) {
    return refuse(`the list ${quote(text)} is not closed, or holds another`, "close it with one ']'")
  }
  return Either.right(parts.map((part) => unescaped(trimmed(part))).filter((part) => part !== ""))
}

const pair = (text: string): SpecReading<readonly [string, Value]> => {
  const equals = text.indexOf("=")
  const key = text.slice(0, Math.max(0, equals)).trim()
  if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(key)) {
    return refuse(
      `the pair ${quote(text.trim())} is not 'key=value'`,
      "write it as in 'hosts=[a.example.com]'"
    )
  }
  return Either.map(value(trimmed(text.slice(equals + 1))), (given) => [key, given] as const)
}

/** Reads one grant. */
export const parseSpec = (given: string): SpecReading<Spec> => {
  const text = given.trim()
  if (text === "") return refuse("empty spec")
  if (text.length > MAX_SPEC) return refuse(`a spec is longer than ${MAX_SPEC} characters`)
  if (hasControl(text)) return refuse("a spec holds a control character", "delete it")
  const brace = text.indexOf("{")
  if (brace < 0) {
    return /[\s}[\]=,\\]/.test(text)
      ? refuse(`${quote(text)} is not one resource.verb`)
      : Either.right({ name: text, pairs: [] })
  }
  const name = text.slice(0, brace).trim()
  const inside = text.slice(brace + 1, -1)
  const parts = text.endsWith("}") ? cut(inside, isComma) : undefined
  if (parts === undefined) {
    return refuse(
      `missing closing brace in ${quote(text)}`,
      "end it with one '}', and close every '[' with one ']'"
    )
  }
  if (/[\s}[\]=,\\]/.test(name)) return refuse(`${quote(name)} is not one resource.verb`)
  if (inside.trim() === "") return Either.right({ name, pairs: [] })
  return Either.map(Either.all(parts.map(pair)), (pairs) => ({ name, pairs }))
}

/** The grants of a list in one line, separated by blanks or commas; each still to be parsed. */
export const splitSpecs = (text: string): ReadonlyArray<string> =>
  (cut(text, (character) => character === "," || /\s/.test(character)) ?? [text])
    .map((part) => part.trim())
    .filter((part) => part !== "")

/** What `parseSpec` reads back. */
export const printSpec = ({ name, pairs }: Spec): string => {
  if (pairs.length === 0) return name
  const written = pairs.map(
    ([key, given]) =>
      `${key}=${typeof given === "string" ? escaped(given) : `[${given.map(escaped).join(",")}]`}`
  )
  return `${name}{${written.join(",")}}`
}

/**
 * Variables in a file, `NAME=value` line by line. Nothing is interpolated and nothing is run: what stands there is the
 * value. What is not understood is an error, since a guess would be a wrong secret.
 */
import { Either } from "effect"

export interface Problem {
  readonly line: number
  readonly detail: string
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["\\", "\\"],
  ['"', '"'],
  ["$", "$"]
])

class Unreadable extends Error {}

interface Quoted {
  readonly value: string
  /** Where the text goes on after the closing quote. */
  readonly end: number
}

const single = (text: string, start: number): Quoted => {
  const end = text.indexOf("'", start)
  const value = text.slice(start, end)
  if (end === -1 || value.includes("\n")) throw new Unreadable("a single quote is not closed on its line")
  return { value, end: end + 1 }
}

const double = (text: string, start: number): Quoted => {
  const out: Array<string> = []
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '"') return { value: out.join(""), end: at + 1 }
    if (char !== "\\") {
      out.push(char)
      continue
    }
    at += 1
    const meant = escapes.get(text.charAt(at))
    if (meant === undefined) {
      throw new Unreadable(
        'a backslash in double quotes stands before one of n r t \\ " $; write \\\\ for itself'
      )
    }
    out.push(meant)
  }
  throw new Unreadable("a double quote is not closed")
}

const endOfLine = (text: string, start: number): number => {
  const newline = text.indexOf("\n", start)
  return newline === -1 ? text.length : newline
}

const bare = (text: string, start: number): Quoted => {
  const end = endOfLine(text, start)
  const line = text.slice(start, end)
  if (line.startsWith("#") && text.charAt(start - 1) === "=") {
    throw new Unreadable("a value that begins with # is a comment to some; quote it")
  }
  const value = line.replace(/(^|[ \t])#.*$/, "").trim()
  if (value.startsWith("`")) throw new Unreadable("back quotes are not supported; use double quotes")
  if (/["']/.test(value)) throw new Unreadable("a quote stands inside of a bare value; quote all of it")
  return { value, end }
}

const valueAt = (text: string, start: number): Quoted => {
  const quote = text.charAt(start)
  return quote === '"' ? double(text, start + 1) : quote === "'" ? single(text, start + 1) : bare(text, start)
}

const lineOf = (text: string, place: number): number => text.slice(0, place).split("\n").length

export const parseDotEnv = (source: string): Either.Either<ReadonlyMap<string, string>, Problem> => {
  const text = source.replace(/^\uFEFF/, "").replace(/\r\n/g, "\n")
  const variables = new Map<string, string>()
  let at = 0
  try {
    while (at < text.length) {
      const line = text.slice(at, endOfLine(text, at))
      if (/^[ \t]*(#|$)/.test(line)) {
        at += line.length + 1
        continue
      }
      const start = /^[ \t]*(?:export[ \t]+)?([^=]*?)[ \t]*=[ \t]*/.exec(line)
      const name = start?.[1]
      if (start === null || name === undefined || !NAME.test(name)) {
        throw new Unreadable("expected NAME=value, a comment or nothing")
      }
      if (variables.has(name)) throw new Unreadable(`${name} is set twice; keep one`)
      const { end, value } = valueAt(text, at + start[0].length)
      const after = text.slice(end, endOfLine(text, end))
      if (!/^[ \t]*(#.*)?$/.test(after)) throw new Unreadable("something follows the closing quote")
      if (value.includes("\0")) throw new Unreadable("a value holds a NUL character")
      variables.set(name, value)
      at = endOfLine(text, end) + 1
    }
    return Either.right(variables)
  } catch (error) {
    if (error instanceof Unreadable) return Either.left({ line: lineOf(text, at), detail: error.message })
    throw error
  }
}

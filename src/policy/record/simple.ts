/**
 * Most front matters are a few lines of `key: word`. These are read here at a fraction of what a parser costs, which
 * counts for whoever reads ten thousand; whatever is not recognised exactly is left to the strict reader.
 */
import { type Data, fromEntries } from "./Data.js"

export interface Simple {
  readonly frontMatter: Data
  /** Counted from one, in the YAML. */
  readonly lineOf: (key: string) => number | undefined
}

const LINES = 64
const LENGTH = 300

const LINE = /^([A-Za-z_][A-Za-z0-9_-]*): +(\S.*)$/

const WORDS = /^\p{L}(?:[\p{L}\p{N} ._'/-]*[\p{L}\p{N}._'/-])?$/u

const QUOTED = /^"([\p{L}\p{N} ._,;:!?()/*'-]*)"$/u

const INTEGER = /^(?:0|[1-9][0-9]{0,14})$/

const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/

/** What the core schema of YAML takes for something other than a string. */
const TAKEN = /^(?:null|true|false)$/i

const none = Symbol("not simple")

const word = (text: string): string | typeof none => {
  if (WORDS.test(text) && !TAKEN.test(text)) return text
  const inside = QUOTED.exec(text)?.[1]
  return inside === undefined ? none : inside
}

const value = (text: string): unknown => {
  if (INTEGER.test(text)) return Number(text)
  if (DATE.test(text)) return text
  if (!text.startsWith("[")) return word(text)
  if (!text.endsWith("]")) return none
  // A comma in quotes makes a part that is no word, and the strict reader gets it.
  const items = text
    .slice(1, -1)
    .split(",")
    .map((part) => word(part.replace(/^ +| +$/g, "")))
  return items.includes(none) ? none : items
}

export const simple = (yaml: string): Simple | undefined => {
  const lines = yaml.split("\n", LINES + 1)
  if (lines.pop() !== "" || lines.length >= LINES) return undefined
  const found = new Map<string, { readonly value: unknown; readonly line: number }>()
  for (const [index, line] of lines.entries()) {
    const [, key = "", rest = ""] = (line.length <= LENGTH && LINE.exec(line)) || []
    const read = key === "" || found.has(key) ? none : value(rest)
    if (read === none) return undefined
    found.set(key, { value: read, line: index + 1 })
  }
  return {
    frontMatter: fromEntries([...found].map(([key, entry]) => [key, entry.value] as const)),
    lineOf: (key) => found.get(key)?.line
  }
}

/**
 * Changes some keys of a front matter and leaves every other byte of the file alone: comments, order, quotes, line
 * ends, body. The result is read again, and is given out only if it holds exactly what was asked for.
 */
import { Either } from "effect"
import type { Problem } from "../text/Problem.js"
import { problem } from "../text/StrictYaml.js"
import { edited, rootOf } from "./BlockEdit.js"
import { type Data, fromEntries, fromValue, isMapping, same } from "./Data.js"
import { type Split, split } from "./FrontMatter.js"
import { type RecordText, read } from "./read.js"
import { lines } from "./WrittenYaml.js"

type Merged = Either.Either<string, Problem>

const START = { line: 1, column: 1 }

const refused = (line: number): Either.Either<never, Problem> =>
  problem(
    "YAML_INVALID",
    { line, column: 1 },
    "this front matter cannot be changed in part without changing the rest of it",
    "edit the file by hand, without anchors and odd spellings"
  )

/** `null` at the top takes a key away. */
const wanted = (
  before: Data,
  changes: Data
): { readonly all: Data; readonly touched: ReadonlyMap<string, unknown> } => {
  const all = new Map(Object.entries(before))
  const touched = new Map<string, unknown>()
  for (const [key, value] of Object.entries(changes)) {
    const had = all.has(key)
    if (value === null ? !had : had && same(all.get(key), value)) continue
    touched.set(key, value)
    if (value === null) all.delete(key)
    else all.set(key, value)
  }
  return { all: fromEntries(all), touched }
}

const written = (data: Data, eol: string, indent = 0): string =>
  lines(data, indent)
    .map((line) => `${line}${eol}`)
    .join("")

const changedYaml = (yaml: string, eol: string, all: Data, touched: ReadonlyMap<string, unknown>): string => {
  const root = rootOf(yaml)
  if (root?.flow === true) return written(all, eol)
  const { indent, kept, text } = edited(yaml, root, touched, eol)
  const added = [...touched].filter(([key, value]) => value !== null && !kept.has(key))
  return text + written(fromEntries(added), eol, indent)
}

const BOM = "\uFEFF"

const changed = (text: string, parts: Split, all: Data, touched: ReadonlyMap<string, unknown>): string => {
  const eol = /^[^\n]*\r\n/.test(text) ? "\r\n" : "\n"
  if (parts.fenced) {
    return text.slice(0, parts.start) + changedYaml(parts.yaml, eol, all, touched) + text.slice(parts.end)
  }
  const [mark, rest] = text.startsWith(BOM) ? [BOM, text.slice(1)] : ["", text]
  return `${mark}---${eol}${written(all, eol)}---${eol}${rest}`
}

const holds = (text: string, all: Data, { body }: RecordText, fenced: boolean): boolean => {
  const after = read(text)
  if (Either.isLeft(after) || !same(after.right.frontMatter, all)) return false
  // The mark at the start of a file was part of a body that had nothing above it.
  return after.right.body === (fenced || !body.startsWith(BOM) ? body : body.slice(1))
}

const dataOf = (changes: { readonly [key: string]: unknown }): Either.Either<Data, Problem> => {
  try {
    const data = fromValue(changes)
    if (isMapping(data)) return Either.right(data)
  } catch {
    // What holds itself, or no data at all.
  }
  return problem("VALUE_INVALID", START, "what is to be written is not plain data", "give what JSON can hold")
}

export const merge = (text: string, changes: { readonly [key: string]: unknown }): Merged =>
  Either.gen(function* () {
    const parts = yield* split(text)
    const before = yield* read(text)
    const { all, touched } = wanted(before.frontMatter, yield* dataOf(changes))
    if (touched.size === 0) return text
    const [first = ""] = touched.keys()
    const made = changed(text, parts, all, touched)
    if (!holds(made, all, before, parts.fenced)) return yield* refused(before.yamlLine(first) ?? 1)
    return made
  })

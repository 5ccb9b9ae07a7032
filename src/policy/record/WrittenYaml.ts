/**
 * Data written as YAML that reads back as the same data, and as nothing else: a string is plain only where nobody could
 * take it for something else, and in JSON's quotes everywhere else, so that no value ends its line or its front matter.
 */
import { isMapping } from "./Data.js"

/** A list that is no longer than this stands on one line. */
const SHORT = 80

/** What is nested deeper is written in brackets: an indentation has its bounds too. */
const DEEP = 16

/** What YAML, now or in its earlier versions, takes for something other than a string. */
const TAKEN = /^(?:null|true|false|yes|no|on|off)$/i

const PLAIN = /^(?:~\/)?[\p{L}_/](?:[\p{L}\p{N}_ ./@+=()'%!?*-]*[\p{L}\p{N}_./@+=()'%!?*-])?$/u

const PLAIN_KEY = /^[\p{L}_][\p{L}\p{N}_./-]*$/u

/** Controls, line breaks of any kind and marks of direction: what JSON leaves as it is and no line should hold. */
const ODD = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g

const escaped = (text: string): string =>
  text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** The reader bounds nesting by counting brackets wherever they are, so those of a string must add up to none. */
const isBalanced = (text: string): boolean => {
  let depth = 0
  for (const character of text) {
    if (character === "[" || character === "{") depth++
    else if (character === "]" || character === "}") depth--
    if (depth < 0 || depth > 8) return false
  }
  return depth === 0
}

export const quoted = (text: string): string => {
  const json = JSON.stringify(text).replace(ODD, escaped)
  const even = isBalanced(text) ? json : json.replace(/[[\]{}]/g, escaped)
  return even.split(": ", 32).length < 32 ? even : even.replace(/: /g, ":\\u0020")
}

const isPlain = (text: string): boolean => text.length <= 1000 && PLAIN.test(text) && !TAKEN.test(text)

const scalar = (value: unknown): string => {
  if (typeof value === "string") return isPlain(value) ? value : quoted(value)
  if (typeof value === "number") {
    if (Number.isNaN(value)) return ".nan"
    if (!Number.isFinite(value)) return value < 0 ? "-.inf" : ".inf"
    return Object.is(value, -0) ? "-0" : String(value)
  }
  return value === true ? "true" : value === false ? "false" : "null"
}

export const key = (text: string): string =>
  PLAIN_KEY.test(text) && !TAKEN.test(text) && text.length <= 200 ? text : quoted(text)

const isScalar = (value: unknown): boolean => !Array.isArray(value) && !isMapping(value)

/** One line, in brackets. */
const flow = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`
  if (!isMapping(value)) return scalar(value)
  return `{${Object.entries(value)
    .map(([name, item]) => `${quoted(name)}:${flow(item)}`)
    .join(", ")}}`
}

/** The value on the line of its key, if that is where it belongs. */
const inline = (value: unknown, depth: number): string | undefined => {
  if (isScalar(value) || depth >= DEEP) return flow(value)
  if (!Array.isArray(value)) return Object.keys(value as object).length === 0 ? "{}" : undefined
  if (!value.every(isScalar)) return undefined
  const line = flow(value)
  return line.length <= SHORT ? line : undefined
}

const block = (value: unknown, indent: number, depth: number): ReadonlyArray<string> => {
  const pad = " ".repeat(indent)
  if (isMapping(value)) {
    return Object.entries(value).flatMap(([name, item]) => pair(key(name), item, indent, depth))
  }
  return (Array.isArray(value) ? value : []).flatMap((item) => {
    const line = inline(item, depth + 1)
    if (line !== undefined) return [`${pad}- ${line}`]
    const [first = "", ...rest] = block(item, indent + 2, depth + 1)
    return [`${pad}- ${first.slice(indent + 2)}`, ...rest]
  })
}

/** The lines of a key as it is written, and its value. */
const pair = (name: string, value: unknown, indent: number, depth: number): ReadonlyArray<string> => {
  const { line, below } = valueOf(value, indent, depth)
  return [`${" ".repeat(indent)}${name}:${line === undefined ? "" : ` ${line}`}`, ...below]
}

/** What follows a key: on its line, or on the lines below. */
export const valueOf = (
  value: unknown,
  indent: number,
  depth = 0
): { readonly line: string | undefined; readonly below: ReadonlyArray<string> } => {
  const line = inline(value, depth)
  return line === undefined ? { line, below: block(value, indent + 2, depth + 1) } : { line, below: [] }
}

/** The lines of a whole mapping. */
export const lines = (data: { readonly [key: string]: unknown }, indent = 0): ReadonlyArray<string> =>
  block(data, indent, 0)

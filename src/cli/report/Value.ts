/**
 * An answer for a reader. A text is the text; an object has a line for each key, a list one for each item, and a list of
 * small objects of one form is a table.
 */
import { padded, type Terminal, visible, widthOf } from "./Terminal.js"

/** A table wider than this is read worse than lines, however wide a pipe is. */
const WIDEST_TABLE = 120
const MOST_COLUMNS = 8

/** Beyond this, what is inside is one line of JSON. */
const DEEPEST = 20

type Entries = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Entries =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What would be taken for something else than this text, or not be seen whole. */
const AMBIGUOUS = /^$|^\s|\s$|^(?:true|false|null)$|^-?\d[\d.eE+-]*$|^(?:[-|>](?:\s|$)|[[{"'])/

const oneLine = (text: string): string =>
  visible(AMBIGUOUS.test(text) || text.includes("\n") ? JSON.stringify(text) : text)

/** What fits on the line of its key. */
const short = (value: unknown): string | undefined => {
  if (typeof value === "string")
    return value.includes("\n") && value.trim() !== "" ? undefined : oneLine(value)
  if (typeof value !== "object" || value === null) return visible(JSON.stringify(value) ?? String(value))
  return Object.keys(value).length === 0 ? (Array.isArray(value) ? "[]" : "{}") : undefined
}

const indented = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line) => (line === "" ? "" : `  ${line}`))

const textLines = (text: string): ReadonlyArray<string> =>
  visible(text.replaceAll("\r\n", "\n").replace(/\n$/, "")).split("\n")

/** Rows of one form: few keys in all, and nothing that needs lines of its own. What an item has not is blank. */
const rowsOf = (items: ReadonlyArray<unknown>): ReadonlyArray<ReadonlyArray<string>> | undefined => {
  if (items.length < 2 || !items.every(isObject)) return undefined
  const keys = [...new Set(items.flatMap((item) => Object.keys(item)))]
  if (keys.length === 0 || keys.length > MOST_COLUMNS) return undefined
  const rows: ReadonlyArray<ReadonlyArray<string | undefined>> = items.map((item) =>
    keys.map((key) => (Object.hasOwn(item, key) ? short(item[key]) : ""))
  )
  return rows.every(isWhole) ? [keys.map((key) => oneLine(key)), ...rows] : undefined
}

const isWhole = (row: ReadonlyArray<string | undefined>): row is ReadonlyArray<string> =>
  row.every((cell) => cell !== undefined)

const table = (terminal: Terminal, items: ReadonlyArray<unknown>): ReadonlyArray<string> | undefined => {
  const rows = rowsOf(items)
  const [head] = rows ?? []
  if (rows === undefined || head === undefined) return undefined
  const widths = head.map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ""))))
  const width = widths.reduce((sum, one) => sum + one + 2, -2)
  if (width > Math.min(terminal.columns, WIDEST_TABLE)) return undefined
  return rows.map((row, at) => {
    const line = row
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd()
    return at === 0 ? terminal.bold(line) : line
  })
}

/** What stands behind `key:` or `-`, and the lines below it. */
const entry = (
  terminal: Terminal,
  value: unknown,
  depth: number
): { readonly beside: string; readonly below: ReadonlyArray<string> } => {
  const beside = short(value)
  if (beside !== undefined) return { beside: ` ${beside}`, below: [] }
  if (typeof value === "string") return { beside: " |", below: textLines(value) }
  if (depth > DEEPEST) return { beside: ` ${visible(JSON.stringify(value))}`, below: [] }
  return { beside: "", below: lines(terminal, value, depth) }
}

const itemLines = (terminal: Terminal, value: unknown, depth: number): ReadonlyArray<string> => {
  const { below, beside } = entry(terminal, value, depth + 1)
  if (beside !== "") return [`-${beside}`, ...indented(below)]
  const [first = "", ...rest] = below
  return [`- ${first}`, ...indented(rest)]
}

const lines = (terminal: Terminal, value: unknown, depth: number): ReadonlyArray<string> => {
  if (Array.isArray(value)) {
    return table(terminal, value) ?? value.flatMap((item) => itemLines(terminal, item, depth))
  }
  if (!isObject(value)) return [short(value) ?? ""]
  return Object.entries(value).flatMap(([key, one]) => {
    const { below, beside } = entry(terminal, one, depth + 1)
    return [`${terminal.bold(oneLine(key))}:${beside}`, ...indented(below)]
  })
}

/** A pipe gets a text byte for byte; all else ends with a line break. */
export const valueText = (terminal: Terminal, value: unknown): string => {
  if (typeof value === "string") return terminal.isTTY ? `${textLines(value).join("\n")}\n` : value
  const own = short(value)
  return `${own ?? lines(terminal, value, 0).join("\n")}\n`
}

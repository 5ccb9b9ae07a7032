/**
 * Rows for a reader: a mark, a short label, a title and what is to be said of it. A terminal gets them in its width, with
 * the details below; a pipe gets one line a row, whole.
 */
import { padded, type Terminal, visible, widthOf, wrap } from "./Terminal.js"

export type Tone = "red" | "yellow" | "green" | "dim" | "bold"

export type Mark = "good" | "bad" | "warning"

export interface Row {
  readonly mark?: Mark | undefined
  /** A word in a column of its own. */
  readonly label?: string | undefined
  readonly tone?: Tone | undefined
  readonly title: string
  readonly detail?: ReadonlyArray<string> | undefined
}

const marks: Readonly<Record<Mark, { readonly sign: string; readonly tone: Tone }>> = {
  good: { sign: "✓", tone: "green" },
  bad: { sign: "✗", tone: "red" },
  warning: { sign: "!", tone: "yellow" }
}

/** The sign of a mark in its colour. */
export const marked = (terminal: Terminal, mark: Mark): string => terminal[marks[mark].tone](marks[mark].sign)

const oneLine = (text: string): string => visible(text).replaceAll("\n", " ")

const plainRow = ({ detail = [], label, mark, title }: Row): string =>
  [
    ...(mark === undefined ? [] : [marks[mark].sign]),
    [...(label === undefined ? [] : [label]), title, ...detail].map(oneLine).join("  ")
  ].join(" ")

/** What stands in front of the title of a row, as wide in every row. */
interface Columns {
  readonly mark: number
  readonly label: number
}

const columnsOf = (all: ReadonlyArray<Row>): Columns => ({
  mark: all.some(({ mark }) => mark !== undefined) ? 2 : 0,
  label: Math.max(0, ...all.map(({ label }) => (label === undefined ? 0 : widthOf(visible(label)) + 2)))
})

const seenRow =
  (terminal: Terminal, columns: Columns) =>
  ({ detail = [], label, mark, title, tone }: Row): string => {
    const indent = columns.mark + columns.label
    const [first = "", ...rest] = wrap(title, terminal.columns - indent)
    const paint = tone === undefined ? (text: string) => text : terminal[tone]
    const sign = mark === undefined ? " ".repeat(columns.mark) : `${marked(terminal, mark)} `
    const head = `${sign}${columns.label === 0 ? "" : paint(padded(visible(label ?? ""), columns.label))}`
    // A little more to the right than the title, so that what a row is stands out.
    const below = detail.flatMap((text) => wrap(text, terminal.columns - indent - 2))
    return [
      `${head}${terminal.bold(first)}`,
      ...rest.map((line) => `${" ".repeat(indent)}${terminal.bold(line)}`),
      ...below.map((line) => `${" ".repeat(indent + 2)}${line}`)
    ]
      .map((line) => line.trimEnd())
      .join("\n")
  }

/** Ends with a line break, unless there is no row. */
export const rows = (terminal: Terminal, all: ReadonlyArray<Row>): string => {
  const columns = columnsOf(all)
  return all
    .map(terminal.isTTY ? seenRow(terminal, columns) : plainRow)
    .map((row) => `${row}\n`)
    .join("")
}

/** `1 grant`, `2 grants`. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`

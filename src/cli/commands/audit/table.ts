/**
 * The rows of a log for a reader. A terminal gets a table in its width, a day at a time, in which refusals stand out; a
 * pipe gets one line a decision, whole. Everything that is shown was written by strangers.
 */
import { seen } from "../../../policy/text/Quote.js"
import { marked } from "../../report/Table.js"
import { cut, padded, type Terminal, widthOf, wrap } from "../../report/Terminal.js"
import type { Decided, Row, Shown } from "./core/Rows.js"
import { type Column, cellOf, GAP, type Layout, layoutOf, TIME, Widths } from "./layout.js"

const gap = " ".repeat(GAP)

const DAY = 10

const dayOf = (time: string): string => time.slice(0, DAY)

const clockOf = (time: string): string => time.slice(DAY + 1, DAY + 1 + TIME)

/** The end of a path says more than its beginning. */
const cutFront = (text: string, width: number): string => {
  const line = seen(text)
  if (widthOf(line) <= width) return line
  let rest = line
  while (widthOf(rest) > width - 1) rest = rest.slice(Math.max(1, rest.length - width))
  return `…${rest}`
}

const often = ({ times }: Decided): string => (times === 1 ? "" : ` ×${times}`)

const FAILED = "execution_failed"

/** What was asked takes no more of them where it stands alone; a pipe has all of it. */
const MOST_LINES = 4

export class Table {
  private day: string | undefined
  private readonly widths = new Widths()
  private layout: Layout | undefined
  private isLaidOut = false

  constructor(private readonly terminal: Terminal) {}

  /** Columns become as wide as what was seen before the first line needs. */
  see(shown: ReadonlyArray<Shown>): void {
    if (!this.terminal.isTTY) return
    for (const one of shown) if (one._tag === "Row") this.widths.see(one.row)
  }

  /** Ends with a line break. */
  text(shown: ReadonlyArray<Shown>): string {
    return shown
      .flatMap((one) => this.linesOf(one))
      .map((line) => `${line.trimEnd()}\n`)
      .join("")
  }

  private linesOf(shown: Shown): ReadonlyArray<string> {
    const { terminal } = this
    if (shown._tag === "Note") return this.note(shown.text, shown.isWarning)
    if (!terminal.isTTY) return [this.plain(shown.row)]
    if (!this.isLaidOut) {
      this.isLaidOut = true
      this.layout = layoutOf(terminal.columns, this.widths)
    }
    const day = dayOf(shown.row.time)
    const header = day === this.day ? [] : this.header(day)
    this.day = day
    return [
      ...header,
      ...(this.layout === undefined ? this.stacked(shown.row) : this.row(shown.row, this.layout))
    ]
  }

  private note(text: string, isWarning: boolean): ReadonlyArray<string> {
    const { terminal } = this
    const sign = isWarning ? `${marked(terminal, "warning")} ` : terminal.isTTY ? "  " : "- "
    const lines = terminal.isTTY ? wrap(seen(text), terminal.columns - 2) : [seen(text)]
    const paint = isWarning ? terminal.yellow : terminal.dim
    return lines.map((line, at) => `${at === 0 ? sign : "  "}${paint(line)}`)
  }

  private header(day: string): ReadonlyArray<string> {
    const { layout, terminal } = this
    const title = terminal.bold(cut(seen(day), DAY))
    if (layout === undefined || this.day !== undefined) return [title]
    const heads = layout.columns.map(([column, width]) => padded(column, width))
    const last = layout.why === 0 ? ["  asked"] : [padded("  asked", layout.asked), "by, or why not"]
    return [terminal.dim([padded("UTC", TIME), ...heads, ...last].join(gap)), title]
  }

  /** Every cell in every line: whoever searches for one finds the rest beside it. */
  private plain({ decided, ms, result, time, tool, who }: Row): string {
    const cells = [time, who, tool, result, ms === undefined ? "" : `${ms} ms`].map((cell) =>
      cell === "" ? "-" : seen(cell)
    )
    if (decided === undefined) return cells.join(gap)
    const sign = decided.allowed ? "✓" : "✗"
    const asked = `${sign} ${seen(decided.capability)}  ${seen(decided.asked)}${often(decided)}`
    return [...cells, asked, ...(decided.why === "" ? [] : [seen(decided.why)])].join(gap)
  }

  private painted(column: Column, text: string, { decided, isFirst, result }: Row): string {
    const { terminal } = this
    if (column === "result" && result !== "ok") {
      return result === FAILED && decided?.allowed === false ? terminal.red(text) : terminal.yellow(text)
    }
    return column === "tool" && isFirst ? terminal.bold(text) : terminal.dim(text)
  }

  private row(row: Row, layout: Layout): ReadonlyArray<string> {
    const { terminal } = this
    const head = [
      padded(row.isFirst ? seen(clockOf(row.time)) : "", TIME),
      ...layout.columns.map(([column, width]) =>
        row.isFirst
          ? this.painted(column, padded(cut(cellOf(column, row), width), width), row)
          : " ".repeat(width)
      )
    ]
    const { decided } = row
    if (decided === undefined) return [head.join(gap)]
    const times = often(decided)
    const room = layout.asked - 2 - times.length
    const paint = decided.allowed ? (text: string) => text : terminal.red
    const asked = `${marked(terminal, decided.allowed ? "good" : "bad")} ${paint(padded(`${cut(seen(decided.asked), room)}${times}`, layout.asked - 2))}`
    if (layout.why > 0) {
      const why = decided.allowed
        ? terminal.dim(cutFront(decided.why, layout.why))
        : terminal.red(cut(seen(decided.why), layout.why))
      return [[...head, asked, why].join(gap)]
    }
    const line = [...head, asked].join(gap)
    if (decided.allowed || decided.why === "") return [line]
    const indent = layout.columns.reduce((sum, [, width]) => sum + width + GAP, TIME + GAP + 2)
    return [line, `${" ".repeat(indent)}${terminal.red(cut(seen(decided.why), layout.asked - 2))}`]
  }

  /** Where there is no room for columns: the call, and what was asked below it. */
  private stacked(row: Row): ReadonlyArray<string> {
    const { columns, ...terminal } = this.terminal
    const { decided } = row
    const head = [clockOf(row.time), row.tool, row.result].filter((text) => text !== "").join(" ")
    const call = row.isFirst ? [terminal.bold(cut(seen(head), columns))] : []
    if (decided === undefined) return call
    const paint = decided.allowed ? (text: string) => text : terminal.red
    const sign = marked(this.terminal, decided.allowed ? "good" : "bad")
    const asked = wrap(
      `${cut(seen(decided.asked), MOST_LINES * (columns - 4))}${often(decided)}`,
      columns - 4
    )
    return [
      ...call,
      ...asked.map((line, at) => `  ${at === 0 ? sign : " "} ${paint(line)}`),
      ...(decided.allowed || decided.why === ""
        ? []
        : [`    ${terminal.red(cut(seen(decided.why), columns - 4))}`])
    ]
  }
}

/** Which columns a table has, and how wide each is. A narrow terminal has fewer. */
import { seen } from "../../../policy/text/Quote.js"
import { widthOf } from "../../report/Terminal.js"
import type { Row } from "./core/Rows.js"

export type Column = "who" | "tool" | "result" | "took"

const ORDER: ReadonlyArray<Column> = ["who", "tool", "result", "took"]

/** The widest that a column becomes, and that it is worth. */
const MOST: Readonly<Record<Column, number>> = { who: 20, tool: 24, result: 11, took: 8 }

export const TIME = 8
export const GAP = 2

/** What was asked needs so much; the line that allowed it so much more. */
const ASKED = 32
const WHY = 22

const shownMs = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`
}

/** Codes that are long, in a word. */
const short: ReadonlyMap<string, string> = new Map([
  ["execution_failed", "failed"],
  ["input_invalid", "invalid"],
  ["not_available", "unavailable"]
])

export const cellOf = (column: Column, row: Row): string => {
  if (column === "took") return row.ms === undefined ? "" : shownMs(row.ms)
  return column === "result" ? (short.get(row.result) ?? row.result) : seen(row[column])
}

/** How wide the columns have to be for what they hold. */
export class Widths {
  private readonly widest: Record<Column, number> = { who: 0, tool: 4, result: 2, took: 0 }

  see(row: Row): void {
    for (const column of ORDER) {
      const width = Math.min(MOST[column], widthOf(cellOf(column, row)))
      if (width > this.widest[column]) this.widest[column] = width
    }
  }

  of(column: Column): number {
    return this.widest[column]
  }
}

export interface Layout {
  readonly columns: ReadonlyArray<readonly [Column, number]>
  readonly asked: number
  /** 0 where there is no such column: then the code of a refusal stands below it. */
  readonly why: number
}

const layoutWith = (
  width: number,
  widths: Widths,
  kept: ReadonlySet<Column>,
  hasWhy: boolean
): Layout | undefined => {
  const columns = ORDER.filter((column) => kept.has(column) && widths.of(column) > 0).map(
    (column) => [column, widths.of(column)] as const
  )
  const taken = columns.reduce((sum, [, one]) => sum + one + GAP, TIME + GAP)
  const room = width - taken
  if (room < ASKED + (hasWhy ? GAP + WHY : 0)) return undefined
  const why = hasWhy ? Math.max(WHY, Math.min(48, Math.floor(room * 0.4))) : 0
  return { columns, asked: room - (hasWhy ? why + GAP : 0), why }
}

/** The first that fits; below the last, what was asked stands in lines of its own. */
const attempts: ReadonlyArray<readonly [ReadonlyArray<Column>, boolean]> = [
  [["who", "tool", "result", "took"], true],
  [["who", "tool", "result"], true],
  [["who", "tool", "result"], false],
  [["tool", "result"], false]
]

/** Nothing where no table fits. */
export const layoutOf = (width: number, widths: Widths): Layout | undefined => {
  for (const [kept, hasWhy] of attempts) {
    const found = layoutWith(width, widths, new Set(kept), hasWhy)
    if (found !== undefined) return found
  }
  return undefined
}

/** Calls by time, in as many stretches of one length as can be drawn. */
import { type Log, NONE } from "./Log.js"

export interface Bins {
  readonly from: number
  /** How long each is, in milliseconds. */
  readonly width: number
  readonly count: number
  /** For each: calls that were answered well, that failed, and in which something was refused. */
  readonly ok: ReadonlyArray<number>
  readonly failed: ReadonlyArray<number>
  readonly refused: ReadonlyArray<number>
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const WIDTHS = [
  SECOND,
  5 * SECOND,
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  7 * DAY,
  30 * DAY,
  365 * DAY
]

const widthFor = (span: number, most: number): number =>
  WIDTHS.find((width) => span / width <= most - 1) ?? Math.ceil(span / Math.max(1, most - 1))

/** What is not answered counts as well answered until it is. */
const kindOf = ({ calls, strings }: Log, row: number): "ok" | "failed" | "refused" => {
  if ((calls.refused[row] ?? 0) > 0) return "refused"
  const code = calls.code[row] ?? NONE
  return code === NONE || strings[code] === "ok" ? "ok" : "failed"
}

/** `most` is at least two. `offset` is how far the clock of the reader is ahead: days are the reader's. */
export const binsOf = (
  log: Log,
  chosen: Uint8Array,
  [first, last]: readonly [number, number],
  { most, offset }: { readonly most: number; readonly offset: number }
): Bins => {
  const width = widthFor(last - first, most)
  const from = Math.floor((first + offset) / width) * width - offset
  const count = Math.floor((last - from) / width) + 1
  const empty = (): Array<number> => Array.from({ length: count }, () => 0)
  const bins = { ok: empty(), failed: empty(), refused: empty() }
  const { time } = log.calls
  for (let row = 0; row < time.length; row++) {
    if (chosen[row] !== 1) continue
    const at = Math.floor(((time[row] ?? 0) - from) / width)
    const kind = bins[kindOf(log, row)]
    if (at >= 0 && at < count) kind[at] = (kind[at] ?? 0) + 1
  }
  return { from, width, count, ...bins }
}

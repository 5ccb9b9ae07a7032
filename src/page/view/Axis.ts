/** Where the marks of an axis stand, and what they say. */
import { clockTime, clockTimeWithSeconds, day } from "./Words.js"

export interface Mark {
  readonly at: number
  readonly text: string
  /** The beginning of a day. */
  readonly isDay: boolean
}

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000] as const

const STEPS = [
  1 * SECOND,
  5 * SECOND,
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  3 * DAY,
  4 * DAY,
  7 * DAY,
  14 * DAY,
  30 * DAY,
  90 * DAY,
  365 * DAY
]

/** By the reader's clock. */
const midnightBefore = (time: number): number => new Date(time).setHours(0, 0, 0, 0)

export const timeMarks = (from: number, to: number, most: number): ReadonlyArray<Mark> => {
  const step = STEPS.find((one) => (to - from) / one <= most) ?? (to - from) / most
  const start = midnightBefore(from)
  const first = start + Math.ceil((from - start) / step) * step
  const marks: Array<Mark> = []
  for (let at = first; at <= to; at += step) {
    const isDay = midnightBefore(at) === at || step >= DAY
    marks.push({ at, isDay, text: (isDay ? day : step < MINUTE ? clockTimeWithSeconds : clockTime)(at) })
  }
  return marks
}

/** From two to four round numbers above nought, none of them above the highest value; of one alone, that one. */
export const countMarks = (highest: number): ReadonlyArray<number> => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, highest)))
  const steps = [0.2, 0.5, 1, 2, 5].map((one) => one * power).filter((one) => one >= 1)
  const step = steps.find((one) => highest / one <= 4.5) ?? highest
  return Array.from({ length: Math.max(1, Math.floor(highest / step)) }, (_, at) => (at + 1) * step)
}

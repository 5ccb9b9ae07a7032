/**
 * A sign of life for work that takes long: one line on a terminal's standard error, gone when the work is done. A pipe
 * never sees it, and neither does work that is soon over.
 */
import type { ProgressEvent } from "../../tools/Progress.js"
import type { Surroundings } from "../Surroundings.js"
import { cut } from "./Terminal.js"

export interface Progress {
  /** So many are done. */
  readonly at: (done: number) => void
  /** Erases the line; may be called twice. */
  readonly end: () => void
}

const LONG = 2000

const silent: Progress = { at: () => {}, end: () => {} }

const NARROWEST = 20
const USUAL = 80

const ERASED = "\r\u001b[K"

const widthIn = (columns: number | undefined): number => Math.max(NARROWEST, columns || USUAL) - 1

/** `what` is what is done to how many: `reading records`. */
export const progress = ({ stderr }: Pick<Surroundings, "stderr">, what: string, total: number): Progress => {
  if (!stderr.isTTY || total < LONG) return silent
  const width = widthIn(stderr.columns)
  let shown = -1
  return {
    at: (done) => {
      const percent = Math.min(100, Math.floor((done / total) * 100))
      if (percent === shown) return
      shown = percent
      stderr.write(`${ERASED}${cut(`${what}: ${done} of ${total} (${percent}%)`, width)}`)
    },
    end: () => {
      if (shown >= 0) stderr.write(ERASED)
      shown = -1
    }
  }
}

/** What a tool reports while it runs. */
export interface Reporting {
  /** Whether anybody sees it. */
  readonly isShown: boolean
  readonly show: (event: ProgressEvent) => void
  /** Erases the line, and shows no other until the answer is called. */
  readonly quietly: () => () => void
  /** Erases the line for good. */
  readonly end: () => void
}

/** A terminal shows no more than so many milliseconds apart; what comes between is not worth its time. */
const APART = 50

const amount = ({ done, total }: ProgressEvent): string => {
  if (done === undefined) return ""
  if (total === undefined || !(total > 0)) return ` (${done})`
  const percent = Math.min(100, Math.max(0, Math.floor((done / total) * 100)))
  return ` (${done} of ${total}, ${percent}%)`
}

/** `name` is who reports. */
export const reporting = (
  { env, stderr }: Pick<Surroundings, "env" | "stderr">,
  name: string,
  now: () => number = () => performance.now()
): Reporting => {
  const isShown = stderr.isTTY && env.TERM !== "dumb"
  const width = widthIn(stderr.columns)
  let last: number | undefined
  let ended = !isShown
  let quiet = 0
  return {
    isShown,
    show: (event) => {
      const time = now()
      if (ended || quiet > 0 || (last !== undefined && time - last < APART)) return
      last = time
      const counted = amount(event)
      // The count is worth more than the end of a long message.
      const message = cut(`${name}: ${event.message}`, Math.max(1, width - counted.length))
      stderr.write(`${ERASED}${cut(`${message}${counted}`, width)}`)
    },
    quietly: () => {
      if (last !== undefined && !ended && quiet === 0) stderr.write(ERASED)
      quiet++
      return () => {
        quiet--
      }
    },
    end: () => {
      if (last !== undefined && !ended) stderr.write(ERASED)
      ended = true
    }
  }
}

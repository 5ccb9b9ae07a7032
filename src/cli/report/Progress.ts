/**
 * A sign of life for work that takes long: one line on a terminal's standard error, gone when the work is done. A pipe
 * never sees it, and neither does work that is soon over.
 */
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

/** `what` is what is done to how many: `reading records`. */
export const progress = ({ stderr }: Pick<Surroundings, "stderr">, what: string, total: number): Progress => {
  if (!stderr.isTTY || total < LONG) return silent
  const width = Math.max(NARROWEST, stderr.columns || USUAL) - 1
  let shown = -1
  return {
    at: (done) => {
      const percent = Math.min(100, Math.floor((done / total) * 100))
      if (percent === shown) return
      shown = percent
      stderr.write(`\r\u001b[K${cut(`${what}: ${done} of ${total} (${percent}%)`, width)}`)
    },
    end: () => {
      if (shown >= 0) stderr.write("\r\u001b[K")
      shown = -1
    }
  }
}

/** A log as it stands in the file: numbers that grow are written as how much they grow, which takes fewer characters. */
import type { Calls, Decisions, Log } from "./Log.js"

export interface EncodedLog {
  readonly strings: Array<string>
  readonly calls: Calls
  readonly decisions: Decisions
  readonly lost: number
}

const steps = (values: ReadonlyArray<number>): Array<number> =>
  values.map((value, at) => value - (values[at - 1] ?? 0))

const sums = (given: ReadonlyArray<number>): Array<number> => {
  let sum = 0
  return given.map((step) => {
    sum += step
    return sum
  })
}

const mapped = ({ calls, decisions, lost, strings }: EncodedLog, f: typeof steps): EncodedLog => ({
  strings,
  calls: { ...calls, time: f(calls.time), id: f(calls.id) },
  decisions: { ...decisions, time: f(decisions.time), call: f(decisions.call) },
  lost
})

export const encoded = (log: Log): EncodedLog => mapped(log, steps)

export const decoded = (log: EncodedLog): Log => ({ ...mapped(log, sums) })

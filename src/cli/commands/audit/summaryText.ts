/** The lines above a list: how much there is, of when, and what was asked for most. */
import { seen } from "../../../policy/text/Quote.js"
import { count } from "../../report/Table.js"
import { cut, padded, type Terminal, widthOf, wrap } from "../../report/Terminal.js"
import type { Most, Summary } from "./core/Summary.js"
import type { Counted } from "./core/Tally.js"

const SECOND = 1000

const units: ReadonlyArray<readonly [number, string]> = [
  [86_400 * SECOND, "day"],
  [3600 * SECOND, "hour"],
  [60 * SECOND, "minute"],
  [SECOND, "second"]
]

const lengthOf = (ms: number): string => {
  const [size, name] = units.find(([one]) => ms >= one) ?? [SECOND, "second"]
  return count(Math.round(ms / size), name)
}

/** `2026-01-31 09:30:00`: as in the log, and easier to read. */
export const inUtc = (time: string): string => time.slice(0, 19).replace("T", " ")

const span = ({ from, to }: Summary): ReadonlyArray<string> => {
  if (from === undefined || to === undefined) return []
  const length = Date.parse(to) - Date.parse(from)
  return [
    length < SECOND
      ? `at ${inUtc(from)} UTC`
      : `from ${inUtc(from)} to ${inUtc(to)} UTC (${lengthOf(length)})`
  ]
}

const resultsOf = ({ results }: Summary): string => {
  const parts = [...results].map(([code, times]) => `${times} ${code}`)
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`
}

const refusedOf = (terminal: Terminal, { refused }: Summary): string => {
  const text = `${refused} refused`
  return refused === 0 ? text : terminal.red(text)
}

/** A name longer than this would leave no room for the next. */
const LONGEST = 60

const named =
  (isTTY: boolean, isExact: boolean) =>
  ({ asked, name, refused }: Counted): string => {
    const shown = isTTY ? cut(seen(name), LONGEST) : seen(name)
    const often = isExact ? `${asked}` : `at least ${asked}`
    return `${shown} ${often}${refused === 0 ? "" : ` (${refused} refused)`}`
  }

const LABEL = 10

const mostLines = (
  terminal: Terminal,
  label: string,
  { isExact, more, names }: Most
): ReadonlyArray<string> => {
  if (names.length === 0) return []
  const all = [
    ...names.map(named(terminal.isTTY, isExact)),
    ...(more === 0 ? [] : [`${isExact ? "" : "at least "}${more} more`])
  ]
  const [first = "", ...rest] = terminal.isTTY
    ? wrap(all.join(", "), terminal.columns - LABEL)
    : [all.join(", ")]
  return [
    `${terminal.dim(padded(label, LABEL))}${first}`,
    ...rest.map((line) => `${" ".repeat(LABEL)}${line}`)
  ]
}

const warned = (terminal: Terminal, sentences: ReadonlyArray<string>): ReadonlyArray<string> =>
  sentences.flatMap((sentence) => {
    const lines = terminal.isTTY ? wrap(seen(sentence), terminal.columns - 2) : [seen(sentence)]
    return lines.map((line, at) => `${at === 0 ? terminal.yellow("!") : " "} ${line}`)
  })

/** That entries could not be kept, if so. */
export const missing = ({ gaps, lost }: Summary): ReadonlyArray<string> =>
  gaps === 0
    ? []
    : [`${count(lost, "entry", "entries")} could not be kept, in ${count(gaps, "place")} of the log`]

/** Ends with a line break. `warnings` are what is to be known of the files. */
export const summaryText = (
  terminal: Terminal,
  summary: Summary,
  warnings: ReadonlyArray<string>
): string => {
  const { calls, decisions, most } = summary
  const counts = `${count(calls, "call")}${resultsOf(summary)}, ${count(decisions, "decision")}`
  const fits = !terminal.isTTY || widthOf(counts) + 13 <= terminal.columns
  return [
    ...(fits
      ? [`${terminal.bold(counts)}, ${refusedOf(terminal, summary)}`]
      : [...wrap(`${counts},`, terminal.columns).map(terminal.bold), refusedOf(terminal, summary)]),
    ...span(summary).flatMap((line) => (terminal.isTTY ? wrap(line, terminal.columns) : [line])),
    ...mostLines(terminal, "hosts", most.hosts),
    ...mostLines(terminal, "paths", most.paths),
    ...mostLines(terminal, "commands", most.commands),
    ...warned(terminal, [...missing(summary), ...warnings])
  ]
    .map((line) => `${line}\n`)
    .join("")
}

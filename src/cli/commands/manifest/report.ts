/** What a comparison with the lock says, one line for each thing, on a terminal as in the log of a pipeline. */
import * as Manifest from "../../../registry/manifest/Manifest.js"
import { count, marked } from "../../report/Table.js"
import { type Terminal, visible, wrap } from "../../report/Terminal.js"
import type { Unasked } from "../../workspace/Asked.js"

export interface Finding {
  readonly lock: string
  /** There was no lock before. */
  readonly isNew: boolean
  readonly written: boolean
  /** Why nothing can be said of the lock that was there before. */
  readonly lost: string | undefined
  readonly comparison: Manifest.Comparison
  /** The servers and modules that could not be asked what they offer. */
  readonly unasked: ReadonlyArray<Unasked | Silent>
}

/** An isolated module that could not be asked, and why. */
export interface Silent {
  readonly module: string
  readonly reason: string
}

const block = (terminal: Terminal, { lines, passes, title }: Manifest.Told): string =>
  [
    `${marked(terminal, passes ? "warning" : "bad")} ${terminal.bold(title)}`,
    // Whole, however long: what is cut away may be the host that matters.
    ...lines.flatMap((line) =>
      wrap(line, terminal.columns - 4).map(
        (part, at) => `${at === 0 ? "  " : "    "}${paint(terminal, line)(part)}`
      )
    )
  ].join("\n")

const paint = (terminal: Terminal, line: string): ((text: string) => string) => {
  if (line.startsWith("+")) return terminal.red
  return line.startsWith("-") ? terminal.green : terminal.yellow
}

const ACCEPT = "if that is meant, run 'bailiwick manifest', and commit what it writes"

const checked = ({ comparison, isNew, lock }: Finding): string => {
  if (isNew) return `there is no ${lock}; run 'bailiwick manifest', and commit what it writes`
  const wanting = comparison.changes.filter(({ passes }) => !passes).length
  const servers = (comparison.servers ?? []).filter(({ passes }) => !passes).length
  if (wanting + servers > 0) {
    const what = [
      ...(wanting === 0 ? [] : [count(wanting, "tool")]),
      ...(servers === 0 ? [] : [count(servers, "server")])
    ]
    return `${what.join(" and ")} to look at; ${ACCEPT}`
  }
  if (comparison.changes.length + (comparison.servers ?? []).length === 0)
    return `${count(comparison.tools, "tool")}, all as ${lock} has them`
  return `${count(comparison.tools, "tool")}, none of which touches more than ${lock} says; run 'bailiwick manifest' to write down the rest`
}

const written = ({ comparison, isNew, lock, lost, written }: Finding): string => {
  const what = `${lock} with ${count(comparison.tools, "tool")}`
  if (!written) return `${lock} is as it should be: ${count(comparison.tools, "tool")}`
  if (lost !== undefined) return `wrote ${what}; what it held before could not be read (${lost})`
  return isNew ? `wrote ${what}; commit it` : `wrote ${what}; review the change, and commit it`
}

const unaskedOf = (one: Unasked | Silent): Manifest.Told => {
  const [name, what] =
    "server" in one ? [one.server, `the server ${one.server}`] : [one.module, `the module ${one.module}`]
  return {
    tool: name,
    passes: false,
    title: `${what} could not be asked what it offers; its tools stay as they were`,
    lines: [`~ ${visible(one.reason)}`]
  }
}

/** A stranger's tool speaks to models in words that nobody here wrote: they are shown however new all of it is. */
const ofStrangers = ({ changes, servers = [], ...rest }: Manifest.Comparison): Manifest.Comparison => ({
  ...rest,
  servers,
  changes: changes.filter(({ from }) => Object.keys(from).length > 0)
})

/** Where there was no lock, every tool is new, and a list of our own says nothing. */
export const manifestReport = (terminal: Terminal, checks: boolean, found: Finding): string => {
  const isAllNew = found.isNew || found.lost !== undefined
  const told = [
    ...Manifest.report(isAllNew ? ofStrangers(found.comparison) : found.comparison),
    ...found.unasked.map(unaskedOf)
  ]
  const last = checks ? checked(found) : written(found)
  return [...told.map((one) => block(terminal, one)), terminal.bold(visible(last))].join("\n").concat("\n")
}

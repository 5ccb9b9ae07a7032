/** What is said where there is nothing to show: whether there is no log, or what of it was not asked for. */
import { existsSync } from "node:fs"
import type { Asked, Findings } from "./Asked.js"
import { inUtc } from "./summaryText.js"

const WRITERS = "'bailiwick run', 'call', 'mcp serve' and 'runner' write it"

const noLog = ({ log: { from, nameOf, setting } }: Asked): string => {
  if ("files" in from) return `there is no entry in ${from.files.map(nameOf).join(", ") || "what is named"}`
  const place = "database" in from ? "PostgreSQL" : from.directory
  if (setting?.workspace?.audit === "off") {
    return `no audit log is kept: 'audit: off' stands in bailiwick.yaml; without it, ${WRITERS} to ${place}`
  }
  if ("database" in from) return `the audit log in PostgreSQL has no entry yet; ${WRITERS}`
  const { directory } = from
  return existsSync(directory)
    ? `the audit log in ${directory} has no entry yet; ${WRITERS}`
    : `there is no audit log yet; ${WRITERS} to ${directory}`
}

/** Nothing where something was found. What is missing may have been it. */
export const nothing = (asked: Asked, { names, read, summing }: Findings): ReadonlyArray<string> => {
  const { filter } = asked
  const { calls, decisions, gaps } = summing.summary()
  if (calls + decisions > 0) return []
  const absent = names.absent(filter)
  if (absent.length > 0) return absent
  if (gaps > 0) return []
  if (read > 0) return [`of ${read} entries that were read, none is what was asked for`]
  return [
    filter.since === undefined
      ? noLog(asked)
      : `nothing was kept since ${inUtc(new Date(filter.since).toISOString())} UTC`
  ]
}

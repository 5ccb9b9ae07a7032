/** From when on, as somebody writes it: how long ago that was, or a time. */
import { quote } from "../policy/text/Quote.js"
import { CliError } from "./CliError.js"

export type Since =
  /** So many milliseconds before now. */
  | { readonly ago: number }
  /** A time, in milliseconds. */
  | { readonly at: number }

const SECOND = 1000

const units: ReadonlyMap<string, number> = new Map([
  ["s", SECOND],
  ["m", 60 * SECOND],
  ["h", 3600 * SECOND],
  ["d", 86_400 * SECOND],
  ["w", 7 * 86_400 * SECOND]
])

const AGO = /^(\d{1,9})([smhdw])$/

const ISO = /^(\d{4}-(\d\d)-(\d\d))(?:[Tt ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|z|[+-]\d\d:\d\d)?)?$/

/** A time without a zone is in UTC, as the times of the log are. A day that no month has is none. */
const timeOf = (text: string): number | undefined => {
  const [, day, month, date, time = "00:00", zone = "Z"] = ISO.exec(text) ?? []
  if (day === undefined) return undefined
  const midnight = new Date(`${day}T00:00:00Z`)
  if (midnight.getUTCMonth() + 1 !== Number(month) || midnight.getUTCDate() !== Number(date)) return undefined
  const at = Date.parse(`${day}T${time}${zone.toUpperCase()}`)
  return Number.isNaN(at) ? undefined : at
}

/** Throws a `CliError`. */
export const sinceOf = (text: string): Since => {
  const [, amount, unit = ""] = AGO.exec(text) ?? []
  if (amount !== undefined) return { ago: Number(amount) * (units.get(unit) ?? 0) }
  const at = timeOf(text)
  if (at !== undefined) return { at }
  throw new CliError(
    `--since takes how long ago or a time, and ${quote(text)} is neither; write 90s, 15m, 2h, 7d, 2026-01-31 or 2026-01-31T09:30Z`
  )
}

/** In milliseconds. */
export const startOf = (since: Since, now: number): number =>
  "at" in since ? since.at : Math.max(0, now - since.ago)

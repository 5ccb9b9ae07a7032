/** What the address says after its `#`: filters, and which part of the page is looked at. */
import { type Filters, readFilters, writeFilters } from "../log/Filters.js"

export const sections = ["may", "did", "unused", "tools", "decisions"] as const

export type Section = (typeof sections)[number]

export interface Address {
  readonly filters: Filters
  readonly at: Section | undefined
}

export const readAddress = (hash: string): Address => {
  const given = new URLSearchParams(hash.replace(/^#/, ""))
  return { filters: readFilters(given), at: sections.find((name) => name === given.get("at")) }
}

/** With its `#`, or empty where there is nothing to say. */
export const writeAddress = ({ at, filters }: Address): string => {
  const all = writeFilters(filters)
  if (at !== undefined) all.set("at", at)
  return all.size === 0 ? "" : `#${all}`
}

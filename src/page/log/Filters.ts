/** What of the log is looked at, and how that is written in the address of the page. Whoever made a link is a stranger. */
export interface Filters {
  /** The id of an agent or of a personality. */
  readonly agent: string
  readonly tool: string
  readonly capability: string
  readonly session: string
  readonly denied: boolean
  /** `2h`, `7d`, or a time; empty for all. */
  readonly since: string
  readonly until: string
  /** Words, each of which must be somewhere. */
  readonly q: string
}

export const noFilters: Filters = {
  agent: "",
  tool: "",
  capability: "",
  session: "",
  denied: false,
  since: "",
  until: "",
  q: ""
}

const texts = ["agent", "tool", "capability", "session", "q"] as const

const LONGEST = 512

/** Nothing that is not seen, and not more than anybody would write. */
const clean = (text: string): string => text.replace(/\p{C}/gu, "").slice(0, LONGEST)

const UNITS = new Map([
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
  ["w", 604_800_000]
])

const SPAN = /^(\d{1,5})([mhdw])$/

const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/

const isTime = (text: string): boolean => TIME.test(text) && !Number.isNaN(Date.parse(text))

/** In milliseconds; nothing for what is no time. */
export const timeOf = (text: string, now: number): number | undefined => {
  const [, count, unit = ""] = SPAN.exec(text) ?? []
  if (count !== undefined) return now - Number(count) * (UNITS.get(unit) ?? 0)
  return isTime(text) ? Date.parse(text) : undefined
}

const time = (given: string | null): string => {
  const text = given ?? ""
  return isTime(text) || SPAN.test(text) ? text : ""
}

export const readFilters = (given: URLSearchParams): Filters => ({
  ...noFilters,
  ...Object.fromEntries(texts.map((name) => [name, clean(given.get(name) ?? "")])),
  denied: given.get("denied") === "1",
  since: time(given.get("since")),
  until: time(given.get("until"))
})

/** Only what is set is written. */
export const writeFilters = (filters: Filters): URLSearchParams => {
  const all = new URLSearchParams()
  for (const name of [...texts, "since", "until"] as const)
    if (filters[name] !== "") all.set(name, filters[name])
  if (filters.denied) all.set("denied", "1")
  return all
}

export const isFiltered = (filters: Filters): boolean => writeFilters(filters).size > 0

/** Text of others as a page may show it: what a reader would not see is written out, and nothing is without end. */
import { seen } from "../../../../policy/text/Quote.js"

/** The log has no more of what was asked. */
const LONGEST = 4_200

const ORDINARY = /^[\x20-\x7e]*$/

const plain = (text: string): string => {
  if (text.length > LONGEST) return seen(`${text.slice(0, LONGEST)}…`)
  return ORDINARY.test(text) ? text : seen(text)
}

/** The same value where nothing of it has to be changed: most texts are ordinary. */
const ofValue = (value: unknown): unknown => {
  if (typeof value === "string") return plain(value)
  if (Array.isArray(value)) return value.map(ofValue)
  if (typeof value !== "object" || value === null) return value
  let changed: Record<string, unknown> | undefined
  for (const [key, one] of Object.entries(value)) {
    const made = ofValue(one)
    if (made === one) continue
    changed ??= { ...value }
    changed[key] = made
  }
  return changed ?? value
}

/** The same shape with every text as it may be shown; lines are named by their path in the workspace. */
export const inPage = (root: string | undefined) => {
  const start = root === undefined ? undefined : `${root}/`
  const nearby = (by: string, from: string): string =>
    by
      .split(", ")
      .map((place) => (place.startsWith(from) ? place.slice(from.length) : place))
      .join(", ")
  return <A extends object>(given: A): A => {
    const made = ofValue(given) as A & { readonly by?: string }
    return start !== undefined && made.by?.includes(start) === true
      ? { ...made, by: nearby(made.by, start) }
      : made
  }
}

/** The headers that go on, with their order, case and number. Those of a connection are the proxy's own. */

import { isOfConnection } from "../../../../capabilities/network/ConnectionHeaders.js"

/** Name, value, name, value, as Node has them. */
export type Raw = ReadonlyArray<string>

export const namesOf = (raw: Raw): ReadonlyArray<string> => raw.filter((_, index) => index % 2 === 0)

/** What a Connection header names is of the connection too. */
const namedIn = (raw: Raw): ReadonlySet<string> =>
  new Set(
    raw.flatMap((value, index) =>
      index % 2 === 1 && raw[index - 1]?.toLowerCase() === "connection"
        ? value.split(",").map((name) => name.trim().toLowerCase())
        : []
    )
  )

/** Without those of the connection, and without `dropped`. */
export const forwarded = (raw: Raw, dropped?: string): Array<string> => {
  const named = namedIn(raw)
  const kept: Array<string> = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? ""
    const value = raw[at + 1] ?? ""
    const lower = name.toLowerCase()
    // What says how long a body is stays, whatever is written about it.
    const isKept = lower === "content-length" || !named.has(lower)
    if (isKept && lower !== dropped && !isOfConnection(lower)) {
      kept.push(name, value)
    }
  }
  return kept
}

/** About how many bytes they are. */
export const sizeOf = (raw: Raw): number => raw.reduce((sum, text) => sum + text.length + 2, 0)

/** A value as it must be written where it is put, so that it stays one value there; or why it cannot be. */
import { Either } from "effect"

export type Written = Either.Either<string, string>

/** A line, a header or a part of a body would end there, and the rest of the value be something of its own. */
const BREAKS = /[\r\n\0]/

/** What HTTP carries in a header; what is beyond would be changed on the way. */
const HEADER = /^[\t\x20-\x7e\x80-\xff]*$/

export const inHeader = (value: string): Written =>
  HEADER.test(value) && !BREAKS.test(value)
    ? Either.right(value)
    : Either.left("the secret holds what no header can carry")

/** All but letters, digits and `- . _ ~`. */
export const percent = (value: string): string =>
  encodeURIComponent(value).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

/** Half a character has no encoding. */
const isWhole = (value: string): boolean => !/\p{Surrogate}/u.test(value)

export const inUrl = (value: string): Written =>
  isWhole(value) ? Either.right(percent(value)) : Either.left("the secret is not whole text")

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&apos;"]
])

/** Also of several, line by line. */
const JSON_TYPE = /[/+](?:x-)?(?:nd|ld)?json(?:l|5|lines|-seq|-patch)?$/

/** As the type of the body wants it; what has no way to escape takes what needs none. */
export const inBody = (type: string | undefined, value: string): Written => {
  const media = (type ?? "").split(";")[0]?.trim().toLowerCase() ?? ""
  if (!isWhole(value)) return Either.left("the secret is not whole text")
  if (JSON_TYPE.test(media)) {
    return Either.right(JSON.stringify(value).slice(1, -1))
  }
  if (media === "application/x-www-form-urlencoded") return Either.right(percent(value))
  if (BREAKS.test(value))
    return Either.left("the secret holds a line break, which would end its place in the body")
  if (media === "application/xml" || media === "text/xml" || media.endsWith("+xml")) {
    return Either.right(value.replace(/[&<>"']/g, (one) => ENTITIES.get(one) ?? one))
  }
  // A boundary ends a part at the beginning of a line alone. To refuse a value that holds one would tell a tool, which
  // chooses it, what the value holds.
  return Either.right(value)
}

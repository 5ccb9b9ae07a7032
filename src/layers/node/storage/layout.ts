/** How texts lie in the tables. */
import type { Value } from "./connection.js"

/** Half of a surrogate pair, which UTF-8 cannot hold. */
const half = /\p{Surrogate}/u

/** As text, but for what would not come back as it was: a NUL, where one driver ends, and half of a character. */
export const encode = (value: string): Value =>
  value.includes("\0") || half.test(value) ? Buffer.from(value, "utf16le") : value

export const decode = (value: Value | undefined): string =>
  value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("utf16le")
    : String(value)

const LAST = 0x10ffff
const BEFORE_SURROGATES = 0xd7ff
const AFTER_SURROGATES = 0xe000

/** The first text after all that begin with this one, in the order of UTF-8; none after the last. */
export const endOf = (prefix: string): string | undefined => {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  while (points.length > 0) {
    const last = points.pop()
    if (last === undefined || last === LAST) continue
    const next = last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1
    return String.fromCodePoint(...points, next)
  }
  return undefined
}

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

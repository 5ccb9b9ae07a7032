/** Every user downloads it, and every machine that builds theirs does so again. */
const atMost = 1024 * 1024

const inBytes = (number: number): string => number.toLocaleString("en")

export const sizeInWords = (packed: number): string => `${inBytes(packed)} of ${inBytes(atMost)} bytes`

export const checkSize = (packed: number): ReadonlyArray<string> =>
  packed <= atMost ? [] : [`the tarball has ${inBytes(packed)} bytes; at most are ${inBytes(atMost)}`]

/** Files as lines of text. */

/** A file with NUL near its start is not text. */
const SNIFFED = 8192

export const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, SNIFFED).includes(0)

/** A line break ends a line, and begins no other. */
export const linesOf = function* (text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const found = text.indexOf("\n", from)
    const end = found < 0 ? text.length : found
    yield text.slice(from, text[end - 1] === "\r" && end > from ? end - 1 : end)
    from = end + 1
  }
}

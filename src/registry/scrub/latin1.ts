/** Bytes as text that has one character for each, and back without what must not be shown. */
import type { Span } from "./spans.js"

const ASTERISK = 0x2a

/** How many characters one call may be given as arguments. */
const CHUNK = 8192

export const latin1 = (bytes: Uint8Array): string => {
  const chunks: Array<string> = []
  for (let start = 0; start < bytes.length; start += CHUNK) {
    chunks.push(String.fromCharCode(...bytes.subarray(start, start + CHUNK)))
  }
  return chunks.join("")
}

/** Asterisks, so that what follows stays where it was. */
export const masked = (bytes: Uint8Array, spans: ReadonlyArray<Span>): Uint8Array => {
  const copy = Uint8Array.from(bytes)
  for (const [start, end] of spans) copy.fill(ASTERISK, start, end)
  return copy
}

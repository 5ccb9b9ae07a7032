/** The text of a body, in the character set that it says it is in. */

const labelIn = (text: string): string | undefined => /charset\s*=\s*["']?\s*([\w:.-]{1,40})/i.exec(text)?.[1]

/** A page may say so itself, near its beginning. */
const MARKED = 1024

export const markOf = (bytes: Uint8Array): string | undefined => {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8"
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be"
  return bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : undefined
}

const saidInPage = (bytes: Uint8Array): string | undefined => {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, MARKED))
  const meta = /<meta[^>]*charset[^>]*>/i.exec(start)?.[0]
  const label = meta === undefined ? undefined : labelIn(meta)
  // Whoever can be read as ASCII so far is not in two bytes to a character.
  return label?.toLowerCase().startsWith("utf-16") ? "utf-8" : label
}

/** What windows-1252 has from 0x80 on, where some decoders leave control characters. */
const WESTERN = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

/** A text, and what to say of it where it is not quite what was sent. */
export interface Decoded {
  readonly text: string
  readonly note?: string
}

const encodingOf = (label: string): string | undefined => {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

const western = (text: string): string =>
  text.replace(/[\u0080-\u009f]/g, (one) => WESTERN.charAt(one.charCodeAt(0) - 0x80))

const LOSS = "U+FFFD stands for what could not be read; ask with as raw for the bytes"

/** A character set that is not known is taken for UTF-8. */
const decode = (bytes: Uint8Array, label: string): Decoded => {
  const known = encodingOf(label)
  const encoding = known ?? "utf-8"
  const why =
    known === undefined ? "its character set is not known, and it is not UTF-8" : `it is not all ${encoding}`
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    return { text: encoding === "windows-1252" ? western(text) : text }
  } catch {
    return { text: new TextDecoder(encoding).decode(bytes), note: `${why}; ${LOSS}` }
  }
}

export const decoded = (bytes: Uint8Array, contentType: string, isPage: boolean): Decoded => {
  const label = markOf(bytes) ?? labelIn(contentType) ?? (isPage ? saidInPage(bytes) : undefined) ?? "utf-8"
  return decode(bytes, label)
}

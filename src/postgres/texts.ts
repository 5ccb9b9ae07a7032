/** Texts as bytes, and the ends of ranges of texts. */

/** Half of a surrogate pair, which UTF-8 cannot hold. */
const half = /\p{Surrogate}/u

/** Stands in no UTF-8: what follows it is in UTF-16. */
const WIDE = Buffer.of(0xff)

/** One spelling for each text: two values are the same when their bytes are. */
export const encode = (text: string): Buffer =>
  half.test(text) ? Buffer.concat([WIDE, Buffer.from(text, "utf16le")]) : Buffer.from(text)

export const decode = (bytes: unknown): string => {
  if (!(bytes instanceof Uint8Array)) return ""
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return buffer[0] === WIDE[0] ? buffer.subarray(1).toString("utf16le") : buffer.toString("utf8")
}

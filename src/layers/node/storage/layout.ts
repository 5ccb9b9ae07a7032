/**
 * How entries lie in the database. A key is the length of its namespace, the namespace and the key itself: wherever
 * a namespace ends is written before it begins, so no two pairs are the same bytes. A value is how its text is
 * encoded, when it expires, and the text.
 */

const NAMESPACE_LENGTH = 2
const HEADER = 9
const EXPIRES_AT = 1
const MOMENT = 8

const UTF8 = 1
/** For text with half of a surrogate pair, which UTF-8 cannot hold. */
const UTF16 = 2
const half = /\p{Surrogate}/u

/** Above every byte of UTF-8. */
const AFTER_ALL_TEXT = Buffer.from([0xff])

export interface Range {
  readonly start: Buffer
  readonly end: Buffer
}

export const prefixOf = (namespace: string): Buffer => {
  const text = Buffer.from(namespace, "utf8")
  const length = Buffer.alloc(NAMESPACE_LENGTH)
  length.writeUInt16BE(text.length)
  return Buffer.concat([length, text])
}

export const keyIn = (namespacePrefix: Buffer, key: string): Buffer =>
  Buffer.concat([namespacePrefix, Buffer.from(key, "utf8")])

export const rangeIn = (namespacePrefix: Buffer, prefix: string): Range => {
  const start = keyIn(namespacePrefix, prefix)
  return { start, end: Buffer.concat([start, AFTER_ALL_TEXT]) }
}

export const nameIn = (namespacePrefix: Buffer, key: Buffer): string =>
  key.toString("utf8", namespacePrefix.length)

/** An entry without its time, which is known only once the write is under way. */
export const encode = (value: string): Buffer => {
  const asUtf16 = half.test(value)
  const text = Buffer.from(value, asUtf16 ? "utf16le" : "utf8")
  const entry = Buffer.allocUnsafe(HEADER + text.length)
  entry[0] = asUtf16 ? UTF16 : UTF8
  entry.set(text, HEADER)
  return entry
}

export const setExpires = (entry: Buffer, expires: number): void => {
  entry.writeDoubleBE(expires, EXPIRES_AT)
}

export const expiresOf = (entry: Buffer): number => entry.readDoubleBE(EXPIRES_AT)

export const decode = (entry: Buffer): string =>
  entry.toString(entry[0] === UTF16 ? "utf16le" : "utf8", HEADER)

/** Positive doubles sort as their bytes do, so the first in the index is the first to expire. */
export const expiryKey = (expires: number, key: Buffer): Buffer => {
  const moment = Buffer.allocUnsafe(MOMENT)
  moment.writeDoubleBE(expires)
  return Buffer.concat([moment, key])
}

export const expiredBy = (now: number): Range => ({
  start: Buffer.alloc(MOMENT),
  end: expiryKey(now, AFTER_ALL_TEXT)
})

export const keyOfExpiry = (key: Buffer): Buffer => key.subarray(MOMENT)

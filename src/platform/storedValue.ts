/**
 * Text and bytes in a store of text. Text stays as it is, so that those who use `Storage` itself read the same. Bytes have a
 * mark before them, and so has the rare text that begins like a mark.
 */
import { Either, Encoding } from "effect"

const BYTES = "\u0000base64,"
const TEXT = "\u0000text,"

export type Value = string | Uint8Array

export const encode = (value: Value): string => {
  if (typeof value !== "string") return BYTES + Encoding.encodeBase64(value)
  return value.startsWith(BYTES) || value.startsWith(TEXT) ? TEXT + value : value
}

/** What only looks like bytes is text: somebody else wrote it. */
export const decode = (stored: string): Value => {
  if (stored.startsWith(TEXT)) return stored.slice(TEXT.length)
  if (!stored.startsWith(BYTES)) return stored
  return Either.getOrElse(Encoding.decodeBase64(stored.slice(BYTES.length)), () => stored)
}

/** As the platform's own stores have it: bytes are read as text in Base64, and text as bytes in UTF-8. */
export const textOf = (value: Value): string =>
  typeof value === "string" ? value : Encoding.encodeBase64(value)

const encoder = new TextEncoder()

export const toBytes = (value: Value): Uint8Array =>
  typeof value === "string" ? encoder.encode(value) : value

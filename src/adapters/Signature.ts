/**
 * How platforms prove that a request is theirs, compared in a time that tells nothing of what was expected.
 *
 * @since 0.1.0
 */
import { createHash, createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from "node:crypto"

const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest()

/**
 * Whether two texts are the same. How long it takes depends on neither.
 *
 * @since 0.1.0
 * @category deciding
 */
export const sameText = (given: string, expected: string): boolean =>
  expected !== "" && timingSafeEqual(digest(given), digest(expected))

/**
 * Whether a signature is the HMAC-SHA256 of some bytes, in hexadecimal.
 *
 * @since 0.1.0
 * @category deciding
 */
export const isHmac = (
  signature: string,
  key: string,
  ...parts: ReadonlyArray<string | Uint8Array>
): boolean => {
  const mac = createHmac("sha256", key)
  for (const part of parts) mac.update(part)
  return key !== "" && sameText(signature.toLowerCase(), mac.digest("hex"))
}

/** What goes before the 32 bytes of an Ed25519 key, so that it is one in DER. */
const ED25519 = Buffer.from("302a300506032b6570032100", "hex")

/**
 * An Ed25519 key of 32 bytes in hexadecimal; nothing for what is none.
 *
 * @since 0.1.0
 * @category constructors
 */
export const publicKey = (hex: string): KeyObject | undefined =>
  /^[0-9a-f]{64}$/i.test(hex)
    ? createPublicKey({ key: Buffer.concat([ED25519, Buffer.from(hex, "hex")]), format: "der", type: "spki" })
    : undefined

/**
 * Whether a signature in hexadecimal is that of an Ed25519 key over some bytes.
 *
 * @since 0.1.0
 * @category deciding
 */
export const isEd25519 = (
  signature: string,
  key: KeyObject,
  ...parts: ReadonlyArray<string | Uint8Array>
): boolean =>
  /^[0-9a-f]{128}$/i.test(signature) &&
  verify(
    null,
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "utf8") : part))),
    key,
    Buffer.from(signature, "hex")
  )

/** How far the clock of a platform may be from ours, and how old a request may be. */
const WINDOW_SECONDS = 300

/**
 * Whether the time that a request was signed at, in seconds, is close enough to now to be taken.
 *
 * @since 0.1.0
 * @category deciding
 */
export const isTimely = (timestamp: string, nowMillis: number): boolean =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(nowMillis / 1000 - Number(timestamp)) <= WINDOW_SECONDS

/**
 * For how long a signature must be remembered so that no request is taken twice while its time is good.
 *
 * @since 0.1.0
 * @category defaults
 */
export const MEMORY_MILLIS: number = 2 * WINDOW_SECONDS * 1000

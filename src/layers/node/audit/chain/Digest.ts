/** Digests of a chain. The key is used for them alone, and is in nothing that is written. */
import { createHash, createHmac, createSecretKey, type KeyObject } from "node:crypto"
import { Redacted } from "effect"

const PURPOSE = "bailiwick audit chain 1"

/** Of the secret, for this use only: what is made with it says nothing about another use of the same secret. */
export const keyOf = (secret: Redacted.Redacted<string>): KeyObject =>
  createSecretKey(createHmac("sha256", Redacted.value(secret)).update(PURPOSE).digest())

/** What stands before the first line of a writer. */
export const NOTHING = Buffer.alloc(32).toString("base64url")

export const macOf = (key: KeyObject, before: string, signed: string | Uint8Array): string =>
  createHmac("sha256", key).update(before).update(signed).digest("base64url")

export const digestOf = (bytes: string | Uint8Array): string =>
  createHash("sha256").update(bytes).digest("base64url")

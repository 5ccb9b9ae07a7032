/**
 * Texts that only who has the key has written, and, where that is wanted, only who has it can read. Each is bound to what
 * it is for: a reply is no turn, and what was sealed for one session opens in no other.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto"
import { Either } from "effect"
import { isSame, type Key, type Keyring } from "./Keys.js"

/** Why a text is not opened. It says nothing of what is in it. */
export const reasons = [
  "not of this cluster",
  "of a key that is not known here",
  "not encrypted",
  "altered"
] as const

export type Unsealed = (typeof reasons)[number]

const [PLAIN, ENCRYPTED] = ["1m", "1e"] as const

const NONCE = Buffer.alloc(12)
const SALT = 32
const TAG = 16
const MAC = 32

/** With lengths, so that two fields never read as two others. */
const bound = (purpose: ReadonlyArray<string>): Buffer => Buffer.from(JSON.stringify(purpose), "utf8")

const macOf = ({ mac }: Key, purpose: ReadonlyArray<string>, body: Buffer): Buffer => {
  const head = bound(purpose)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(head.length)
  return createHmac("sha256", mac).update(length).update(head).update(body).digest()
}

/** A key for each text: no number is ever used twice with one. */
const once = (rest: Buffer, salt: Buffer): Buffer => createHmac("sha256", rest).update(salt).digest()

const encrypted = (rest: Buffer, purpose: ReadonlyArray<string>, body: Buffer): Buffer => {
  const salt = randomBytes(SALT)
  const cipher = createCipheriv("aes-256-gcm", once(rest, salt), NONCE)
  cipher.setAAD(bound(purpose))
  const text = Buffer.concat([cipher.update(body), cipher.final()])
  return Buffer.concat([salt, cipher.getAuthTag(), text])
}

const decrypted = (rest: Buffer, purpose: ReadonlyArray<string>, sealed: Buffer): Buffer | undefined => {
  const [salt, tag, text] = [
    sealed.subarray(0, SALT),
    sealed.subarray(SALT, SALT + TAG),
    sealed.subarray(SALT + TAG)
  ]
  if (tag.length !== TAG) return undefined
  const decipher = createDecipheriv("aes-256-gcm", once(rest, salt), NONCE)
  decipher.setAAD(bound(purpose))
  decipher.setAuthTag(tag)
  try {
    return Buffer.concat([decipher.update(text), decipher.final()])
  } catch {
    return undefined
  }
}

export const seal = ([key]: Keyring, purpose: ReadonlyArray<string>, text: string): string => {
  const body = Buffer.from(text, "utf8")
  return key.rest === undefined
    ? `${PLAIN}.${key.id}.${Buffer.concat([macOf(key, purpose, body), body]).toString("base64url")}`
    : `${ENCRYPTED}.${key.id}.${encrypted(key.rest, purpose, body).toString("base64url")}`
}

export const open = (
  keys: Keyring,
  purpose: ReadonlyArray<string>,
  sealed: string
): Either.Either<string, Unsealed> => {
  const [mode, id, text, ...more] = sealed.split(".")
  if ((mode !== PLAIN && mode !== ENCRYPTED) || text === undefined || more.length > 0)
    return Either.left("not of this cluster")
  const key = keys.find((one) => one.id === id)
  if (key === undefined) return Either.left("of a key that is not known here")
  const bytes = Buffer.from(text, "base64url")
  if (mode === ENCRYPTED) {
    if (key.rest === undefined) return Either.left("of a key that is not known here")
    const body = decrypted(key.rest, purpose, bytes)
    return body === undefined ? Either.left("altered") : Either.right(body.toString("utf8"))
  }
  // Whoever encrypts takes nothing that is not: else it would be enough to leave the encryption off.
  if (key.rest !== undefined) return Either.left("not encrypted")
  const body = bytes.subarray(MAC)
  return isSame(bytes.subarray(0, MAC), macOf(key, purpose, body))
    ? Either.right(body.toString("utf8"))
    : Either.left("altered")
}

/**
 * The keys of a cluster, made of secrets that the secrets backend has. Each use has a key of its own, so that what was
 * sealed for one is not taken for another.
 */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto"
import { Effect, Redacted } from "effect"
import type { SecretsBackend } from "../../capabilities/secrets/SecretsBackend.js"
import { hostSecret } from "../../layers/node/secrets/HostSecret.js"
import { quote } from "../../policy/text/Quote.js"
import { ClusterError } from "../ClusterError.js"

/** What is shorter can be guessed by whoever has heard one message. */
const SHORTEST = 32

/** One key, and the name by which both sides mean it: it says nothing of the key. */
export interface Key {
  readonly id: string
  readonly mac: Buffer
  readonly frames: Buffer
  /** Where messages are encrypted at rest, too. */
  readonly rest: Buffer | undefined
}

/** The first is used; the others are still understood, so that a key can be changed while runners run. */
export type Keyring = readonly [Key, ...ReadonlyArray<Key>]

const derived = (secret: string, use: string): Buffer =>
  Buffer.from(hkdfSync("sha256", Buffer.from(secret, "utf8"), "bailiwick/cluster/1", use, 32))

/** Who encrypts needs both secrets: either alone opens nothing. */
export const keyOf = (secret: string, encryption?: string | undefined): Key => ({
  id: derived(secret, "id").subarray(0, 6).toString("base64url"),
  mac: derived(secret, "mac"),
  frames: derived(secret, "frames"),
  rest:
    encryption === undefined
      ? undefined
      : createHmac("sha256", derived(encryption, "rest")).update(derived(secret, "rest")).digest()
})

export const isSame = (a: Uint8Array, b: Uint8Array): boolean =>
  a.byteLength === b.byteLength && timingSafeEqual(a, b)

const secretOf = (ref: string): Effect.Effect<Redacted.Redacted<string>, ClusterError, SecretsBackend> => {
  const trouble = (detail: string) =>
    new ClusterError({ code: "KEY_MISSING", detail: `the key ${quote(ref)} of the cluster ${detail}` })
  return Effect.filterOrFail(
    Effect.mapError(hostSecret(ref, "cluster"), trouble),
    (secret) => Redacted.value(secret).length >= SHORTEST,
    () => trouble(`is shorter than ${SHORTEST} characters; give it a long random value`)
  )
}

export interface KeyRefs {
  /** The ref of the secret, or of several: the first is used, the others are still understood. */
  readonly key: string | ReadonlyArray<string>
  readonly encryption?: string | undefined
}

export const read = ({ encryption, key }: KeyRefs): Effect.Effect<Keyring, ClusterError, SecretsBackend> =>
  Effect.gen(function* () {
    const rest = encryption === undefined ? undefined : yield* secretOf(encryption)
    const refs = typeof key === "string" ? [key] : key
    const [first, ...others] = yield* Effect.forEach(refs, (ref) =>
      Effect.map(secretOf(ref), (secret) =>
        keyOf(Redacted.value(secret), rest === undefined ? undefined : Redacted.value(rest))
      )
    )
    return first === undefined
      ? yield* new ClusterError({ code: "KEY_MISSING", detail: "the cluster has no key; name a secret" })
      : [first, ...others]
  })

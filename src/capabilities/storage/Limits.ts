/** What every store refuses, whatever it is kept in: the same key means the same entry in each of them. */
import { Effect } from "effect"
import type { Storage } from "./Storage.js"
import { lifetimeRefused, StorageError } from "./StorageOperations.js"

const MAX_KEY_BYTES = 1024
const MAX_NAMESPACE_BYTES = 512

export const MAX_VALUE_BYTES = 1_048_576

const encoder = new TextEncoder()

/** A character takes one to three bytes, so most texts need no counting. */
const longerThan = (text: string, bytes: number): boolean =>
  text.length * 3 > bytes && encoder.encode(text).length > bytes

/** Half of a surrogate pair: it has no bytes of its own in UTF-8, so two such keys would be one. */
const half = /\p{Surrogate}/u

const odd = (text: string): string | undefined =>
  text.includes("\0")
    ? "holds a NUL character; leave it out"
    : half.test(text)
      ? "holds half of a character (an unpaired surrogate); leave it out"
      : undefined

/** Types are gone when a call comes from plain JavaScript or over a wire. */
const isText = (given: unknown): boolean => typeof given === "string"

const wrongKey = (key: string): string | undefined =>
  !isText(key)
    ? "the key is not text"
    : key === ""
      ? "the key is empty; name one"
      : longerThan(key, MAX_KEY_BYTES)
        ? `the key is longer than ${MAX_KEY_BYTES} bytes; use a shorter one, such as a digest of it`
        : said("the key", odd(key))

const wrongNamespace = (namespace: string): string | undefined =>
  longerThan(namespace, MAX_NAMESPACE_BYTES)
    ? `the name of the tool, session or personality is longer than ${MAX_NAMESPACE_BYTES - 12} bytes; use a shorter one`
    : said("the name of the tool, session or personality", odd(namespace))

const said = (subject: string, words: string | undefined): string | undefined =>
  words === undefined ? undefined : `${subject} ${words}`

const wrongValue = (value: string | null, max: number): string | undefined =>
  value !== null && !isText(value)
    ? "the value is not text; encode it, as JSON for one"
    : value !== null && longerThan(value, max)
      ? `the value is longer than ${max} bytes; keep what is larger in a file, and its path here`
      : undefined

const refuse = (code: StorageError["code"], detail: string) => new StorageError({ code, detail })

/** Whether a namespace can be kept at all. */
export const namespaceRefused = (namespace: string): StorageError | undefined => {
  const wrong = wrongNamespace(namespace)
  return wrong === undefined ? undefined : refuse("KEY_INVALID", wrong)
}

/** Operations that are reached only by keys and values that every store can keep. */
export const checked = (
  namespace: string,
  operations: Storage.Operations,
  maxValueBytes: number
): Storage.Operations => {
  const refused = namespaceRefused(namespace)
  const withKey = <A>(key: string, run: () => Effect.Effect<A, StorageError>) =>
    Effect.suspend(() => {
      if (refused !== undefined) return refused
      const wrong = wrongKey(key)
      return wrong === undefined ? run() : refuse("KEY_INVALID", wrong)
    })
  const withValue = <A>(
    { key, ttlSeconds, value }: { key: string; value: string | null; ttlSeconds?: number },
    run: () => Effect.Effect<A, StorageError>
  ) =>
    withKey(key, () => {
      const wrong = wrongValue(value, maxValueBytes)
      return wrong === undefined ? (lifetimeRefused(ttlSeconds) ?? run()) : refuse("VALUE_INVALID", wrong)
    })
  return {
    get: (payload) => withKey(payload.key, () => operations.get(payload)),
    set: (entry) => withValue(entry, () => operations.set(entry)),
    delete: (payload) => withKey(payload.key, () => operations.delete(payload)),
    compareAndSet: (swap) => withValue(swap, () => operations.compareAndSet(swap)),
    list: (payload) =>
      payload.prefix === ""
        ? (refused ?? operations.list(payload))
        : withKey(payload.prefix, () => operations.list(payload))
  }
}

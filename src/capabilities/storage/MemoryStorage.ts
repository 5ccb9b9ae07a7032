/**
 * A store in the memory of this process, gone with it.
 *
 * @since 0.1.0
 */
import { Effect, Layer } from "effect"
import { checked, MAX_VALUE_BYTES } from "./Limits.js"
import { memoryStorage } from "./memory.js"
import { type Quota, quotaOf } from "./Quota.js"
import type { Storage } from "./Storage.js"
import { StorageBackend } from "./StorageBackend.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** How long a value may be, in bytes of UTF-8: 1 MiB unless given. */
  readonly maxValueBytes?: number | undefined
  /** How much each tool, session or personality may keep: 100,000 entries and 256 MiB unless given. */
  readonly quota?: Partial<Quota> | undefined
}

/** Fewer writes than this are not worth a look for what has expired. */
const SWEEP_AFTER = 256

/** Entries of one namespace. Looking at all keys drops what has expired; doing so once per doubling costs little. */
const table = (quota: Quota): Storage.Operations => {
  const entries = memoryStorage({}, quota)
  let writes = 0
  let next = SWEEP_AFTER
  const swept = <A, E>(write: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.tap(write, () => {
      writes += 1
      if (writes < next) return Effect.void
      writes = 0
      return Effect.ignore(
        Effect.tap(entries.list({ prefix: "" }), (keys) => {
          next = Math.max(SWEEP_AFTER, keys.length)
        })
      )
    })
  return {
    ...entries,
    set: (entry) => swept(entries.set(entry)),
    compareAndSet: (swap) => swept(entries.compareAndSet(swap))
  }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options = {}): StorageBackend.Service => {
  const quota = quotaOf(options.quota)
  const tables = new Map<string, Storage.Operations>()
  const tableOf = (namespace: string): Storage.Operations => {
    const known = tables.get(namespace)
    if (known !== undefined) return known
    const made = table(quota)
    tables.set(namespace, made)
    return made
  }
  return StorageBackend.guarded({
    open: (_proof, namespace) =>
      checked(
        namespace,
        {
          get: (payload) => tableOf(namespace).get(payload),
          set: (entry) => tableOf(namespace).set(entry),
          delete: (payload) => tableOf(namespace).delete(payload),
          list: (payload) => tableOf(namespace).list(payload),
          compareAndSet: (swap) => tableOf(namespace).compareAndSet(swap)
        },
        options.maxValueBytes ?? MAX_VALUE_BYTES
      ),
    clear: (namespace) => Effect.sync(() => void tables.delete(namespace))
  })
}

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<StorageBackend> =>
  Layer.sync(StorageBackend, () => make(options))

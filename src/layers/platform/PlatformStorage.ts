/**
 * A store over a `KeyValueStore` of `@effect/platform`: for Bun, browsers and tests. It is weaker than `NodeStorage`: nothing
 * is atomic between two processes, or between two layers over one store.
 *
 * @since 0.1.0
 */
import { KeyValueStore } from "@effect/platform/KeyValueStore"
import { Clock, Effect, Layer } from "effect"
import { checked, MAX_VALUE_BYTES, namespaceRefused } from "../../capabilities/storage/Limits.js"
import { overQuota, type Quota, quotaOf, sizeOf } from "../../capabilities/storage/Quota.js"
import type { Storage } from "../../capabilities/storage/Storage.js"
import { StorageBackend } from "../../capabilities/storage/StorageBackend.js"
import type { StorageError } from "../../capabilities/storage/StorageOperations.js"
import { type Entry, type Index, isAlive, LastIndex, type Shelf, shelfOf } from "./shelf.js"

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

interface Write {
  readonly key: string
  readonly value: string | null
  readonly ttlSeconds?: number
}

/** What is left of an index, and what has expired of it. */
const sorted = (index: Index, now: number) => {
  const kept = new Map([...index].filter(([, meta]) => isAlive(meta, now)))
  return { kept, expired: [...index.keys()].filter((key) => !kept.has(key)) }
}

const totalOf = (index: Index): Quota => ({
  entries: index.size,
  bytes: [...index.values()].reduce((sum, { bytes }) => sum + bytes, 0)
})

const valueOf = (entry: Entry | undefined, now: number): string | null =>
  entry !== undefined && isAlive(entry, now) ? entry.value : null

/** The index always names at least what there is: it is written before an entry comes, and after one has gone. */
const written = (
  shelf: Shelf,
  quota: Quota,
  { key, ttlSeconds, value }: Write,
  now: number
): Effect.Effect<void, StorageError> =>
  Effect.gen(function* () {
    const index = yield* shelf.index
    const { expired, kept } = sorted(index, now)
    const old = kept.get(key)
    if (value === null) {
      if (!index.has(key)) return
      yield* Effect.forEach([...expired, key], shelf.remove, { discard: true })
      kept.delete(key)
      return yield* shelf.keep(kept)
    }
    const bytes = sizeOf(key, value)
    const added = { entries: old === undefined ? 1 : 0, bytes: bytes - (old?.bytes ?? 0) }
    const refused = overQuota(totalOf(kept), added, quota)
    if (refused !== undefined) return yield* refused
    const expires = ttlSeconds === undefined ? null : now + ttlSeconds * 1000
    yield* Effect.forEach(expired, shelf.remove, { discard: true })
    if (expired.length > 0 || old?.bytes !== bytes || old.expires !== expires) {
      kept.set(key, { bytes, expires })
      yield* shelf.keep(kept)
    }
    yield* shelf.set(key, { value, expires })
  })

const operationsOf = (
  shelf: Shelf,
  quota: Quota,
  alone: <A, E>(write: Effect.Effect<A, E>) => Effect.Effect<A, E>
): Storage.Operations => {
  const write = (given: Write) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => written(shelf, quota, given, now))
  const read = (key: string) => Effect.zipWith(shelf.get(key), Clock.currentTimeMillis, valueOf)
  return {
    get: ({ key }) => read(key),
    set: (entry) => alone(write(entry)),
    delete: ({ key }) => alone(write({ key, value: null })),
    list: ({ prefix }) =>
      Effect.zipWith(shelf.index, Clock.currentTimeMillis, (index, now) =>
        [...sorted(index, now).kept.keys()].filter((key) => key.startsWith(prefix)).sort()
      ),
    compareAndSet: (swap) =>
      alone(
        Effect.flatMap(read(swap.key), (current) =>
          current === swap.expected ? Effect.as(write(swap), true) : Effect.succeed(false)
        )
      )
  }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options = {}): Effect.Effect<StorageBackend.Service, never, KeyValueStore> =>
  Effect.map(KeyValueStore, (store) => {
    const quota = quotaOf(options.quota)
    const last = new LastIndex()
    const turns = Effect.unsafeMakeSemaphore(1)
    // One after the other, and each to its end: half of a write would be a key without its value.
    const alone = <A, E>(write: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      turns.withPermits(1)(Effect.uninterruptible(write))
    return StorageBackend.guarded({
      open: (_proof, namespace) => {
        // A name that cannot be kept is refused by every operation, and nothing is made of it.
        const shelf = shelfOf(store, namespaceRefused(namespace) === undefined ? namespace : "", last)
        return checked(namespace, operationsOf(shelf, quota, alone), options.maxValueBytes ?? MAX_VALUE_BYTES)
      },
      clear: (namespace) =>
        Effect.suspend(() => {
          const refused = namespaceRefused(namespace)
          if (refused !== undefined) return refused
          const shelf = shelfOf(store, namespace, last)
          return alone(
            Effect.flatMap(shelf.index, (index) =>
              Effect.zipRight(Effect.forEach(index.keys(), shelf.remove, { discard: true }), shelf.drop)
            )
          )
        })
    })
  })

/**
 * Keeps entries in the `KeyValueStore` of a platform.
 *
 * @example
 * ```ts
 * import { KeyValueStore } from "@effect/platform"
 * import { PlatformStorage } from "bailiwick/platform"
 * import { Layer } from "effect"
 *
 * export const storage = PlatformStorage.layer().pipe(Layer.provide(KeyValueStore.layerMemory))
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<StorageBackend, never, KeyValueStore> =>
  Layer.effect(StorageBackend, make(options))

/**
 * A store in a directory, which outlasts the process and which several processes may use at once. A write is
 * acknowledged once it is on the disk.
 *
 * @since 0.1.0
 */
import { Clock, type Duration, Effect, Layer, Schedule, type Scope } from "effect"
import { checked, MAX_VALUE_BYTES, namespaceRefused } from "../../../capabilities/storage/Limits.js"
import type { Storage } from "../../../capabilities/storage/Storage.js"
import { StorageBackend } from "../../../capabilities/storage/StorageBackend.js"
import type { StorageError } from "../../../capabilities/storage/StorageOperations.js"
import * as Entries from "./entries.js"
import { failed } from "./failure.js"
import { encode, keyIn, prefixOf } from "./layout.js"
import { opened } from "./opened.js"
import type { Tables } from "./tables.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Where the store lies. The first operation creates it, for its owner alone. */
  readonly directory: string
  /** How long a value may be, in bytes of UTF-8: 1 MiB unless given. */
  readonly maxValueBytes?: number | undefined
  /**
   * How often the store removes everything that has expired: every minute unless given. Each write removes some of it
   * too.
   */
  readonly sweepEvery?: Duration.DurationInput | undefined
}

/** How many expired entries a write removes: more than it can add, so that a store in use does not grow. */
const SWEPT_BY_A_WRITE = 8

/** How many rows one transaction of a sweep or a clear may hold up other writers for. */
const BATCH = 512

/** Each call opens a store, mostly for the same few sessions. */
const REMEMBERED = 1024

/** Runs with the clock of the caller, which is that of the test in a test. */
const reading =
  <A>(run: (tables: Tables, now: number) => A) =>
  (tables: Tables): Effect.Effect<A, StorageError> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.try({
        try: () => {
          tables.refresh()
          return run(tables, now)
        },
        catch: failed
      })
    )

const writing =
  <A>(run: (tables: Tables, now: number) => A) =>
  (tables: Tables): Effect.Effect<A, StorageError> =>
    Effect.clockWith((clock) =>
      Effect.tryPromise({
        try: () => tables.transact(() => run(tables, clock.unsafeCurrentTimeMillis())),
        catch: failed
      })
    )

/** Repeats a bounded transaction until there is nothing left for it. */
const exhaust =
  (run: (tables: Tables, now: number) => number) =>
  (tables: Tables): Effect.Effect<void, StorageError> =>
    Effect.repeat(writing(run)(tables), { until: (count) => count < BATCH }).pipe(Effect.asVoid)

/**
 * Makes the backend. It stops sweeping and closes the store with its scope.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<StorageBackend.Service, never, Scope.Scope> =>
  Effect.gen(function* () {
    const store = yield* opened(options.directory)

    const sweep = Effect.suspend(() => {
      const tables = store.current()
      return tables === undefined
        ? Effect.void
        : exhaust((tables, now) => Entries.sweep(tables, now, BATCH))(tables)
    }).pipe(
      Effect.catchAll((error) => Effect.logWarning("NodeStorage.sweep", error.message)),
      Effect.withSpan("NodeStorage.sweep")
    )
    yield* Effect.forkScoped(
      Effect.delay(sweep, options.sweepEvery ?? "1 minute").pipe(Effect.repeat(Schedule.forever))
    )

    const within = (namespace: string): Storage.Operations => {
      const prefix = prefixOf(namespace)
      const put = (
        tables: Tables,
        key: Buffer,
        entry: Buffer | null,
        ttlSeconds: number | undefined,
        now: number
      ) => {
        Entries.write(tables, key, entry, ttlSeconds, now)
        Entries.sweep(tables, now, SWEPT_BY_A_WRITE)
      }
      return {
        get: ({ key }) => store.use(reading((tables, now) => Entries.read(tables, keyIn(prefix, key), now))),
        list: (payload) =>
          store.use(reading((tables, now) => Entries.list(tables, prefix, payload.prefix, now))),
        set: ({ key, ttlSeconds, value }) => {
          const entry = encode(value)
          return store.use(writing((tables, now) => put(tables, keyIn(prefix, key), entry, ttlSeconds, now)))
        },
        delete: ({ key }) => store.use(writing((tables) => Entries.remove(tables, keyIn(prefix, key)))),
        compareAndSet: ({ expected, key, ttlSeconds, value }) => {
          const entry = value === null ? null : encode(value)
          return store.use(
            writing((tables, now) => {
              if (Entries.read(tables, keyIn(prefix, key), now) !== expected) return false
              put(tables, keyIn(prefix, key), entry, ttlSeconds, now)
              return true
            })
          )
        }
      }
    }

    const known = new Map<string, Storage.Operations>()
    const operationsIn = (namespace: string): Storage.Operations => {
      const made = known.get(namespace)
      if (made !== undefined) return made
      if (known.size >= REMEMBERED) known.clear()
      const fresh = checked(namespace, within(namespace), options.maxValueBytes ?? MAX_VALUE_BYTES)
      known.set(namespace, fresh)
      return fresh
    }

    return {
      open: (_proof, namespace) => operationsIn(namespace),
      clear: (namespace) =>
        Effect.suspend(
          () =>
            namespaceRefused(namespace) ??
            store.use(exhaust((tables) => Entries.clear(tables, prefixOf(namespace), BATCH)))
        )
    }
  })

/**
 * Keeps entries in a directory. It opens nothing, and does not even load the database, before the first read or
 * write.
 *
 * @example
 * ```ts
 * import { NodeStorage } from "bailiwick/node"
 *
 * export const storage = NodeStorage.layer({ directory: "/var/lib/agent/storage" })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<StorageBackend> =>
  Layer.scoped(StorageBackend, make(options))

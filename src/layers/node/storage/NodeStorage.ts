/**
 * A store in a directory, which outlasts the process and which several processes may use at once. A write is
 * acknowledged once it is on the disk.
 *
 * @since 0.1.0
 */
import { type Duration, Effect, Either, Layer, Schedule, type Scope } from "effect"
import { checked, MAX_VALUE_BYTES, namespaceRefused } from "../../../capabilities/storage/Limits.js"
import { type Quota, quotaOf } from "../../../capabilities/storage/Quota.js"
import type { Storage } from "../../../capabilities/storage/Storage.js"
import { StorageBackend } from "../../../capabilities/storage/StorageBackend.js"
import type { StorageError } from "../../../capabilities/storage/StorageOperations.js"
import * as Kept from "../disk/Kept.js"
import type { Queries } from "./connection.js"
import * as Entries from "./entries.js"
import { opened } from "./opened.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Where the store lies. The first operation creates it, for its owner alone. */
  readonly directory: string
  /** How long a value may be, in bytes of UTF-8: 1 MiB unless given. */
  readonly maxValueBytes?: number | undefined
  /** How much each tool, session or personality may keep: 100,000 entries and 256 MiB unless given. */
  readonly quota?: Partial<Quota> | undefined
  /** How long an operation waits for other processes that use the store: 30 seconds unless given. */
  readonly waitAtMost?: Duration.DurationInput | undefined
  /**
   * How often the store removes everything that has expired: every minute unless given. Each write removes some of it
   * too.
   */
  readonly sweepEvery?: Duration.DurationInput | undefined
}

/** What a write removes of what has expired: more entries than it can add, so that a store in use does not grow. */
const BY_A_WRITE: Entries.Bound = { entries: 8, bytes: 256 * 1024 }

/** What one transaction of a sweep or a clear may hold up others for. */
const BATCH: Entries.Bound = { entries: 512, bytes: 4 * 1024 * 1024 }

/** Each call opens a store, mostly for the same few sessions. */
const REMEMBERED = 1024

/**
 * Makes the backend. It stops sweeping and closes the store with its scope.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<StorageBackend.Service, never, Scope.Scope> =>
  Effect.gen(function* () {
    Kept.close(options.directory, { isMade: true })
    const store = yield* opened(options.directory, options.waitAtMost ?? "30 seconds")
    const limits: Entries.Limits = { quota: quotaOf(options.quota), batch: BATCH }

    /** Repeats a bounded transaction until there is nothing left for it. */
    const exhaust = (run: (queries: Queries, now: number) => boolean): Effect.Effect<void, StorageError> =>
      store
        .write(0, (queries, now) => Either.right(run(queries, now)))
        .pipe(Effect.repeat({ until: (more) => !more }), Effect.asVoid)

    /** Looks first: only who has something to remove keeps others waiting. */
    const sweep = Effect.suspend(() =>
      store.isOpen() ? store.read(Entries.hasExpired) : Effect.succeed(false)
    ).pipe(
      Effect.flatMap((some) =>
        some ? exhaust((queries, now) => Entries.sweep(queries, now, BATCH)) : Effect.void
      ),
      Effect.catchAll((error) => Effect.logWarning("NodeStorage.sweep", error.message)),
      Effect.withSpan("NodeStorage.sweep")
    )
    yield* Effect.forkScoped(
      Effect.delay(sweep, options.sweepEvery ?? "1 minute").pipe(Effect.repeat(Schedule.forever))
    )

    const within = (namespace: string): Storage.Operations => {
      const put = (
        queries: Queries,
        now: number,
        { key, ttlSeconds, value }: { key: string; value: string | null; ttlSeconds?: number }
      ): Either.Either<void, StorageError> => {
        Entries.sweep(queries, now, BY_A_WRITE)
        const at = { namespace, key }
        if (value !== null) return Entries.write(queries, at, { value, ttlSeconds }, now, limits)
        Entries.remove(queries, at)
        return Either.void
      }
      return {
        get: ({ key }) => store.read((queries, now) => Entries.read(queries, { namespace, key }, now)),
        list: ({ prefix }) => store.read((queries, now) => Entries.list(queries, namespace, prefix, now)),
        set: (entry) => store.write(entry.value.length, (queries, now) => put(queries, now, entry)),
        delete: ({ key }) => store.write(0, (queries, now) => put(queries, now, { key, value: null })),
        compareAndSet: (swap) =>
          store.write(swap.value?.length ?? 0, (queries, now) =>
            Entries.read(queries, { namespace, key: swap.key }, now) === swap.expected
              ? Either.map(put(queries, now, swap), () => true)
              : Either.right(false)
          )
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

    return StorageBackend.guarded({
      open: (_proof, namespace) => operationsIn(namespace),
      clear: (namespace) =>
        Effect.suspend(
          () => namespaceRefused(namespace) ?? exhaust((queries) => Entries.clear(queries, namespace, BATCH))
        )
    })
  })

/**
 * Keeps entries in a directory. It opens nothing, and does not even load the database, before the first read or
 * write.
 *
 * @example
 * ```ts
 * import { NodeStorage } from "bailiwick/node"
 *
 * export const storage = NodeStorage.layer({
 *   directory: "/var/lib/agent/storage",
 *   quota: { entries: 10_000, bytes: 16 * 1024 * 1024 }
 * })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<StorageBackend> =>
  Layer.scoped(StorageBackend, make(options))

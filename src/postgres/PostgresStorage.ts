/**
 * A store in PostgreSQL, which programs on many machines may use at once. A write is acknowledged once PostgreSQL has
 * committed it. Nothing is kept in this process.
 *
 * @since 0.1.0
 */
import { type Duration, Effect, Layer, Option, Schedule, type Scope } from "effect"
import { endOf } from "../capabilities/storage/KeyRange.js"
import { checked, MAX_VALUE_BYTES, namespaceRefused } from "../capabilities/storage/Limits.js"
import { overQuota, type Quota, quotaOf, sizeOf } from "../capabilities/storage/Quota.js"
import type { Storage } from "../capabilities/storage/Storage.js"
import { StorageBackend } from "../capabilities/storage/StorageBackend.js"
import { StorageError } from "../capabilities/storage/StorageOperations.js"
import { Database } from "./Database.js"
import type { DatabaseError } from "./DatabaseError.js"
import { Fence, type Token } from "./Fence.js"
import { EachInTurn } from "./InTurn.js"
import { decode, encode } from "./texts.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** How long a value may be, in bytes of UTF-8: 1 MiB unless given. */
  readonly maxValueBytes?: number | undefined
  /** How much each tool, session or personality may keep: 100,000 entries and 256 MiB unless given. */
  readonly quota?: Partial<Quota> | undefined
  /** How often what has expired is removed: every minute unless given. One program does it for all. */
  readonly sweepEvery?: Duration.DurationInput | undefined
}

/** What one statement may remove, so that nobody waits for long. */
const BATCH = 512

const codes = {
  away: "STORAGE_UNAVAILABLE",
  unknown: "STORAGE_FAILED",
  busy: "STORAGE_BUSY",
  refused: "STORAGE_FAILED"
} as const

const worded = ({ detail, kind }: DatabaseError): StorageError =>
  new StorageError({ code: codes[kind], detail })

const fenced = new StorageError({
  code: "STORAGE_FENCED",
  detail: "another program has taken over the work of this one, so nothing was written"
})

interface Write {
  readonly key: string
  readonly value: string | null
  readonly ttlSeconds?: number
  readonly expected?: string | null
}

const figure = (value: unknown): number => Number(value ?? 0)

/** A limit that is no number allows nothing, and PostgreSQL takes it for the largest. */
const limit = (most: number): number => (Number.isNaN(most) ? -1 : most)

/**
 * Makes the backend. It takes the fence that is there, if one is.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Options = {}
): Effect.Effect<StorageBackend.Service, never, Database | Scope.Scope> =>
  Effect.gen(function* () {
    const { ask, now: clock, schema } = yield* Database
    const fence = Option.getOrUndefined(yield* Effect.serviceOption(Fence))
    const quota = quotaOf(options.quota)
    /** Those who would wait for each other in PostgreSQL wait here, and keep no connection from others. */
    const turns = new EachInTurn()

    /** Time by the clock of PostgreSQL: whose entry it was does not matter to when it ends. */
    const at = <A>(use: (now: number) => Effect.Effect<A, DatabaseError | StorageError>) =>
      Effect.mapError(
        Effect.flatMap(clock, (now) => use(now)),
        (error) => (error._tag === "DatabaseError" ? worded(error) : error)
      )

    /** Nothing where there is no fence; where it was lost, one that nobody holds. */
    const shown = (): Token | undefined =>
      fence === undefined ? undefined : (fence.token() ?? { name: "", epoch: -1 })

    const sweep = at((now) =>
      ask(`SELECT ${schema}.entries_sweep($1, $2) AS removed`, [now, BATCH]).pipe(
        Effect.repeat({ while: ([row]) => figure(row?.removed) > 0 }),
        Effect.asVoid
      )
    ).pipe(
      Effect.catchAll((error) =>
        error.code === "STORAGE_UNAVAILABLE"
          ? Effect.void
          : Effect.logWarning("PostgresStorage.sweep", error.message)
      ),
      Effect.withSpan("PostgresStorage.sweep")
    )
    yield* Effect.forkScoped(
      Effect.delay(sweep, options.sweepEvery ?? "1 minute").pipe(Effect.repeat(Schedule.forever))
    )

    const within = (namespace: string, token: Token | undefined): Storage.Operations => {
      const LIVE = `FROM ${schema}.entries WHERE namespace = $1 AND (expires IS NULL OR expires > $2)`

      const write = (given: Write): Effect.Effect<boolean, StorageError> =>
        turns.run(namespace, written(given))

      const written = (given: Write): Effect.Effect<boolean, StorageError> =>
        at((now) => {
          const { expected, key, ttlSeconds, value } = given
          const until = ttlSeconds === undefined ? null : now + ttlSeconds * 1000
          const bytes = value === null ? 0 : sizeOf(key, value)
          const asked = ask(
            `SELECT * FROM ${schema}.entry_write($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
            [
              namespace,
              key,
              expected !== undefined,
              expected === undefined || expected === null ? null : encode(expected),
              value === null ? null : encode(value),
              bytes,
              until,
              now,
              limit(quota.entries),
              limit(quota.bytes),
              token?.name ?? null,
              token?.epoch ?? null
            ]
          )
          return Effect.flatMap(asked, ([row = {}]) => {
            if (row.outcome === "done") return Effect.succeed(true)
            if (row.outcome === "differs") return Effect.succeed(false)
            if (row.outcome === "fenced") return fenced
            const held = { entries: figure(row.has_entries), bytes: figure(row.has_bytes) }
            const added = { entries: figure(row.adds_entries), bytes: figure(row.adds_bytes) }
            return (
              overQuota(held, added, quota) ??
              new StorageError({
                code: "STORAGE_FAILED",
                detail: "PostgreSQL gave an answer that makes no sense; have its functions restored"
              })
            )
          })
        })

      return {
        get: ({ key }) =>
          at((now) =>
            Effect.map(
              ask(`SELECT value ${LIVE} AND key = $3`, [namespace, now, key], { isRepeatable: true }),
              ([row]) => (row === undefined ? null : decode(row.value))
            )
          ),
        list: ({ prefix }) =>
          at((now) => {
            const end = endOf(prefix)
            const [below, values] =
              end === undefined
                ? ["", [namespace, now, prefix]]
                : [" AND key < $4", [namespace, now, prefix, end]]
            return Effect.map(
              ask(`SELECT key ${LIVE} AND key >= $3${below}`, values, { isRepeatable: true }),
              // By units of UTF-16, as everywhere else.
              (rows) => rows.map(({ key }) => String(key)).sort()
            )
          }),
        set: (entry) => Effect.asVoid(write(entry)),
        delete: ({ key }) => Effect.asVoid(write({ key, value: null })),
        compareAndSet: write
      }
    }

    const clear = (namespace: string): Effect.Effect<void, StorageError> =>
      Effect.suspend(() => {
        const refused = namespaceRefused(namespace)
        if (refused !== undefined) return refused
        const token = shown()
        const some = at(() =>
          Effect.flatMap(
            ask(
              `SELECT ${schema}.entries_clear($1, $2, $3, $4) AS removed`,
              [namespace, BATCH, token?.name ?? null, token?.epoch ?? null],
              { isRepeatable: true }
            ),
            ([row]) => (figure(row?.removed) < 0 ? fenced : Effect.succeed(figure(row?.removed)))
          )
        )
        return Effect.asVoid(Effect.repeat(some, { while: (removed) => removed > 0 }))
      })

    return StorageBackend.guarded({
      open: (_proof, namespace) =>
        checked(namespace, within(namespace, shown()), options.maxValueBytes ?? MAX_VALUE_BYTES),
      clear
    })
  })

/**
 * Keeps entries in PostgreSQL.
 *
 * @example
 * ```ts
 * import { Database, PostgresStorage } from "bailiwick/postgres"
 * import { Layer, Redacted } from "effect"
 *
 * export const storage = PostgresStorage.layer({ quota: { entries: 10_000 } }).pipe(
 *   Layer.provide(Database.layer({ url: Redacted.make("postgresql://agent:secret@localhost/agents") }))
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<StorageBackend, never, Database> =>
  Layer.scoped(StorageBackend, make(options))

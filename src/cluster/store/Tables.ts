/**
 * The tables of a cluster. Whoever comes first makes them, and the others wait; a version that does not know what is there
 * says so and stays away.
 */
import type * as MessageStorage from "@effect/cluster/MessageStorage"
import type * as RunnerStorage from "@effect/cluster/RunnerStorage"
import type { ShardingConfig } from "@effect/cluster/ShardingConfig"
import * as SqlMessageStorage from "@effect/cluster/SqlMessageStorage"
import * as SqlRunnerStorage from "@effect/cluster/SqlRunnerStorage"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { type Context, Effect, Layer, type Scope } from "effect"
import { givingBack } from "../../postgres/Reserving.js"
import { ClusterError } from "../ClusterError.js"
import { failing } from "./inTime.js"

/** How the tables of `@effect/cluster` are called here. */
export const PREFIX = "bailiwick_cluster"

const VERSION = 2

/** Any number, as long as it is always the same: who makes tables holds it. */
const LOCK = 7_205_759_403_792_793

const known = (sql: SqlClient.SqlClient): Effect.Effect<number | undefined, SqlError> =>
  Effect.map(
    sql<{ readonly version: number }>`SELECT version FROM bailiwick_cluster_version`,
    (rows) => rows[0]?.version
  )

const create = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError | ClusterError> =>
  Effect.gen(function* () {
    yield* sql`CREATE TABLE IF NOT EXISTS bailiwick_cluster_version (version int NOT NULL)`
    const version = yield* known(sql)
    if (version !== undefined && version > VERSION) {
      return yield* new ClusterError({
        code: "STORE_NEWER",
        detail: `the tables of the cluster are of version ${version}, and this program knows version ${VERSION}; update it`
      })
    }
    yield* sql`
      CREATE TABLE IF NOT EXISTS bailiwick_cluster_owners (
        shard text PRIMARY KEY, life text NOT NULL, address text NOT NULL
      )`
    yield* sql`
      CREATE TABLE IF NOT EXISTS bailiwick_cluster_calls (
        turn text NOT NULL, call int NOT NULL, claim text NOT NULL, life text NOT NULL,
        claimed_at timestamptz NOT NULL DEFAULT now(), result text, PRIMARY KEY (turn, call)
      )`
    yield* sql`
      CREATE TABLE IF NOT EXISTS bailiwick_cluster_terms (
        one boolean PRIMARY KEY DEFAULT true CHECK (one), key text NOT NULL, shards int NOT NULL,
        silence double precision, agreed timestamptz NOT NULL DEFAULT now()
      )`
    yield* sql`CREATE INDEX IF NOT EXISTS bailiwick_cluster_calls_age ON bailiwick_cluster_calls (claimed_at)`
    if (version === undefined) yield* sql`INSERT INTO bailiwick_cluster_version VALUES (${VERSION})`
    else if (version < VERSION) {
      yield* sql`ALTER TABLE bailiwick_cluster_terms ADD COLUMN silence double precision`
      yield* sql`UPDATE bailiwick_cluster_version SET version = ${VERSION}`
    }
  })

/** One holds the locks, one makes tables alone, and one is for what is asked meanwhile. */
const LEAST = 3

const few = new ClusterError({
  code: "STORE_UNREACHABLE",
  detail: `a cluster needs ${LEAST} connections to PostgreSQL at once; give its client maxConnections: ${LEAST} or more`
})

/** As many as anybody wants, where the client does not say. */
const mostOf = (sql: object): number => {
  const { maxConnections = LEAST } =
    "config" in sql ? (sql.config as { readonly maxConnections?: number }) : {}
  return maxConnections
}

/** What is kept of messages, and of who runs. */
export type Stores = MessageStorage.MessageStorage | RunnerStorage.RunnerStorage

const stores = Layer.merge(
  SqlMessageStorage.layerWith({ prefix: PREFIX }),
  SqlRunnerStorage.layerWith({ prefix: PREFIX })
)

const alone = <A, E, R>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, R> =>
  Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* sql.reserve
      yield* Effect.acquireRelease(
        connection.executeUnprepared(`SELECT pg_advisory_lock(${LOCK})`, [], undefined),
        () => Effect.ignore(connection.executeUnprepared(`SELECT pg_advisory_unlock(${LOCK})`, [], undefined))
      )
      return yield* effect
    })
  )

/**
 * Makes the tables that are not there, and opens what stands on them. Two processes that start at once do it one after the
 * other: a table that is made twice at the same moment would be an error.
 */
export const open: Effect.Effect<
  Context.Context<Stores>,
  SqlError | ClusterError,
  SqlClient.SqlClient | ShardingConfig | Scope.Scope
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const scope = yield* Effect.scope
  if (mostOf(sql) < LEAST) return yield* few
  return yield* failing(
    alone(
      sql,
      Effect.zipRight(
        sql.withTransaction(create(sql)),
        // The one that holds the locks is given up when it is slow, and another is reserved.
        Effect.provideService(Layer.buildWithScope(stores, scope), SqlClient.SqlClient, givingBack(sql))
      )
    )
  )
})

/**
 * One life of a runner in the store: a fence that it holds, and the shards that it owns. Whoever takes over a shard ends the
 * life of who had it first: from then on nothing of that life is written, however late it comes. There is no clock in it: a
 * runner that was stopped for a day is as dead as one that was stopped for a moment too long.
 */
import { randomUUID } from "node:crypto"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Deferred, Effect, type Scope } from "effect"
import { Database } from "../../postgres/Database.js"
import * as Fence from "../../postgres/Fence.js"
import { ClusterError } from "../ClusterError.js"
import { awaiting } from "./Awaiting.js"
import { answeredInTime } from "./inTime.js"

const FENCED = new ClusterError({
  code: "RUNNER_FENCED",
  detail:
    "another runner has taken over from this one, which was silent for too long, or has the same address as it; what it still does is not kept. Start it again"
})

/**
 * A transaction holds what others wait for when they take over. One whose program was stopped, or whose machine is gone, would
 * hold it until PostgreSQL finds out, which takes hours: after so many milliseconds without a word it is given up.
 */
const IDLE = "2000"

const briefly = (sql: SqlClient.SqlClient): Fragment =>
  sql`set_config('idle_in_transaction_session_timeout', ${IDLE}, true)`

const inTransaction = <A, E>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E | SqlError> =>
  answeredInTime(sql.withTransaction(Effect.zipRight(sql`SELECT ${briefly(sql)}`, effect)))

/** What a runner does that has not begun. */
export const WAITS = "the runner waits until it is there"

type Lives = ReadonlyArray<{ readonly life: string }>

export class Life {
  private constructor(
    private readonly sql: SqlClient.SqlClient,
    private readonly schema: string,
    readonly token: Fence.Token,
    private readonly ended: Deferred.Deferred<never, ClusterError>
  ) {}

  /** Until the scope closes. */
  static readonly begin: Effect.Effect<Life, ClusterError, SqlClient.SqlClient | Database | Scope.Scope> =
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { schema } = yield* Database
      // Claimed once: whatever is claimed of it afterwards is the end of it.
      const token = yield* awaiting(Fence.claim(`runner ${randomUUID()}`), WAITS)
      const life = new Life(sql, schema, token, yield* Deferred.make<never, ClusterError>())
      yield* Effect.addFinalizer(() =>
        Effect.ignore(sql`
          DELETE FROM ${sql.literal(schema)}.fences WHERE name = ${token.name} AND epoch = ${token.epoch}`)
      )
      return life
    })

  /** For backends that write under it. */
  get fence(): Fence.Fence.Service {
    return { token: () => this.token }
  }

  /** Fails when another has taken over, and else never ends. */
  get lost(): Effect.Effect<never, ClusterError> {
    return Deferred.await(this.ended)
  }

  /** What a statement asks; nobody takes over before its transaction has ended. */
  get holds(): Fragment {
    const { schema, sql, token } = this
    return sql`${sql.literal(schema)}.fence_holds(${token.name}, ${token.epoch})`
  }

  /** Fails where another has taken over. In a transaction, what is written after it is of a runner that was in charge. */
  readonly check: Effect.Effect<void, ClusterError | SqlError> = Effect.suspend(() =>
    Effect.flatMap(
      this.sql<{ readonly held: boolean }>`SELECT ${briefly(this.sql)}, ${this.holds} AS held`,
      ([row]) => (row?.held === true ? Effect.void : this.end)
    )
  )

  private readonly end: Effect.Effect<never, ClusterError> = Effect.suspend(() =>
    Effect.zipRight(Deferred.fail(this.ended, FENCED), Effect.fail(FENCED))
  )

  /** Ends the lives of whoever owned these shards, and makes them this one's. */
  takeOver(address: string, shards: ReadonlyArray<string>): Effect.Effect<void, SqlError> {
    const { sql, token } = this
    const given = JSON.stringify(shards)
    const ending = (lives: Lives) => this.ending(lives)
    return inTransaction(
      sql,
      Effect.gen(function* () {
        // In order, so that two who take over at once do not wait for one another.
        const before = yield* sql<{ readonly life: string }>`
          SELECT life FROM bailiwick_cluster_owners
          WHERE shard IN (SELECT jsonb_array_elements_text(${given}::jsonb)) AND life <> ${token.name}
          ORDER BY shard FOR UPDATE`
        yield* ending(before)
        yield* sql`
          INSERT INTO bailiwick_cluster_owners (shard, life, address)
          SELECT shard, ${token.name}, ${address}
          FROM jsonb_array_elements_text(${given}::jsonb) AS shard ORDER BY shard
          ON CONFLICT (shard) DO UPDATE SET life = EXCLUDED.life, address = EXCLUDED.address`
      })
    )
  }

  /** Waits for what they are just writing. What is not there is held by nobody, ever again. */
  private ending(lives: Lives): Effect.Effect<void, SqlError> {
    const { schema, sql } = this
    return Effect.forEach(
      [...new Set(lives.map(({ life }) => life))].sort(),
      (life) =>
        Effect.zipRight(
          sql`SELECT ${sql.literal(schema)}.fence_claim(${life}, NULL)`,
          sql`DELETE FROM ${sql.literal(schema)}.fences WHERE name = ${life}`
        ),
      { discard: true }
    )
  }

  letGo(shard: string): Effect.Effect<void, SqlError> {
    const { sql, token } = this
    return Effect.asVoid(
      sql`DELETE FROM bailiwick_cluster_owners WHERE shard = ${shard} AND life = ${token.name}`
    )
  }

  readonly letAllGo: Effect.Effect<void, SqlError> = Effect.suspend(() =>
    Effect.asVoid(this.sql`DELETE FROM bailiwick_cluster_owners WHERE life = ${this.token.name}`)
  )

  /** Ends whoever owns something at an address; what it owned is nobody's then. */
  endAt(address: string): Effect.Effect<void, SqlError> {
    const { sql, token } = this
    const ending = (lives: Lives) => this.ending(lives)
    return inTransaction(
      sql,
      Effect.gen(function* () {
        const lives = yield* sql<{ readonly life: string }>`
          DELETE FROM bailiwick_cluster_owners WHERE address = ${address} AND life <> ${token.name} RETURNING life`
        yield* ending(lives)
      })
    )
  }
}

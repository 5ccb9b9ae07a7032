/** Removes what was said and answered when its time is over. What is left of a call is that it was made, for as long as it could be sent again. */

import * as MachineId from "@effect/cluster/MachineId"
import * as Snowflake from "@effect/cluster/Snowflake"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Duration, Effect, Schedule } from "effect"
import { PREFIX } from "./Tables.js"

/** How far two clocks may be apart: a message that comes from later than this is refused. */
export const SKEW = Duration.minutes(5)

/** In one statement; a table that grew for a year is not swept in one go. */
const MOST = 5000

const [MESSAGES, REPLIES] = [`${PREFIX}_messages`, `${PREFIX}_replies`]

/** Ids have the time in them. */
const before = (millis: number): string =>
  String(Snowflake.make({ machineId: MachineId.make(0), sequence: 0, timestamp: millis }))

/** Repeats until a statement finds nothing more. */
const all = (some: Effect.Effect<ReadonlyArray<unknown>, SqlError>): Effect.Effect<void, SqlError> =>
  Effect.asVoid(Effect.repeat(some, { while: (rows) => rows.length === MOST }))

export const sweep = (
  sql: SqlClient.SqlClient,
  retention: Duration.Duration
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    // By the clock of PostgreSQL: one runner whose own is ahead would remove what others have yet to answer.
    const [clock] = yield* sql<{ readonly now: number }>`
      SELECT (extract(epoch FROM now()) * 1000)::float8 AS now`
    const limit = before(Math.floor((clock?.now ?? 0) - Duration.toMillis(retention)))
    const seconds = Duration.toSeconds(retention)
    const longer = seconds + 2 * Duration.toSeconds(SKEW)
    yield* all(sql`
      DELETE FROM ${sql(REPLIES)} WHERE id IN (
        SELECT id FROM ${sql(REPLIES)} WHERE request_id < ${limit}::bigint LIMIT ${MOST}) RETURNING 1`)
    yield* all(sql`
      DELETE FROM ${sql(MESSAGES)} WHERE id IN (
        SELECT id FROM ${sql(MESSAGES)} WHERE id < ${limit}::bigint LIMIT ${MOST}) RETURNING 1`)
    yield* all(sql`
      UPDATE bailiwick_cluster_calls SET result = NULL WHERE (turn, call) IN (
        SELECT turn, call FROM bailiwick_cluster_calls
        WHERE claimed_at < now() - make_interval(secs => ${seconds}) AND result IS NOT NULL LIMIT ${MOST}) RETURNING 1`)
    yield* all(sql`
      DELETE FROM bailiwick_cluster_calls WHERE (turn, call) IN (
        SELECT turn, call FROM bailiwick_cluster_calls
        WHERE claimed_at < now() - make_interval(secs => ${longer}) LIMIT ${MOST}) RETURNING 1`)
  })

const OFTEN = { least: Duration.seconds(1), most: Duration.minutes(10) }

/** Sweeps now and then, for as long as it is let. */
export const sweeping = (sql: SqlClient.SqlClient, retention: Duration.Duration): Effect.Effect<void> => {
  const every = Duration.clamp(Duration.unsafeDivide(retention, 10), {
    minimum: OFTEN.least,
    maximum: OFTEN.most
  })
  const once = Effect.catchAll(sweep(sql, retention), () =>
    Effect.logWarning(
      "what is older than the retention of the cluster is not removed: PostgreSQL does not answer"
    )
  )
  return Effect.asVoid(Effect.repeat(once, Schedule.spaced(every)))
}

/**
 * The answers of a runner, as they are kept: one statement writes those that come together, marks their messages as answered,
 * and does neither where another runner has taken over.
 */
import type { WithExitEncoded } from "@effect/cluster/Reply"
import type * as Rpc from "@effect/rpc/Rpc"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { ClusterError } from "../ClusterError.js"
import type { Life } from "./Life.js"
import { PREFIX } from "./Tables.js"
import { Together } from "./Together.js"

interface Row {
  readonly id: string
  readonly request: string
  readonly payload: string
}

export class Replies {
  private readonly saving: Together<Row, boolean>

  constructor(
    private readonly sql: SqlClient.SqlClient,
    private readonly life: Life
  ) {
    this.saving = new Together(
      (all) => this.saveAll(all),
      ({ payload }) => payload.length
    )
  }

  /** Whether it was kept: what is answered already is not answered again. Fails when another runner has taken over. */
  save({ exit, id, requestId }: WithExitEncoded<Rpc.Any>): Effect.Effect<boolean, SqlError | ClusterError> {
    return this.saving.add({ id, request: requestId, payload: JSON.stringify(exit) })
  }

  private saveAll(all: ReadonlyArray<Row>): Effect.Effect<ReadonlyArray<boolean>, SqlError | ClusterError> {
    const { life, sql } = this
    const [messages, replies] = [sql(`${PREFIX}_messages`), sql(`${PREFIX}_replies`)]
    return Effect.gen(function* () {
      const made = yield* sql<{ readonly request: string }>`
        WITH fence AS MATERIALIZED (SELECT ${life.holds} AS held),
        made AS (
          INSERT INTO ${replies} (id, kind, request_id, payload)
          SELECT id, 0, request, payload
          FROM fence, jsonb_to_recordset(${JSON.stringify(all)}::jsonb) AS given (id bigint, request bigint, payload text)
          WHERE fence.held ORDER BY request
          ON CONFLICT DO NOTHING RETURNING id, request_id
        ),
        marked AS (
          UPDATE ${messages} AS messages SET processed = TRUE, last_reply_id = made.id
          FROM made WHERE messages.request_id = made.request_id
        )
        SELECT request_id::text AS request FROM made`
      if (made.length < all.length) yield* life.check
      const kept = new Set(made.map(({ request }) => request))
      return all.map(({ request }) => kept.has(request))
    })
  }
}

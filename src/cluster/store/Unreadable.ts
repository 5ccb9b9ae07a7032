/**
 * Rows of messages that are none: whoever wrote them was no client. One of them would keep a runner from reading all others
 * that came with it, so each is answered as refused, and is read no more.
 */
import type { ShardId } from "@effect/cluster/ShardId"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { ClusterError } from "../ClusterError.js"
import type { Replies } from "./Replies.js"
import { PREFIX } from "./Tables.js"

interface Row {
  readonly id: string
  readonly request: string
  readonly kind: number
  readonly payload: string | null
  readonly headers: string | null
}

const REQUEST = 0
const KINDS = [REQUEST, 1, 2]

const isJson = (text: string | null): boolean => {
  try {
    return typeof JSON.parse(text ?? "") === "object"
  } catch {
    return false
  }
}

const isReadable = ({ headers, kind, payload }: Row): boolean =>
  KINDS.includes(kind) && (kind !== REQUEST || (isJson(payload) && isJson(headers)))

const REFUSED = {
  _tag: "Failure",
  cause: { _tag: "Fail", error: { _tag: "TurnRefused", reason: "not of this cluster" } }
} as const

/** Answers them, where they are of these shards. */
export const setAside = (
  sql: SqlClient.SqlClient,
  replies: Replies,
  shards: Iterable<ShardId>
): Effect.Effect<void, SqlError | ClusterError> =>
  Effect.flatMap(
    sql<Row>`
      SELECT id::text, request_id::text AS request, kind, payload, headers FROM ${sql(`${PREFIX}_messages`)}
      WHERE processed = FALSE AND ${sql.in(
        "shard_id",
        Array.from(shards, (shard) => shard.toString())
      )}`,
    (rows) =>
      Effect.forEach(
        rows.filter((row) => !isReadable(row)),
        ({ id, request }) => replies.save({ _tag: "WithExit", id, requestId: request, exit: REFUSED }),
        { concurrency: "unbounded", discard: true }
      )
  )

/** What is done once for a connection: the tables are looked at, and made where that is wanted; the clocks are compared. */
import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { DatabaseError } from "./DatabaseError.js"
import { statement, version } from "./migrating.js"
import { refused } from "./Trouble.js"

interface Terms {
  readonly schema: string
  readonly migrates: boolean
}

const figure = (value: unknown): number => Number(value ?? 0)

const missing = new DatabaseError({
  kind: "refused",
  named: "no tables",
  detail:
    "PostgreSQL has no tables of bailiwick, or those of an earlier version; have the migrations run by who may make tables"
})

const encoding = refused(
  "the database of PostgreSQL is not in UTF-8; create one with ENCODING 'UTF8', and name it in the URL"
)

const newer = (found: number): DatabaseError =>
  refused(
    `the tables in PostgreSQL are of version ${found}, and this bailiwick knows them up to ${version}; use the newer bailiwick that made them`
  )

export const settingUp = (
  client: SqlClient.SqlClient,
  { migrates, schema }: Terms
): Effect.Effect<{ readonly ahead: number }, SqlError | DatabaseError> =>
  Effect.gen(function* () {
    const ask = (text: string) =>
      Effect.map(client.unsafe<Readonly<Record<string, unknown>>>(text), ([row]) => row ?? {})
    const before = Date.now()
    const look = yield* ask(
      `SELECT to_regclass('${schema}.migrations') IS NOT NULL AS there, current_setting('server_encoding') AS encoding, extract(epoch FROM clock_timestamp()) * 1000 AS now`
    )
    const ahead = figure(look.now) - (before + Date.now()) / 2
    if (look.encoding !== "UTF8") return yield* encoding
    const found = ask(`SELECT coalesce(max(version), 0) AS version FROM ${schema}.migrations`)
    const there = look.there === true ? figure((yield* found).version) : 0
    if (there < version) {
      if (!migrates) return yield* missing
      yield* client.unsafe(statement(schema))
    }
    const now = there < version ? figure((yield* found).version) : there
    if (now > version) return yield* newer(now)
    return { ahead }
  })

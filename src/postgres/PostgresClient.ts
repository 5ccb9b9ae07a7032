/**
 * A client of PostgreSQL by the name of the secret that holds its URL, for programs that ask more of it than what is kept
 * there.
 *
 * @since 0.1.0
 */
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Stream } from "effect"
import type { SecretsBackend } from "../capabilities/secrets/SecretsBackend.js"
import { fromSecret } from "./connecting.js"
import type { DatabaseError } from "./DatabaseError.js"
import { Line } from "./line.js"
import { reserving } from "./Reserving.js"

/** Each statement asks for the client that there is by then. */
const late = (client: Effect.Effect<SqlClient.SqlClient, SqlError>, maxConnections: number) => {
  const reserve = Effect.flatMap(client, reserving)
  const acquirer = Effect.flatMap(
    Effect.serviceOption(SqlClient.TransactionConnection),
    Option.match({ onNone: () => reserve, onSome: ([held]) => Effect.succeed(held) })
  )
  const made = {
    [SqlClient.TypeId]: SqlClient.TypeId,
    config: { maxConnections },
    reserve,
    withoutTransforms: () => whole,
    withTransaction: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.flatMap(client, (one) => one.withTransaction(effect)),
    reactive: (...asked: Parameters<SqlClient.SqlClient["reactive"]>) =>
      Stream.unwrap(Effect.map(Effect.orDie(client), (one) => one.reactive(...asked))),
    reactiveMailbox: (...asked: Parameters<SqlClient.SqlClient["reactiveMailbox"]>) =>
      Effect.flatMap(Effect.orDie(client), (one) => one.reactiveMailbox(...asked))
  }
  const whole: SqlClient.SqlClient = Object.assign(
    Statement.make(acquirer, PgClient.makeCompiler(), [], undefined),
    made
  ) as never
  return Object.assign(whole, { safe: whole })
}

/**
 * Connects when something is first asked of it, so that a program starts without PostgreSQL: until it is there, whatever is
 * asked fails. It fails itself where the secret is missing, or holds no URL.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerSecret = (
  ref: string,
  { maxConnections = 10 }: { readonly maxConnections?: number | undefined } = {}
): Layer.Layer<SqlClient.SqlClient, DatabaseError, SecretsBackend> =>
  Layer.scoped(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const read = yield* fromSecret(ref, { maxConnections, connectMillis: 5000, statementMillis: 10_000 })
      yield* read
      const line = new Line(Effect.flatten(read), {
        permits: maxConnections,
        patience: 0,
        settingUp: () => Effect.succeed({ ahead: 0 }),
        // Whoever asks hears of it.
        say: () => {}
      })
      yield* line.opened
      return late(
        Effect.mapError(
          line.client,
          (cause) => new SqlError({ cause, message: "Failed to acquire connection" })
        ),
        maxConnections
      )
    })
  )

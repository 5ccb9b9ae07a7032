/** How a client of PostgreSQL is come by: by a URL, or from a program that has one. */
import { Socket } from "node:net"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Either, Layer, Redacted, type Scope } from "effect"
import { SecretsBackend } from "../capabilities/secrets/SecretsBackend.js"
import { hostSecret } from "../layers/node/secrets/HostSecret.js"
import { quote } from "../policy/text/Quote.js"
import { addressOf } from "./address.js"
import { DatabaseError } from "./DatabaseError.js"

/** Lives as long as its scope. */
export type Connect = Effect.Effect<SqlClient, SqlError | DatabaseError, Scope.Scope>

interface Where {
  readonly maxConnections: number
  readonly connectMillis: number
  readonly statementMillis: number
}

/** PostgreSQL gives a statement up first, and says so; only one that says nothing any more meets this. */
const SILENCE = 5_000

const ALIVE_AFTER = 10_000

/** Finds out by itself that the other end is gone. */
const socket = (): Socket => new Socket().setKeepAlive(true, ALIVE_AFTER)

export const fromUrl = (
  url: Redacted.Redacted<string>,
  { connectMillis, maxConnections, statementMillis }: Where
): Either.Either<Connect, DatabaseError> =>
  Either.map(
    addressOf(Redacted.value(url), { statementMillis, silenceMillis: statementMillis + SILENCE }),
    (address) =>
      Effect.map(
        Layer.build(
          PgClient.layer({
            url: Redacted.make(address),
            maxConnections,
            connectTimeout: connectMillis,
            idleTimeout: 30_000,
            stream: socket
          })
        ),
        Context.get(PgClient.PgClient)
      )
  )

/** Reads the secret, which is done whenever it is connected anew: a password may have changed. */
export const fromSecret = (
  ref: string,
  where: Where
): Effect.Effect<Effect.Effect<Connect, DatabaseError>, never, SecretsBackend> =>
  Effect.map(SecretsBackend, (secrets) =>
    hostSecret(ref, "storage").pipe(
      Effect.provideService(SecretsBackend, secrets),
      Effect.mapError(
        (detail) =>
          new DatabaseError({
            kind: "away",
            detail: "the URL of PostgreSQL cannot be read; whoever runs the program is told why",
            forOperators: `the secret ${quote(ref)} with the URL of PostgreSQL ${detail}`
          })
      ),
      Effect.flatMap((url) => fromUrl(url, where))
    )
  )

export const fromClient = (client: SqlClient): Connect => Effect.succeed(client)

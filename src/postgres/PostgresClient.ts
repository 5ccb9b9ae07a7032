/**
 * A client of PostgreSQL by the name of the secret that holds its URL, for programs that ask more of it than what is kept
 * there.
 *
 * @since 0.1.0
 */
import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import type { SecretsBackend } from "../capabilities/secrets/SecretsBackend.js"
import { fromSecret } from "./connecting.js"
import type { DatabaseError } from "./DatabaseError.js"
import { troubleOf } from "./Trouble.js"

/**
 * Connects at once, and fails where there is nobody.
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
      const connect = yield* fromSecret(ref, { maxConnections, connectMillis: 5000, statementMillis: 10_000 })
      return yield* Effect.mapError(connect, (error) =>
        error._tag === "SqlError" ? troubleOf(error) : error
      )
    })
  )

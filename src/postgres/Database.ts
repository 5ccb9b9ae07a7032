/**
 * PostgreSQL as this program reaches it. It is connected to when something is first asked of it, and again whenever it was
 * away; a program starts without it. Each thing that is asked is one statement, which PostgreSQL does as a whole or not at
 * all: whoever leaves in the middle leaves nothing half done, and no connection in a state that the next one would meet.
 *
 * @since 0.1.0
 */
import { SqlClient } from "@effect/sql/SqlClient"
import { Context, Duration, Effect, Layer, type Redacted, type Scope } from "effect"
import type { SecretsBackend } from "../capabilities/secrets/SecretsBackend.js"
import { type Connect, fromClient, fromSecret, fromUrl } from "./connecting.js"
import type { DatabaseError } from "./DatabaseError.js"
import { Line } from "./line.js"
import { identifier } from "./schema.js"
import { settingUp } from "./settingUp.js"

/**
 * @since 0.1.0
 */
export declare namespace Database {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    /**
     * Has one statement done. `isRepeatable` says that it may be done twice: then it is asked again where PostgreSQL went
     * away while it ran. All others fail as `unknown` there.
     */
    readonly ask: (
      statement: string,
      values: ReadonlyArray<unknown>,
      options?: { readonly isRepeatable?: boolean }
    ) => Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, DatabaseError>
    /** Fails where it is away. It looks, where nothing is known. */
    readonly reached: Effect.Effect<void, DatabaseError>
    /** The schema that everything lies in, as it stands in a statement. */
    readonly schema: string
    /** What time it is by the clock of PostgreSQL, in milliseconds: that of the caller, and how far PostgreSQL is ahead of it. */
    readonly now: Effect.Effect<number, DatabaseError>
  }

  /**
   * @since 0.1.0
   * @category models
   */
  export interface Options {
    /** The schema that the tables lie in: `bailiwick` unless given. Programs that share one share what they keep. */
    readonly schema?: string | undefined
    /** How many statements run at the same time, each on a connection of its own: 10 unless given. */
    readonly maxConnections?: number | undefined
    /** How long what is asked waits for a connection, or for PostgreSQL to come back: 10 seconds unless given. */
    readonly waitAtMost?: Duration.DurationInput | undefined
    /** Whether tables that are not there are made. Without it, somebody who may do that does it before. */
    readonly migrate?: boolean | undefined
    /** Hears in one sentence that PostgreSQL is away, and that it is back. Without it, that is logged. */
    readonly say?: ((sentence: string) => void) | undefined
  }

  /**
   * @since 0.1.0
   * @category models
   */
  export interface Connecting extends Options {
    /** How long connecting may take: 5 seconds unless given. */
    readonly connectTimeout?: Duration.DurationInput | undefined
    /** How long PostgreSQL works on one statement before it gives it up: 10 seconds unless given. */
    readonly statementTimeout?: Duration.DurationInput | undefined
  }

  /**
   * @since 0.1.0
   * @category models
   */
  export interface UrlOptions extends Connecting {
    /**
     * `postgresql://USER:PASSWORD@HOST:PORT/DATABASE`. What goes to another machine is encrypted, unless `sslmode=disable`
     * stands in it.
     */
    readonly url: Redacted.Redacted<string>
  }
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Database extends Context.Tag("bailiwick/postgres/Database")<Database, Database.Service>() {}

const made = (
  connect: Connect,
  options: Database.Options
): Effect.Effect<Database.Service, DatabaseError, Scope.Scope> =>
  Effect.gen(function* () {
    const schema = yield* identifier(options.schema ?? "bailiwick")
    const line = new Line(connect, {
      permits: options.maxConnections ?? 10,
      patience: Duration.toMillis(options.waitAtMost ?? "10 seconds"),
      settingUp: (client) => settingUp(client, { schema, migrates: options.migrate ?? true }),
      say: options.say
    })
    yield* line.opened
    return {
      ask: (statement, values, { isRepeatable = false } = {}) => line.ask(statement, values, isRepeatable),
      reached: line.reached,
      schema,
      now: line.now
    }
  })

const timesOf = (options: Database.Connecting) => ({
  maxConnections: options.maxConnections ?? 10,
  connectMillis: Duration.toMillis(options.connectTimeout ?? "5 seconds"),
  statementMillis: Duration.toMillis(options.statementTimeout ?? "10 seconds")
})

/**
 * By a URL. It fails only where the options make no sense: a URL that is none, or a schema that is no name.
 *
 * @example
 * ```ts
 * import { Database, PostgresStorage } from "bailiwick/postgres"
 * import { Layer, Redacted } from "effect"
 *
 * const database = Database.layer({ url: Redacted.make("postgresql://agent:secret@localhost:5432/agents") })
 *
 * export const storage = PostgresStorage.layer().pipe(Layer.provide(database))
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Database.UrlOptions): Layer.Layer<Database, DatabaseError> =>
  Layer.scoped(
    Database,
    Effect.flatMap(fromUrl(options.url, timesOf(options)), (connect) => made(connect, options))
  )

/**
 * By a URL that is kept as a secret. It is read whenever PostgreSQL is connected to anew; where it is missing, PostgreSQL
 * counts as away.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerSecret = (
  ref: string,
  options: Database.Connecting = {}
): Layer.Layer<Database, DatabaseError, SecretsBackend> =>
  Layer.scoped(
    Database,
    Effect.flatMap(fromSecret(ref, timesOf(options)), (read) => made(Effect.flatten(read), options))
  )

/**
 * Over a client that the program has already, such as that of `PgClient.layer`. Its limits of time and its encryption are the
 * program's then.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerClient = (
  options: Database.Options = {}
): Layer.Layer<Database, DatabaseError, SqlClient> =>
  Layer.scoped(
    Database,
    Effect.flatMap(SqlClient, (client) => made(fromClient(client), options))
  )

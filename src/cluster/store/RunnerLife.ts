/**
 * The life of a runner, for whoever builds backends that write under it.
 *
 * @since 0.1.0
 */
import * as SqlClient from "@effect/sql/SqlClient"
import { Context, Effect, Layer } from "effect"
import * as Database from "../../postgres/Database.js"
import { Fence } from "../../postgres/Fence.js"
import type { ClusterError } from "../ClusterError.js"
import { awaiting, unreachable } from "./Awaiting.js"
import { Life, WAITS } from "./Life.js"

/**
 * Backends of `bailiwick/postgres` that are built where there is one write only for as long as no other runner has taken
 * over.
 *
 * @since 0.1.0
 * @category tags
 */
export class RunnerLife extends Context.Tag("bailiwick/cluster/RunnerLife")<RunnerLife, Life>() {}

/**
 * Begins the life of a runner, once PostgreSQL is there: where it is away, that is logged, and it is waited for. Build the backends of a runner over it, and the runner itself.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Database.Database.Options = {}
): Layer.Layer<RunnerLife | Fence | Database.Database, ClusterError, SqlClient.SqlClient> => {
  const database = Layer.unwrapScoped(
    Effect.as(
      awaiting(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1`),
        WAITS
      ),
      Layer.mapError(Database.layerClient(options), unreachable)
    )
  )
  const life = Layer.scopedContext(
    Effect.map(Life.begin, (life) => Context.make(RunnerLife, life).pipe(Context.add(Fence, life.fence)))
  )
  return Layer.provideMerge(life, database)
}

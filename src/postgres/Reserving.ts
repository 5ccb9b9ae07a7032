/**
 * A connection for a scope. Whoever leaves while he waits for one leaves it to a client of `@effect/sql-pg`, which hands it to
 * nobody any more: after some who left, no connection was left for the others. Here it comes all the same, and goes back with
 * the scope.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Fiber } from "effect"

export const reserving = ({ reserve }: SqlClient): SqlClient["reserve"] =>
  Effect.flatMap(Effect.forkDaemon(reserve), Fiber.join)

/** The same client, for those who reserve connections and may leave. */
export const givingBack = (client: SqlClient): SqlClient => {
  const reserve = reserving(client)
  return new Proxy(client, {
    get: (found, key) => (key === "reserve" ? reserve : Reflect.get(found, key))
  })
}

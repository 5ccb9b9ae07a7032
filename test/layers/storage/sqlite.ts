/** The file of a store, looked at or held by somebody else in this process. */
import { join } from "node:path"
import { Effect } from "effect"
import type { Connection } from "../../../src/layers/node/storage/connection.js"
import { load } from "../../../src/layers/node/storage/driver.js"

export const fileOf = (directory: string): string => join(directory, "store.db")

/** A connection of its own, of the same SQLite. */
export const connected = (file: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => (await load())(file)),
    (connection) => Effect.sync(() => connection.close())
  )

/** Lets nobody else read or write, until it is let go of. */
export const held = (directory: string) =>
  Effect.map(connected(fileOf(directory)), (connection: Connection) => {
    connection.exec("BEGIN EXCLUSIVE")
    return { letGo: Effect.sync(() => connection.exec("COMMIT")) }
  })

/** How many entries the file holds, live or not, and what the sums of their namespaces say. */
export const counted = (directory: string) =>
  Effect.scoped(
    Effect.map(connected(fileOf(directory)), (connection) =>
      connection.reading((queries) => ({
        entries: queries.first("SELECT count(*), coalesce(sum(bytes), 0) FROM entries", []),
        sums: queries.first("SELECT coalesce(sum(entries), 0), coalesce(sum(bytes), 0) FROM usage", [])
      }))
    )
  )

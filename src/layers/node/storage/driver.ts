/** SQLite, from Node itself or from a package: one of the two in a process, and the same file for both. */
import { builtin, hasBuiltin } from "./builtin.js"
import type { Open } from "./connection.js"
import { libsql } from "./libsql.js"

let loaded: Open | undefined

/** Loads nothing before the store is used. What cannot be loaded is tried again by the next call. */
export const load = async (): Promise<Open> => {
  loaded ??= hasBuiltin(process.versions.node) ? builtin() : await libsql()
  return loaded
}

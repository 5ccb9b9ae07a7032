/**
 * The tables, and how they come to be. A version that is not there yet is made once, however many programs start at the same
 * time; a program that finds a later version than it knows does not touch it.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import type { DatabaseError } from "./DatabaseError.js"
import * as Migrating from "./migrating.js"
import { identifier } from "./schema.js"

/**
 * The version of the tables that this program works with.
 *
 * @since 0.1.0
 * @category models
 */
export const version: number = Migrating.version

/**
 * The statement that makes the tables, for those who look at it first and have somebody else run it than the program's own
 * user.
 *
 * @example
 * ```ts
 * import { Migrations } from "bailiwick/postgres"
 *
 * console.log(Migrations.sql().startsWith("DO "))
 * ```
 *
 * ```text output
 * true
 * ```
 *
 * @since 0.1.0
 * @category accessors
 */
export const sql = (schema = "bailiwick"): string =>
  Either.getOrThrowWith(Either.map(identifier(schema), Migrating.statement), (error: DatabaseError) => error)

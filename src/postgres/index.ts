/**
 * State in PostgreSQL.
 *
 * @since 0.1.0
 */
export * as Database from "./Database.js"
export { DatabaseError } from "./DatabaseError.js"
export * as Fence from "./Fence.js"
export * as Migrations from "./Migrations.js"
export * as PostgresAudit from "./PostgresAudit.js"
export * as PostgresClient from "./PostgresClient.js"
export * as PostgresRecords from "./PostgresRecords.js"
export * as PostgresStorage from "./PostgresStorage.js"

/** What is done to the tables, in one step each, inside of a transaction. */
import { Either } from "effect"
import { endOf } from "../../../capabilities/storage/KeyRange.js"
import { overQuota, type Quota, sizeOf } from "../../../capabilities/storage/Quota.js"
import type { StorageError } from "../../../capabilities/storage/StorageOperations.js"
import type { Queries, Row, Value } from "./connection.js"
import { decode, encode } from "./layout.js"

export interface At {
  readonly namespace: string
  readonly key: string
}

/** What one step may remove, so that it holds nobody up: so many entries, and not much more than so many bytes. */
export interface Bound {
  readonly entries: number
  readonly bytes: number
}

export const read = (queries: Queries, { key, namespace }: At, now: number): string | null => {
  const row = queries.first(
    "SELECT value FROM entries WHERE namespace = ? AND key = ? AND (expires IS NULL OR expires > ?)",
    [namespace, key, now]
  )
  return row === undefined ? null : decode(row[0])
}

const LIVE = "SELECT key FROM entries WHERE namespace = ? AND (expires IS NULL OR expires > ?)"

/** Looks at the keys that begin with the prefix, and at no others. */
export const list = (queries: Queries, namespace: string, prefix: string, now: number): Array<string> => {
  const end = endOf(prefix)
  const rows =
    end === undefined
      ? queries.all(`${LIVE} AND key >= ?`, [namespace, now, prefix])
      : queries.all(`${LIVE} AND key >= ? AND key < ?`, [namespace, now, prefix, end])
  return rows.map(([key]) => String(key)).sort()
}

export const remove = (queries: Queries, { key, namespace }: At): void => {
  queries.run("DELETE FROM entries WHERE namespace = ? AND key = ?", [namespace, key])
}

/** Removes rows of an id and a size; answers with whether it may have left some. */
const removeRows = (queries: Queries, rows: ReadonlyArray<Row>, bound: Bound): boolean => {
  let bytes = 0
  for (const [index, [id = null, size]] of rows.entries()) {
    if (bytes >= bound.bytes) return index < rows.length
    queries.run("DELETE FROM entries WHERE id = ?", [id])
    bytes += Number(size)
  }
  return rows.length === bound.entries
}

/** Removes what has expired, the oldest first; answers with whether there may be more. */
export const sweep = (queries: Queries, now: number, bound: Bound): boolean => {
  const found = queries.all("SELECT id, bytes FROM entries WHERE expires <= ? ORDER BY expires LIMIT ?", [
    now,
    bound.entries
  ])
  return removeRows(queries, found, bound)
}

export const hasExpired = (queries: Queries, now: number): boolean =>
  queries.first("SELECT 1 FROM entries WHERE expires <= ? LIMIT 1", [now]) !== undefined

/** Removes entries of a namespace; answers with whether there may be more. */
export const clear = (queries: Queries, namespace: string, bound: Bound): boolean => {
  const found = queries.all("SELECT id, bytes FROM entries WHERE namespace = ? LIMIT ?", [
    namespace,
    bound.entries
  ])
  return removeRows(queries, found, bound)
}

const sweepWithin = (queries: Queries, namespace: string, now: number, bound: Bound): boolean => {
  const found = queries.all("SELECT id, bytes FROM entries WHERE namespace = ? AND expires <= ? LIMIT ?", [
    namespace,
    now,
    bound.entries
  ])
  return removeRows(queries, found, bound) || found.length > 0
}

const figure = (value: Value | undefined): number => (typeof value === "number" ? value : 0)

/** What is there of the entry, and what its namespace holds. */
const HELD = `SELECT (SELECT bytes FROM entries WHERE namespace = ?1 AND key = ?2), entries, bytes
  FROM usage WHERE namespace = ?1`

const refusal = (queries: Queries, { key, namespace }: At, bytes: number, quota: Quota) => {
  const [old = null, entries, used] = queries.first(HELD, [namespace, key]) ?? []
  const held = { entries: figure(entries), bytes: figure(used) }
  return overQuota(held, { entries: old === null ? 1 : 0, bytes: bytes - figure(old) }, quota)
}

/** What has expired counts no longer: it is removed before anybody is refused. */
const roomFor = (queries: Queries, at: At, bytes: number, now: number, limits: Limits) => {
  let refused = refusal(queries, at, bytes, limits.quota)
  while (refused !== undefined && sweepWithin(queries, at.namespace, now, limits.batch)) {
    refused = refusal(queries, at, bytes, limits.quota)
  }
  return refused
}

export interface Limits {
  readonly quota: Quota
  readonly batch: Bound
}

export const write = (
  queries: Queries,
  at: At,
  entry: { readonly value: string; readonly ttlSeconds?: number | undefined },
  now: number,
  limits: Limits
): Either.Either<void, StorageError> => {
  const bytes = sizeOf(at.key, entry.value)
  const refused = roomFor(queries, at, bytes, now, limits)
  if (refused !== undefined) return Either.left(refused)
  const expires = entry.ttlSeconds === undefined ? null : now + entry.ttlSeconds * 1000
  queries.run(
    `INSERT INTO entries (namespace, key, expires, bytes, value) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (namespace, key) DO UPDATE SET expires = excluded.expires, bytes = excluded.bytes, value = excluded.value`,
    [at.namespace, at.key, expires, bytes, encode(entry.value)]
  )
  return Either.void
}

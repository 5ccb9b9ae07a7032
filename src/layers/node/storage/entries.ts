/** What is done to the tables, in one step each: reads outside of a transaction, changes inside of one. */
import {
  decode,
  expiredBy,
  expiresOf,
  expiryKey,
  keyOfExpiry,
  nameIn,
  type Range,
  rangeIn,
  setExpires
} from "./layout.js"
import type { Tables } from "./tables.js"

/** The index says everything with its keys. */
const NOTHING = Buffer.from([0])

const lives = (entry: Buffer | undefined, now: number): entry is Buffer =>
  entry !== undefined && expiresOf(entry) > now

export const read = ({ entries }: Tables, key: Buffer, now: number): string | null => {
  const entry = entries.getBinary(key)
  return lives(entry, now) ? decode(entry) : null
}

export const remove = ({ entries, expiries }: Tables, key: Buffer): void => {
  const old = entries.getBinary(key)
  if (old === undefined) return
  entries.removeSync(key)
  if (Number.isFinite(expiresOf(old))) expiries.removeSync(expiryKey(expiresOf(old), key))
}

export const write = (
  tables: Tables,
  key: Buffer,
  entry: Buffer | null,
  ttlSeconds: number | undefined,
  now: number
): void => {
  remove(tables, key)
  const expires = now + (ttlSeconds ?? Number.POSITIVE_INFINITY) * 1000
  if (entry === null || expires <= now) return
  setExpires(entry, expires)
  // The index comes first: should the entry not fit, what is left is a row that the sweep drops.
  if (Number.isFinite(expires)) tables.expiries.putSync(expiryKey(expires, key), NOTHING)
  tables.entries.putSync(key, entry)
}

const keysIn = (table: Tables["entries"], { end, start }: Range, limit?: number): Array<Buffer> => [
  ...table.getKeys(limit === undefined ? { start, end } : { start, end, limit })
]

/** Names of live entries. Values are not read for it: what has expired stands in the index until it is swept. */
export const list = (
  { entries, expiries }: Tables,
  namespacePrefix: Buffer,
  prefix: string,
  now: number
): Array<string> => {
  const expired = new Set(keysIn(expiries, expiredBy(now)).map((key) => keyOfExpiry(key).toString("latin1")))
  return keysIn(entries, rangeIn(namespacePrefix, prefix))
    .filter((key) => !expired.has(key.toString("latin1")) || lives(entries.getBinary(key), now))
    .map((key) => nameIn(namespacePrefix, key))
    .sort()
}

/** Removes what has expired, the oldest first, up to a limit; answers with how many rows it looked at. */
export const sweep = ({ entries, expiries }: Tables, now: number, limit: number): number => {
  const rows = keysIn(expiries, expiredBy(now), limit)
  for (const row of rows) {
    const key = keyOfExpiry(row)
    const entry = entries.getBinary(key)
    if (entry !== undefined && !lives(entry, now)) entries.removeSync(key)
    expiries.removeSync(row)
  }
  return rows.length
}

/** Removes entries of a namespace, up to a limit; answers with how many. */
export const clear = (tables: Tables, namespacePrefix: Buffer, limit: number): number => {
  const keys = keysIn(tables.entries, rangeIn(namespacePrefix, ""), limit)
  for (const key of keys) remove(tables, key)
  return keys.length
}

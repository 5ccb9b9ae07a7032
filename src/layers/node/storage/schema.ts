/** The tables of the store, and how its file says what it is. */
import type { Connection, Queries } from "./connection.js"
import { damaged, foreign, newer } from "./failure.js"

/** `BWKS`. SQLite keeps it in the header, so that nobody takes one program's file for another's. */
const APPLICATION = 0x42574b53

/** Of the tables below. A file with a higher one is of a later version. */
const VERSION = 1

/**
 * Text stands as text, so that an operator can read it with any SQLite. Triggers keep the sums of each namespace, so that
 * no way to remove an entry can forget them. Names stand in each entry: an id could be given anew while somebody still
 * holds the old one.
 */
const TABLES = `
CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  namespace TEXT NOT NULL,
  key TEXT NOT NULL,
  expires INTEGER,
  bytes INTEGER NOT NULL,
  value ANY NOT NULL,
  UNIQUE (namespace, key)
) STRICT;
CREATE INDEX expiring ON entries (expires) WHERE expires IS NOT NULL;
CREATE INDEX expiring_within ON entries (namespace, expires) WHERE expires IS NOT NULL;
CREATE TABLE usage (
  namespace TEXT PRIMARY KEY,
  entries INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER entry_added AFTER INSERT ON entries BEGIN
  INSERT INTO usage VALUES (new.namespace, 1, new.bytes)
    ON CONFLICT (namespace) DO UPDATE SET entries = entries + 1, bytes = bytes + new.bytes;
END;
CREATE TRIGGER entry_changed AFTER UPDATE OF bytes ON entries BEGIN
  UPDATE usage SET bytes = bytes + new.bytes - old.bytes WHERE namespace = new.namespace;
END;
CREATE TRIGGER entry_removed AFTER DELETE ON entries BEGIN
  UPDATE usage SET entries = entries - 1, bytes = bytes - old.bytes WHERE namespace = old.namespace;
  DELETE FROM usage WHERE namespace = old.namespace AND entries = 0;
END;
PRAGMA application_id = ${APPLICATION};
PRAGMA user_version = ${VERSION};
`

/**
 * No call waits inside of SQLite, which would hold up the whole process. Nothing is acknowledged before it is on the
 * disk; `fullfsync` makes that true on macOS too.
 */
const SETTINGS = `
PRAGMA busy_timeout = 0;
PRAGMA synchronous = FULL;
PRAGMA fullfsync = ON;
PRAGMA trusted_schema = OFF;
PRAGMA cell_size_check = ON;
`

/** The journal of one mode for both drivers: docs/storage.md says why it is no write-ahead log. */
const JOURNAL = "truncate"

const numberOf = (queries: Queries, sql: string): unknown => queries.first(sql, [])?.[0]

/** Whether the file is new. Fails where it is not ours, without a change to it. */
const isBlank = (queries: Queries): boolean => {
  const application = numberOf(queries, "PRAGMA application_id")
  if (application === APPLICATION) {
    const version = numberOf(queries, "PRAGMA user_version")
    if (typeof version !== "number" || version < 1) throw damaged
    if (version > VERSION) throw newer
    return false
  }
  if (application !== 0 || numberOf(queries, "SELECT count(*) FROM sqlite_schema") !== 0) throw foreign
  return true
}

/** Fails as busy when another process has the file open in another mode. */
const setJournal = (connection: Connection): void => {
  connection.exec(`PRAGMA journal_mode = ${JOURNAL}`)
  if (connection.reading((queries) => numberOf(queries, "PRAGMA journal_mode")) !== JOURNAL) {
    throw Object.assign(new Error("the journal is in use"), { rawCode: 5 })
  }
}

/** Makes a connection ready. It may be called again after it failed. */
export const setUp = (connection: Connection): void => {
  connection.exec(SETTINGS)
  const blank = connection.reading(isBlank)
  setJournal(connection)
  if (!blank) return
  connection.writing((queries) => {
    // Another process may have been first.
    if (isBlank(queries)) connection.exec(TABLES)
  })
}

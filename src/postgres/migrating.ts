/** The versions of the tables, and the one statement that makes what is missing of them. */
import { audit } from "./tables/AuditTable.js"
import { durably } from "./tables/Durably.js"
import { entries } from "./tables/EntryTables.js"
import { fences } from "./tables/FenceTable.js"
import { records } from "./tables/RecordTables.js"

interface Migration {
  readonly name: string
  readonly tables: (schema: string) => string
}

/** In their order; the first is version 1. What was published is not changed any more. */
const all: ReadonlyArray<Migration> = [
  {
    name: "fences, entries, records, audit",
    tables: (schema) => [durably, fences, entries, records, audit].map((make) => make(schema)).join("")
  }
]

/** The version of the tables that this program works with. */
export const version: number = all.length

/** One statement that makes what is missing, or does nothing; `schema` as it stands in a statement. */
export const statement = (schema: string): string => `DO $bailiwick$
DECLARE found integer;
BEGIN
PERFORM pg_advisory_xact_lock(hashtextextended('bailiwick migrations ${schema}', 0));
IF to_regnamespace('${schema}') IS NULL THEN CREATE SCHEMA ${schema}; END IF;
CREATE TABLE IF NOT EXISTS ${schema}.migrations (
  version integer PRIMARY KEY,
  name text NOT NULL,
  applied timestamptz NOT NULL DEFAULT clock_timestamp()
);
SELECT coalesce(max(m.version), 0) INTO found FROM ${schema}.migrations m;
${all
  .map(
    ({ name, tables }, index) => `IF found < ${index + 1} THEN
${tables(schema).trim()}
INSERT INTO ${schema}.migrations (version, name) VALUES (${index + 1}, '${name}');
END IF;`
  )
  .join("\n")}
END $bailiwick$;
`

/** What stands under `storage` in `bailiwick.yaml`: where entries are kept, if not in the workspace. */
import { Either } from "effect"
import * as Request from "../../policy/lattice/Request.js"
import type { Reading } from "../../policy/text/Problem.js"
import { type Mapping, problem, type Yaml } from "../../policy/text/StrictYaml.js"
import * as Shape from "../../policy/text/YamlShape.js"
import type { AuditKey } from "./AuditKey.js"

export interface StorageKey {
  /** The ref of the secret that holds the URL of PostgreSQL. */
  readonly url: string
  readonly schema: string
  /** Whether the audit log is kept there, too. */
  readonly audit: boolean
}

const KEYS = ["url", "schema", "audit"]

/** As the layer has it, which is not loaded to read a file. */
const SCHEMA = /^(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}$/

/** Who writes the URL itself here is told so without it. */
const ref = (value: Yaml, what: string): Reading<string> =>
  Either.flatMap(Shape.text(value, what), (given) =>
    Either.match(Request.secret(given.text), {
      onLeft: () =>
        problem(
          "VALUE_INVALID",
          given,
          `${what} is no name of a secret`,
          "keep the URL as a secret, and write the name of that, as in DATABASE_URL"
        ),
      onRight: () => Either.right(given.text)
    })
  )

const schema = (value: Yaml, what: string): Reading<string> =>
  Either.flatMap(Shape.text(value, what), (given) =>
    SCHEMA.test(given.text)
      ? Either.right(given.text)
      : problem(
          "VALUE_INVALID",
          given,
          `${what} is no name of a schema`,
          "write up to 63 small letters, digits and '_'"
        )
  )

const RECORDS =
  "leave it out: records stay files, for agents and their grants are read from them; a program of your own may keep them there, with PostgresRecords"

const postgres = (value: Yaml, what: string): Reading<StorageKey> =>
  Either.gen(function* () {
    const records = value._tag === "Mapping" ? value.entries.get("records") : undefined
    if (records !== undefined) {
      return yield* problem("KEY_UNKNOWN", records.at, `'records' is not a key of ${what}`, RECORDS)
    }
    const map = yield* Shape.mapping(value, what, KEYS)
    const url = yield* Shape.optional(map, "url", ref, "storage.postgres.url")
    if (url === undefined) {
      return yield* problem(
        "KEY_MISSING",
        value.at,
        `${what} has no 'url'`,
        "write the name of the secret that holds it, as in url: DATABASE_URL"
      )
    }
    return {
      url,
      schema: (yield* Shape.optional(map, "schema", schema, "storage.postgres.schema")) ?? "bailiwick",
      audit: (yield* Shape.optional(map, "audit", Shape.yesOrNo, "storage.postgres.audit")) ?? false
    }
  })

/** `{ postgres: { url, schema?, audit? } }`. */
export const read = (value: Yaml, what: string): Reading<StorageKey | undefined> =>
  Either.flatMap(Shape.mapping(value, what, ["postgres"]), (map) =>
    Shape.optional(map, "postgres", postgres, "storage.postgres")
  )

const OF_FILES = [
  ["fsync", "fsync"],
  ["keepDays", "keep_days"],
  ["fileBytes", "file_bytes"]
] as const

/** What is about files says nothing of a log in PostgreSQL: who wrote it expects something of it. */
export const checked = (
  workspace: Mapping,
  storage: StorageKey | undefined,
  audit: AuditKey
): Reading<StorageKey | undefined> => {
  if (storage?.audit !== true || audit === "off") return Either.right(storage)
  const meant = OF_FILES.find(([key]) => audit[key] !== undefined)
  const at = workspace.entries.get("audit")?.at ?? workspace.at
  return meant === undefined
    ? Either.right(storage)
    : problem(
        "VALUE_INVALID",
        at,
        `'audit.${meant[1]}' is about files, and the log is kept in PostgreSQL`,
        `delete it, or delete 'storage.postgres.audit'`
      )
}

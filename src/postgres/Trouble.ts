/** What a driver says, as one of the errors that there are. Nothing of its own words goes on: they name hosts and users. */
import type { SqlError } from "@effect/sql/SqlError"
import { DatabaseError } from "./DatabaseError.js"

type Kind = DatabaseError["kind"]

const property = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && key in value ? Reflect.get(value, key) : undefined

/** Five characters of PostgreSQL, or a name of the system. */
const CODE = /^[0-9A-Z_]{3,40}$/

const codeOf = (cause: unknown): string | undefined => {
  const code = property(cause, "code")
  return typeof code === "string" && CODE.test(code) ? code : undefined
}

const textOf = (cause: unknown): string => {
  const message = property(cause, "message")
  return typeof message === "string" ? message : ""
}

const WORDS: ReadonlyMap<string, readonly [kind: Kind, words: string]> = new Map([
  ["28P01", ["away", "does not take the password in the URL; correct the secret that holds it"]],
  ["28000", ["away", "does not let this user in; look at pg_hba.conf, and at the user in the URL"]],
  ["3D000", ["away", "has no database of the name in the URL; create it, or correct the secret"]],
  ["53300", ["away", "has no connection left; raise max_connections, or lower those of its clients"]],
  ["57P03", ["away", "is starting, or is shutting down; try again later"]],
  ["ENOTFOUND", ["away", "is at a host that has no address; correct the secret that holds the URL"]],
  [
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    ["away", "shows a certificate of its own making; name its authority with sslrootcert"]
  ],
  [
    "SELF_SIGNED_CERT_IN_CHAIN",
    ["away", "shows a certificate of an unknown authority; name it with sslrootcert"]
  ],
  [
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    ["away", "shows a certificate of an unknown authority; name it with sslrootcert"]
  ],
  [
    "ERR_TLS_CERT_ALTNAME_INVALID",
    ["away", "shows the certificate of another host; correct the host in the URL"]
  ],
  ["CERT_HAS_EXPIRED", ["away", "shows a certificate that has expired; have it renewed"]],
  ["57014", ["busy", "did not finish in time, and did nothing; try again later"]],
  ["55P03", ["busy", "waited for another client in vain, and did nothing; try again later"]],
  ["40001", ["busy", "was in the way of another client, and did nothing; try again"]],
  ["40P01", ["busy", "was in the way of another client, and did nothing; try again"]],
  ["53100", ["refused", "has no space left on its disk; free some"]],
  ["53200", ["refused", "has no memory left; give it more"]],
  [
    "25006",
    ["refused", "only reads here: it is a standby, or was made read-only; name the primary in the URL"]
  ],
  ["42501", ["refused", "does not let this user do that; grant what docs/postgres.md lists"]],
  ["42P01", ["refused", "lacks a table of the schema; restore it, or have the migrations run"]],
  ["42883", ["refused", "lacks a function of the schema; restore it, or have the migrations run"]],
  ["3F000", ["refused", "lacks the schema; restore it, or have the migrations run"]],
  ["54000", ["refused", "cannot take so much at once; write less"]]
])

/** Of PostgreSQL when it ends a connection, and of the system when one breaks. */
const LOST = /^(?:08|57P0[1245]$)|^(?:ECONNRESET|EPIPE|ETIMEDOUT|ENOTCONN|ECONNABORTED)$/

const LOST_WORDS = /terminated|read timeout|not queryable|connection (?:error|is closed)|server conn/i

const isConnecting = ({ message }: SqlError): boolean =>
  message?.startsWith("Failed to acquire") === true || message?.startsWith("PgClient:") === true

const SILENT = /timeout|timed out/i

const away = (code: string | undefined, cause: unknown): DatabaseError => {
  const said = code === undefined ? undefined : WORDS.get(code)
  const name = code ?? (SILENT.test(textOf(cause)) ? "it does not answer" : undefined)
  return new DatabaseError({
    kind: "away",
    detail:
      said === undefined
        ? `PostgreSQL cannot be reached${name === undefined ? "" : ` (${name})`}; start it, or correct the secret that holds its URL`
        : `PostgreSQL ${said[1]}`,
    ...(code === undefined ? {} : { named: code })
  })
}

/** What became of a write is not known here. */
const LEFT =
  "PostgreSQL went away while it worked; what was asked of it is done, or it is not: read again before you repeat it"

export const troubleOf = (error: SqlError): DatabaseError => {
  const { cause } = error
  if (cause instanceof DatabaseError) return cause
  const code = codeOf(cause)
  const named = code === undefined ? {} : { named: code }
  if (isConnecting(error)) return away(code, cause)
  if ((code !== undefined && LOST.test(code)) || LOST_WORDS.test(textOf(cause))) {
    return new DatabaseError({ kind: "unknown", detail: LEFT, ...named })
  }
  const [kind, words] = WORDS.get(code ?? "") ?? [
    "refused" as const,
    `did not do what was asked${code === undefined ? "" : ` (${code})`}; its log says why`
  ]
  return new DatabaseError({ kind, detail: `PostgreSQL ${words}`, ...named })
}

/** Whether the connections are of no use any more, though nobody closed them. */
export const isSilence = ({ cause }: SqlError): boolean => /read timeout/i.test(textOf(cause))

export const refused = (detail: string): DatabaseError => new DatabaseError({ kind: "refused", detail })

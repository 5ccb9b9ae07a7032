/** The entry in a line, or why there is none. */
import { Schema } from "effect"
import { AuditEntry, Call, Decision, Gap, VERSION } from "../../../audit/AuditEntry.js"
import { Code, Reason } from "../../../policy/lattice/Denial.js"
import type { Remark } from "./remarks.js"

type Fields = { readonly [key: string]: unknown }

const codes: ReadonlySet<unknown> = new Set(Code.literals)
const reasons: ReadonlySet<unknown> = new Set(Reason.literals)
const results: ReadonlySet<unknown> = new Set(Call.fields.code.literals)

const isText = (value: unknown): boolean => typeof value === "string"
const isTextOrAbsent = (value: unknown): boolean => value === undefined || typeof value === "string"

const isWho = ({ agent, call, origin, personality, revision, session, time, tool }: Fields): boolean =>
  [time, session, revision, call, tool, origin].every(isText) && [agent, personality].every(isTextOrAbsent)

const isDecision = (given: Fields): boolean =>
  isWho(given) &&
  isText(given.capability) &&
  isText(given.asked) &&
  typeof given.allowed === "boolean" &&
  isTextOrAbsent(given.scope) &&
  isTextOrAbsent(given.by) &&
  (given.code === undefined || codes.has(given.code)) &&
  (given.reason === undefined || reasons.has(given.reason))

const kinds: ReadonlyMap<unknown, (given: Fields) => boolean> = new Map([
  ["decision", isDecision],
  ["call", (given: Fields) => isWho(given) && results.has(given.code) && typeof given.ms === "number"],
  ["gap", ({ lost, time, why }: Fields) => isText(time) && Number.isSafeInteger(lost) && isText(why)]
])

/** What the schema says, at a tenth of its time: a log has many lines. */
export const isEntry = (value: unknown): value is AuditEntry => {
  if (typeof value !== "object" || value === null) return false
  const given = value as Fields
  return given.v === VERSION && kinds.get(given.type)?.(given) === true
}

const isOtherVersion = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "v" in value &&
  typeof value.v === "number" &&
  value.v !== VERSION

/** So begins every entry, and nothing in the midst of one: quotes in a text are escaped. */
const BEGINNING = '{"v":'

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const known: ReadonlySet<string> = new Set([Decision, Call, Gap].flatMap(({ fields }) => Object.keys(fields)))

const strictly = Schema.decodeSync(AuditEntry)

/** What else stands in a line is no part of its entry: how it stands in a chain, or what strangers wrote. */
const bare = (entry: AuditEntry): AuditEntry =>
  Object.keys(entry).every((key) => known.has(key)) ? entry : strictly(entry)

export interface Found {
  readonly entry?: AuditEntry
  readonly remark?: Remark["kind"]
}

export const entryIn = (text: string): Found => {
  const value = parse(text)
  if (isEntry(value)) return { entry: bare(value) }
  if (value !== undefined) return { remark: isOtherVersion(value) ? "version" : "foreign" }
  if (!text.startsWith(BEGINNING.slice(0, text.length))) return { remark: "foreign" }
  // One that was cut off, and another writer's behind it.
  const behind = parse(text.slice(text.lastIndexOf(BEGINNING)))
  return isEntry(behind) ? { entry: bare(behind), remark: "torn" } : { remark: "torn" }
}

/** The entries in a line, or why there are none. */
import { Schema } from "effect"
import {
  type AuditEntry,
  Call,
  Calls,
  Decision,
  Gap,
  InLine,
  SHARING,
  unpacked,
  VERSION
} from "../../../audit/AuditEntry.js"
import { Code, Reason } from "../../../policy/lattice/Denial.js"
import type { Remark } from "./remarks.js"

type Fields = { readonly [key: string]: unknown }

const codes: ReadonlySet<unknown> = new Set(Code.literals)
const reasons: ReadonlySet<unknown> = new Set(Reason.literals)
const results: ReadonlySet<unknown> = new Set(Call.fields.code.literals)

const isText = (value: unknown): boolean => typeof value === "string"
const isTextOrAbsent = (value: unknown): boolean => value === undefined || typeof value === "string"

const isWho = ({ agent, origin, personality, revision, session, time, tool }: Fields): boolean =>
  [time, session, revision, tool, origin].every(isText) && [agent, personality].every(isTextOrAbsent)

const isDecision = (given: Fields): boolean =>
  isWho(given) &&
  isText(given.call) &&
  isText(given.capability) &&
  isText(given.asked) &&
  typeof given.allowed === "boolean" &&
  isTextOrAbsent(given.scope) &&
  isTextOrAbsent(given.by) &&
  (given.code === undefined || codes.has(given.code)) &&
  (given.reason === undefined || reasons.has(given.reason))

const isCall = (given: Fields): boolean =>
  isWho(given) && results.has(given.code) && isText(given.call) && typeof given.ms === "number"

const isOfCall = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && isText(value[0]) && typeof value[1] === "number"

const areCalls = (given: Fields): boolean =>
  isWho(given) &&
  results.has(given.code) &&
  Array.isArray(given.calls) &&
  given.calls.length <= SHARING &&
  given.calls.every(isOfCall)

const kinds: ReadonlyMap<unknown, (given: Fields) => boolean> = new Map([
  ["decision", isDecision],
  ["call", isCall],
  ["calls", areCalls],
  ["gap", ({ lost, time, why }: Fields) => isText(time) && Number.isSafeInteger(lost) && isText(why)]
])

/** What the schema says, at a tenth of its time: a log has many lines. */
export const isInLine = (value: unknown): value is InLine => {
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

/** So begins every line, and nothing in the midst of one: quotes in a text are escaped. */
const BEGINNING = '{"v":'

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const known: ReadonlySet<string> = new Set(
  [Decision, Call, Calls, Gap].flatMap(({ fields }) => Object.keys(fields))
)

const strictly = Schema.decodeSync(InLine)

/** What else stands in a line is no part of its entries: how it stands in a chain, or what strangers wrote. */
const bare = (line: InLine): ReadonlyArray<AuditEntry> =>
  unpacked(Object.keys(line).every((key) => known.has(key)) ? line : strictly(line))

export interface Found {
  readonly entries: ReadonlyArray<AuditEntry>
  readonly remark?: Remark["kind"]
}

export const entriesIn = (text: string): Found => {
  const value = parse(text)
  if (isInLine(value)) return { entries: bare(value) }
  if (value !== undefined) return { entries: [], remark: isOtherVersion(value) ? "version" : "foreign" }
  if (!text.startsWith(BEGINNING.slice(0, text.length))) return { entries: [], remark: "foreign" }
  // One that was cut off, and another writer's behind it.
  const behind = parse(text.slice(text.lastIndexOf(BEGINNING)))
  return { entries: isInLine(behind) ? bare(behind) : [], remark: "torn" }
}

/**
 * What the audit log holds of an agent's work: each decision that was taken, and what came of each call. An entry says who
 * asked for what and by which line it was allowed; it never has contents, arguments or secrets.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { Code, Reason } from "../policy/lattice/Denial.js"

/**
 * The version of the shape. A reader that meets another leaves the entry out, and says so.
 *
 * @since 0.1.0
 * @category schemas
 */
export const VERSION = 1

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** On whose behalf, and by which tool. */
const who = {
  v: Schema.Literal(VERSION),
  /** When it was decided or answered: ISO 8601 in UTC, with milliseconds. */
  time: Schema.String,
  session: Schema.String,
  agent: optional(Schema.String),
  personality: optional(Schema.String),
  /** The policy that it was decided under. */
  revision: Schema.String,
  tool: Schema.String,
  /** `host` for a tool of the program itself, `plugin:<name>`, `mcp:<server>`, `module:<file>` of an isolated one; `unknown` where no tool has the name. */
  origin: Schema.String
}

/** The id of the call; empty for what belongs to no call. */
const call = Schema.String

/** `ok`, or the code of the result. */
const came = Schema.Literal(
  "ok",
  "input_invalid",
  "not_available",
  "execution_failed",
  "timeout",
  "interrupted"
)

/**
 * @since 0.1.0
 * @category schemas
 */
export const Decision = Schema.Struct({
  ...who,
  call,
  type: Schema.Literal("decision"),
  capability: Schema.String,
  /** In one line: the method and URL without its query, the path, the name of a command without its arguments. */
  asked: Schema.String,
  allowed: Schema.Boolean,
  /** The scope that allowed it. */
  scope: optional(Schema.String),
  code: optional(Code),
  reason: optional(Reason),
  /** The line that allowed it, as `file:line`; where two policies must allow it, both, with a comma between them. */
  by: optional(Schema.String)
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Decision extends Schema.Schema.Type<typeof Decision> {}

/**
 * @since 0.1.0
 * @category schemas
 */
export const Call = Schema.Struct({
  ...who,
  call,
  type: Schema.Literal("call"),
  code: came,
  /** How long it took, in milliseconds. */
  ms: Schema.Number
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Call extends Schema.Schema.Type<typeof Call> {}

/**
 * Entries that could not be kept, and were not waited for because the settings say so.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Gap = Schema.Struct({
  v: Schema.Literal(VERSION),
  time: Schema.String,
  type: Schema.Literal("gap"),
  /** How many. */
  lost: Schema.Int,
  why: Schema.String
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Gap extends Schema.Schema.Type<typeof Gap> {}

/**
 * @since 0.1.0
 * @category schemas
 */
export const AuditEntry = Schema.Union(Decision, Call, Gap)

/**
 * @since 0.1.0
 * @category models
 */
export type AuditEntry = typeof AuditEntry.Type

/**
 * So many calls share a line at most: it stays far below the longest that is read, whatever their ids are.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SHARING = 1_000

/**
 * Calls of one tool that ended one behind the other in the same millisecond, and came to the same. A log may hold them as one:
 * calls that do nothing cost more to write down than to make.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Calls = Schema.Struct({
  ...who,
  type: Schema.Literal("calls"),
  code: came,
  /** The id of each, and how long it took. */
  calls: Schema.Array(Schema.Tuple(call, Schema.Number)).pipe(Schema.maxItems(SHARING))
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Calls extends Schema.Schema.Type<typeof Calls> {}

/**
 * What a line of a log holds.
 *
 * @since 0.1.0
 * @category schemas
 */
export const InLine = Schema.Union(Decision, Call, Calls, Gap)

/**
 * @since 0.1.0
 * @category models
 */
export type InLine = typeof InLine.Type

/**
 * The entries of a line, each for itself.
 *
 * @since 0.1.0
 * @category accessors
 */
export const unpacked = (line: InLine): ReadonlyArray<AuditEntry> => {
  if (line.type !== "calls") return [line]
  const { calls, code, origin, time, tool, type: _, v, ...who } = line
  return calls.map(([call, ms]): Call => ({ v, time, type: "call", ...who, call, tool, origin, code, ms }))
}

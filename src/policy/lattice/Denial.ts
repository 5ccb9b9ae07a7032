/**
 * Why something was refused, as data: it reaches the model in a result, the operator in a log, and a test in
 * an assertion, always with the remedy.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { Remedies } from "./Remedy.js"

/**
 * @since 0.1.0
 * @category schemas
 */
export const Reason = Schema.Literal(
  "capability_absent",
  "scope_violation",
  "self_modification",
  "exceeds_grantor_authority",
  "unknown_tool"
)

/**
 * @since 0.1.0
 * @category models
 */
export type Reason = typeof Reason.Type

/**
 * What stands in the way. Most are also codes of the error that the capability fails with.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Code = Schema.Literal(
  "HOST_NOT_ALLOWED",
  "METHOD_NOT_ALLOWED",
  "URL_INVALID",
  "ADDRESS_NOT_ALLOWED",
  "REDIRECT_REFUSED",
  "HEADER_REFUSED",
  "PATH_NOT_REACHABLE",
  "BINARY_NOT_ALLOWED",
  "SHELL_NOT_ALLOWED",
  "CWD_NOT_REACHABLE",
  "ENV_REFUSED",
  "SECRET_NOT_DECLARED",
  "SECRET_REF_INVALID",
  "SECRET_SEALED",
  "SEAL_REFUSED",
  "SCOPE_NOT_ALLOWED",
  "KIND_NOT_ALLOWED",
  "RECORD_NOT_REACHABLE",
  "AGENT_NOT_REACHABLE",
  "SELF_MODIFICATION",
  "EXCEEDS_GRANTOR_AUTHORITY",
  "NAME_INVALID",
  "ID_INVALID",
  "REQUEST_INVALID",
  "SCOPE_INVALID",
  "CALL_ENDED",
  "UNKNOWN_TOOL",
  "TOOL_EXCLUDED",
  "TOOL_NOT_PERMITTED",
  "TOOL_WITHHELD",
  "REQUIREMENT_NOT_HELD",
  "INQUIRY_NOT_ALLOWED",
  "INQUIRY_UNANSWERED",
  "INQUIRY_TOO_MUCH",
  "PROVIDER_TOOL_NOT_ALLOWED",
  "PROVIDER_SCOPE_NOT_EXPRESSIBLE"
)

/**
 * @since 0.1.0
 * @category models
 */
export type Code = typeof Code.Type

/**
 * `detail` is the sentence behind the code. `asked` and `held` are written in the notation of requests and
 * scopes; `held` is never the contents of anything, and `asked` never a secret's name.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Denial = Schema.Struct({
  reason: Reason,
  code: Code,
  detail: Schema.String,
  tool: Schema.optional(Schema.String),
  capability: Schema.String,
  asked: Schema.String,
  held: Schema.Array(Schema.String),
  /** What to do, in one line. */
  remedy: Schema.String,
  /** What would allow it, in each notation that can; absent where nothing that could be written would. */
  remedies: Schema.optionalWith(Remedies, { exact: true })
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Denial extends Schema.Schema.Type<typeof Denial> {}

/**
 * The one line that a tool, a model and a log see: `<CODE>: <detail>`.
 *
 * @since 0.1.0
 * @category rendering
 */
export const message = (denial: Pick<Denial, "code" | "detail">): string => `${denial.code}: ${denial.detail}`

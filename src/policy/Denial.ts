/**
 * Why something was refused, as data: it reaches the model in a result, the operator in a log, and a test in
 * an assertion, always with the remedy.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

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
 * `detail` is the sentence behind the code. `asked` and `held` are written in the notation of requests and
 * scopes; `held` is never the contents of anything, and `asked` never a secret's name.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Denial = Schema.Struct({
  reason: Reason,
  code: Schema.String,
  detail: Schema.String,
  tool: Schema.optional(Schema.String),
  capability: Schema.String,
  asked: Schema.String,
  held: Schema.Array(Schema.String),
  remedy: Schema.String
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

/**
 * What a call answers with: the value, or why there is none. A call never fails otherwise.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { Denial } from "../policy/lattice/Denial.js"

/**
 * @since 0.1.0
 * @category schemas
 */
export const Code = Schema.Literal(
  "input_invalid",
  "not_available",
  "execution_failed",
  "timeout",
  "interrupted"
)

/**
 * @since 0.1.0
 * @category models
 */
export type Code = typeof Code.Type

/**
 * `truncated` says that the value was cut to its share of the budget.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Success = Schema.Struct({
  ok: Schema.Literal(true),
  value: Schema.Unknown,
  truncated: Schema.optionalWith(Schema.Boolean, { exact: true })
})

/**
 * @since 0.1.0
 * @category schemas
 */
export const Failure = Schema.Struct({
  ok: Schema.Literal(false),
  code: Code,
  error: Schema.String,
  denial: Schema.optionalWith(Denial, { exact: true })
})

/**
 * @since 0.1.0
 * @category schemas
 */
export const ToolResult = Schema.Union(Success, Failure)

/**
 * @since 0.1.0
 * @category models
 */
export type ToolResult<A = unknown> =
  | { readonly ok: true; readonly value: A; readonly truncated?: boolean }
  | typeof Failure.Type

/**
 * @since 0.1.0
 * @category constructors
 */
export const succeed = <A>(value: A): ToolResult<A> => ({ ok: true, value })

/**
 * @since 0.1.0
 * @category constructors
 */
export const fail = (code: Code, error: string, denial?: Denial): ToolResult<never> =>
  denial === undefined ? { ok: false, code, error } : { ok: false, code, error, denial }

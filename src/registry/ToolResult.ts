/**
 * The answer to a call: a value, or the reason why there is none. `registry.execute` does not fail: it answers each
 * call with one of these.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { Denial } from "../policy/lattice/Denial.js"

/**
 * Why a call has no value. `input_invalid`: the arguments are wrong. `not_available`: the tool is not offered, or
 * cannot work here. `execution_failed`: the tool failed, or was refused something. `timeout`: its deadline passed.
 * `interrupted`: it was cancelled.
 *
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
 * A call with a value. `truncated` says that the value was cut to its share of the budget.
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
 * A call without a value. `error` is a sentence for the model. `denial` is there for a refusal: what was asked, what
 * is held, and what would lift it.
 *
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
 * The result of a call as a schema, to store it or to send it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ToolResult = Schema.Union(Success, Failure)

/**
 * The result of a call. Look at `ok` first, as the compiler asks; `code` tells failures apart.
 *
 * @example
 * ```ts
 * import type { ToolResult } from "bailiwick"
 *
 * export const forModel = (result: ToolResult.ToolResult): string => {
 *   if (result.ok) return JSON.stringify(result.value)
 *   return result.denial === undefined ? result.error : `${result.error}; to allow it: ${result.denial.remedy}`
 * }
 * ```
 *
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

/**
 * One call of a tool, and what came of it.
 *
 * @since 0.1.0
 */
import type * as ToolResult from "./ToolResult.js"

/**
 * `args` is what a model wrote: it is decoded, and may be wrong. `Success` exists in types only.
 *
 * @since 0.1.0
 * @category models
 */
export interface Call<out Name extends string = string, out Success = unknown> {
  readonly id: string
  readonly name: Name
  readonly args: unknown
  readonly Success?: Success
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Result<out Name extends string = string, out Success = unknown> {
  readonly id: string
  readonly name: Name
  readonly result: ToolResult.ToolResult<Success>
  /** The policy that it was decided under. */
  readonly revision: string
}

/**
 * The results of calls, each typed by its call.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Results<Calls extends ReadonlyArray<Call>> = {
  readonly [I in keyof Calls]: Calls[I] extends Call<infer Name, infer Success>
    ? Result<Name, Success>
    : never
}

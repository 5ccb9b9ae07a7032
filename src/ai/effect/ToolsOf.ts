/** Tools of a registry, in the types of `@effect/ai`. */
import type * as AiTool from "@effect/ai/Tool"
import type { Schema } from "effect"
import type * as ToolResult from "../../registry/ToolResult.js"
import type * as Tool from "../../tools/Tool.js"
import type { Written } from "../Written.js"

/**
 * The arguments of a call, as the model wrote them.
 *
 * @since 0.1.0
 * @category models
 */
export interface WrittenSchema<A> extends Schema.Schema<A> {
  readonly fields: Schema.Struct.Fields
  readonly make: (props: A) => A
}

/** `@effect/ai` has no schema of a success that never is; of a tool that always fails it is nothing. */
type Answered<A> = [A] extends [never] ? undefined : A

/**
 * A tool, as `@effect/ai` sees it. Failures are results: none fails a generation.
 *
 * @since 0.1.0
 * @category type-level
 */
export type AiToolOf<T extends Tool.Any> = AiTool.Tool<
  Tool.Name<T>,
  {
    readonly parameters: WrittenSchema<Written<T>>
    readonly success: Schema.Schema<Answered<Tool.Success<T>>, unknown>
    readonly failure: typeof ToolResult.Failure
    readonly failureMode: "return"
  }
>

/**
 * The tools of a toolkit, by name.
 *
 * @since 0.1.0
 * @category type-level
 */
export type ToolsOf<Tools extends Tool.Any> = { readonly [T in Tools as Tool.Name<T>]: AiToolOf<T> }

/**
 * Tools for Vercel's AI SDK, versions 5, 6 and 7. The package `ai` is not imported: its tools are plain objects, and
 * its schemas are known by a symbol of the global registry.
 *
 * @since 0.1.0
 */
import { Effect, Runtime } from "effect"
import type { Registry } from "../registry/Registry.js"
import type * as ToolResult from "../registry/ToolResult.js"
import type { Turn } from "../registry/Turn.js"
import type * as Tool from "../tools/Tool.js"
import { shown, textOf } from "./ModelText.js"
import { type JsonObjectSchema, parametersSchema } from "./ParametersSchema.js"
import type { Written } from "./Written.js"

/**
 * What the model is sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface ModelOutput {
  readonly type: "text" | "error-text"
  readonly value: string
}

/**
 * A tool as the SDK takes it. The program finds a `ToolResult` in `toolResults`; the model reads the text of it. A
 * denial is in neither, because the SDK sends results on to browsers: it is in the transcript of the turn.
 *
 * @since 0.1.0
 * @category models
 */
export interface AiSdkTool<in Input, out Output> {
  readonly description: string
  /** Returns the JSON Schema in a form of the SDK's own, which has no name outside of it. */
  readonly inputSchema: () => never
  readonly execute: (
    input: Input,
    options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined }
  ) => Promise<ToolResult.ToolResult<Output>>
  readonly toModelOutput: (given: unknown) => ModelOutput
}

/**
 * @since 0.1.0
 * @category type-level
 */
export type ToolsOf<Tools extends Tool.Any> = {
  [T in Tools as Tool.Name<T>]: AiSdkTool<Written<T>, Tool.Success<T>>
}

/** What the SDK's own `jsonSchema()` makes. Everything is valid here: the registry decodes. */
const inputSchema = (jsonSchema: JsonObjectSchema) => {
  const schema = {
    [Symbol.for("vercel.ai.schema")]: true,
    [Symbol.for("vercel.ai.validator")]: true,
    _type: undefined,
    jsonSchema,
    validate: (value: unknown) => ({ success: true, value })
  }
  return () => schema as never
}

const isResult = (value: unknown): value is ToolResult.ToolResult =>
  typeof value === "object" && value !== null && "ok" in value

/** Version 5 gives the output, 6 and 7 an object that has it. A result that came back from a browser may be anything. */
const toModelOutput = (given: unknown): ModelOutput => {
  const output = isResult(given) ? given : (given as { readonly output?: unknown } | undefined)?.output
  return isResult(output)
    ? { type: output.ok ? "text" : "error-text", value: textOf(output) }
    : { type: "error-text", value: "the result of this call cannot be read" }
}

/**
 * What the turn offers, as `tools` of `generateText` and `streamText`. Calls run through `registry.execute` with the
 * services of the program that runs this effect, which must still be there when the model calls: run the loop inside
 * the same effect, or on a `ManagedRuntime`. The SDK's abort signal interrupts a call.
 *
 * @example
 * ```ts
 * import { Registry, type Turn } from "bailiwick"
 * import { AiSdk } from "bailiwick/ai"
 * import { Effect } from "effect"
 *
 * declare const generateText: (options: { tools: object; abortSignal: AbortSignal }) => Promise<{ text: string }>
 *
 * export const answer = (registry: Registry.Registry, turn: Turn.Turn) =>
 *   Effect.flatMap(AiSdk.tools(registry, turn), (tools) =>
 *     Effect.tryPromise((abortSignal) => generateText({ tools, abortSignal }))
 *   )
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const tools = <Tools extends Tool.Any, Required>(
  registry: Registry<Tools, Required>,
  turn: Turn
): Effect.Effect<ToolsOf<Tools>, never, Required> =>
  Effect.gen(function* () {
    const run = Runtime.runPromise(yield* Effect.runtime<Required>())
    const menu = yield* registry.menu(turn)
    const entries = menu.map(({ description, name, parameters }) => [
      name,
      {
        description,
        inputSchema: inputSchema(parametersSchema(parameters)),
        execute: (
          args: unknown,
          { abortSignal, toolCallId }: { toolCallId: string; abortSignal?: AbortSignal }
        ) =>
          run(
            Effect.map(
              registry.execute(turn, [{ id: toolCallId, name, args }], { signal: abortSignal }),
              ([{ result }]) => shown(result)
            )
          ),
        toModelOutput
      }
    ])
    // Without a prototype: the SDK looks names up in it that a model wrote.
    return Object.assign(Object.create(null), Object.fromEntries(entries))
  })

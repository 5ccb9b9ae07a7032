/** All tool calls of a response at once. */
import * as Response from "@effect/ai/Response"
import { Effect } from "effect"
import type { Result } from "../../registry/Call.js"
import type { ExecuteOptions, Registry } from "../../registry/Registry.js"
import type { Turn } from "../../registry/Turn.js"
import type * as Tool from "../../tools/Tool.js"
import { answerOf } from "./answer.js"
import type { ToolsOf } from "./ToolsOf.js"

/**
 * Runs the tool calls of a response as one `registry.execute`: side by side, within one budget, each under the id that
 * the model gave it. Ask for the response with `disableToolCallResolution: true`. The results are parts to append to it;
 * `Prompt.fromResponseParts` makes a prompt of both. Calls that the provider has run itself are left out, and so is
 * whatever is no tool call.
 *
 * @example
 * ```ts
 * import { LanguageModel, Prompt } from "@effect/ai"
 * import { Builtin, Registry, type Turn } from "bailiwick"
 * import { batch, toolkit } from "bailiwick/ai/effect"
 * import { Effect } from "effect"
 *
 * const registry = Registry.make(Builtin.readFile, Builtin.listFiles)
 *
 * export const step = (turn: Turn.Turn, prompt: Prompt.Prompt) =>
 *   Effect.gen(function* () {
 *     const response = yield* LanguageModel.generateText({
 *       prompt,
 *       toolkit: toolkit(registry, turn),
 *       disableToolCallResolution: true
 *     })
 *     const results = yield* batch(registry, turn, response.toolCalls)
 *     return Prompt.merge(prompt, Prompt.fromResponseParts([...response.content, ...results]))
 *   })
 * ```
 *
 * @since 0.1.0
 * @category execution
 */
export const batch = <Tools extends Tool.Any, Required>(
  registry: Registry<Tools, Required>,
  turn: Turn,
  parts: ReadonlyArray<Response.AnyPart>,
  options?: ExecuteOptions
): Effect.Effect<Array<Response.ToolResultParts<ToolsOf<Tools>>>, never, Required> => {
  const asked = parts.flatMap((part) => (part.type === "tool-call" && !part.providerExecuted ? [part] : []))
  const calls = asked.map(({ id, name, params }) => ({ id, name, args: params }))
  return Effect.map(registry.execute(turn, calls, options), (results: ReadonlyArray<Result>) =>
    results.map(({ id, name, result }, index) => {
      const providerName = asked[index]?.providerName
      const part = Response.makePart("tool-result", {
        id,
        name,
        ...answerOf(result),
        providerExecuted: false,
        ...(providerName === undefined ? {} : { providerName })
      })
      // The registry answers each call with what its tool promises, or with a failure.
      return part as object as Response.ToolResultParts<ToolsOf<Tools>>
    })
  )
}

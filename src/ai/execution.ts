/** All calls of one response as one batch: they share the turn's budget, and run side by side. */
import { Effect, Either } from "effect"
import type { Result } from "../registry/Call.js"
import type { ExecuteOptions, Registry } from "../registry/Registry.js"
import * as ToolResult from "../registry/ToolResult.js"
import type { Turn } from "../registry/Turn.js"
import type * as Tool from "../tools/Tool.js"
import type { Asked } from "./askedFor.js"

const notJson = ToolResult.fail(
  "input_invalid",
  "the arguments are not JSON; send one object with the parameters of the tool"
)

/**
 * Arguments that could not be read go to the registry as the text that they are. It refuses them after the questions
 * that come first, such as whether there is the tool at all, and here they are refused in better words.
 */
export const runAsked = <Required>(
  registry: Registry<Tool.Any, Required>,
  turn: Turn,
  asked: ReadonlyArray<Asked>,
  options?: ExecuteOptions
): Effect.Effect<ReadonlyArray<Result>, never, Required> => {
  const calls = asked.map(({ args, id, name }) => ({ id, name, args: Either.merge(args) }))
  return Effect.map(registry.execute(turn, calls, options), (results: ReadonlyArray<Result>) =>
    results.map((one, index) => {
      const unread = asked[index]?.args._tag === "Left"
      return unread && !one.result.ok && one.result.code === "input_invalid"
        ? { ...one, result: notJson }
        : one
    })
  )
}

/**
 * What a turn offers, as a toolkit with handlers.
 *
 * Arguments are decoded by the registry and not by `@effect/ai`, which would fail the whole generation for one wrong
 * argument after its other calls have run.
 */
import * as AiTool from "@effect/ai/Tool"
import type * as AiToolkit from "@effect/ai/Toolkit"
import { Context, Effect, Schema, Tracer } from "effect"
import type { Item, Registry } from "../../registry/Registry.js"
import * as ToolResult from "../../registry/ToolResult.js"
import type { Turn } from "../../registry/Turn.js"
import type * as Tool from "../../tools/Tool.js"
import { parametersSchema } from "../ParametersSchema.js"
import { answerOf } from "./answer.js"
import type { ToolsOf } from "./ToolsOf.js"

const toolOf = ({ description, name, parameters, readOnly }: Item): AiTool.Any => {
  const arguments_ = Schema.Unknown.annotations({ jsonSchema: parametersSchema(parameters) })
  return AiTool.make(name, {
    description,
    success: Schema.Unknown,
    failure: ToolResult.Failure,
    failureMode: "return"
  })
    .setParameters(Object.assign(arguments_, { fields: {}, make: (props: unknown) => props }))
    .annotate(AiTool.Readonly, readOnly)
    .annotate(AiTool.Destructive, !readOnly)
}

/**
 * The tools that the turn offers, for `LanguageModel.generateText({ toolkit })` and `streamText`. Their calls go
 * through `registry.execute`, with the services of whoever runs this effect: a refusal, wrong arguments and a failure
 * are results that the model reads. Ask for a toolkit for each request, so that a grant that was revoked is gone.
 *
 * `@effect/ai` hands over one call at a time, and no id: each is a batch of its own. `batch` keeps both.
 *
 * @example
 * ```ts
 * import { LanguageModel } from "@effect/ai"
 * import { Builtin, Registry, type Turn } from "bailiwick"
 * import { toolkit } from "bailiwick/ai/effect"
 *
 * const registry = Registry.make(Builtin.readFile, Builtin.listFiles)
 *
 * export const answer = (turn: Turn.Turn, prompt: string) =>
 *   LanguageModel.generateText({ prompt, toolkit: toolkit(registry, turn) })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const toolkit = <Tools extends Tool.Any, Required>(
  registry: Registry<Tools, Required>,
  turn: Turn
): Effect.Effect<AiToolkit.WithHandler<ToolsOf<Tools>>, never, Required> =>
  Effect.gen(function* () {
    const here = Context.omit(Tracer.ParentSpan)(
      yield* Effect.context<Required>()
    ) as Context.Context<Required>
    const menu = yield* registry.menu(turn)
    let calls = 0
    const handle = (name: string, args: unknown) => {
      calls += 1
      return registry.execute(turn, [{ id: `${name}-${calls}`, name, args }]).pipe(
        Effect.map(([{ result }]) => answerOf(result)),
        // Spans are those of the call, and services those of the toolkit.
        Effect.mapInputContext((there: Context.Context<never>) => Context.merge(there, here))
      )
    }
    const tools = Object.fromEntries(menu.map((item) => [item.name, toolOf(item)]))
    // The menu has some of the registry's tools, and schemas that take more than their types say.
    return { tools, handle } as object as AiToolkit.WithHandler<ToolsOf<Tools>>
  })

/**
 * Two toolkits as one: the tools of a registry, and tools that the provider of the model runs. Of two tools with one
 * name the first is kept.
 *
 * @example
 * ```ts
 * import { Toolkit } from "@effect/ai"
 * import { AnthropicTool } from "@effect/ai-anthropic"
 * import { Builtin, Registry, type Turn } from "bailiwick"
 * import { merge, toolkit } from "bailiwick/ai/effect"
 * import { Effect } from "effect"
 *
 * const registry = Registry.make(Builtin.readFile)
 * const search = Toolkit.make(AnthropicTool.WebSearch_20250305({ allowed_domains: ["github.com"] }))
 *
 * export const both = (turn: Turn.Turn) => Effect.zipWith(toolkit(registry, turn), search, merge)
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const merge = <First extends Record<string, AiTool.Any>, Second extends Record<string, AiTool.Any>>(
  first: AiToolkit.WithHandler<First>,
  second: AiToolkit.WithHandler<Second>
): AiToolkit.WithHandler<Omit<Second, keyof First> & First> => {
  const others = Object.entries(second.tools).filter(([name]) => !Object.hasOwn(first.tools, name))
  const isOther = new Set(others.map(([name]) => name))
  return {
    tools: { ...Object.fromEntries(others), ...first.tools },
    handle: (name: string, params: never) =>
      isOther.has(name) ? second.handle(name, params) : first.handle(name, params)
    // The compiler does not see that a name leads to one of the two.
  } as object as AiToolkit.WithHandler<Omit<Second, keyof First> & First>
}

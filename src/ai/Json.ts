/**
 * Tools in the JSON of OpenAI and Anthropic, for programs that talk to a provider without a framework: the list of
 * tools for the request, and a function that runs what the response asks for and gives the messages to send back.
 *
 * All calls of a response are one `registry.execute`: they run side by side and share the turn's budget. It never
 * fails. A name that no tool has, arguments that are no JSON and a refusal are answers to the model.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { Result } from "../registry/Call.js"
import type { ExecuteOptions, Item, Registry } from "../registry/Registry.js"
import type { Turn } from "../registry/Turn.js"
import type * as Tool from "../tools/Tool.js"
import { type Asked, anthropicCalls, openaiCalls, openaiChatCalls } from "./askedFor.js"
import { runAsked } from "./execution.js"
import { textOf } from "./ModelText.js"
import { type JsonObjectSchema, parametersSchema } from "./ParametersSchema.js"

export type { JsonObjectSchema } from "./ParametersSchema.js"

/**
 * A tool in a request to OpenAI's Responses API.
 *
 * @since 0.1.0
 * @category models
 */
export interface OpenAiTool {
  readonly type: "function"
  readonly name: string
  readonly description: string
  readonly parameters: JsonObjectSchema
  /** Strict mode takes no optional parameters, and the registry checks what comes. */
  readonly strict: false
}

/**
 * A tool in a request to OpenAI's Chat Completions API, and to the many that speak it.
 *
 * @since 0.1.0
 * @category models
 */
export interface OpenAiChatTool {
  readonly type: "function"
  readonly function: {
    readonly name: string
    readonly description: string
    readonly parameters: JsonObjectSchema
  }
}

/**
 * A tool in a request to Anthropic's Messages API.
 *
 * @since 0.1.0
 * @category models
 */
export interface AnthropicTool {
  readonly name: string
  readonly description: string
  readonly input_schema: JsonObjectSchema
}

/**
 * The menu of a turn as `tools` of a request to OpenAI's Responses API.
 *
 * @example
 * ```ts
 * import type { Registry, Turn } from "bailiwick"
 * import { Json } from "bailiwick/ai"
 * import { Effect } from "effect"
 *
 * export const request = (registry: Registry.Registry, turn: Turn.Turn, input: ReadonlyArray<unknown>) =>
 *   Effect.map(registry.menu(turn), (menu) => ({ model: "gpt-5", input, tools: Json.openai(menu) }))
 * ```
 *
 * @since 0.1.0
 * @category requests
 */
export const openai = (menu: ReadonlyArray<Item>): Array<OpenAiTool> =>
  menu.map(({ description, name, parameters }) => ({
    type: "function",
    name,
    description,
    parameters: parametersSchema(parameters),
    strict: false
  }))

/**
 * The menu of a turn as `tools` of a request to OpenAI's Chat Completions API.
 *
 * @since 0.1.0
 * @category requests
 */
export const openaiChat = (menu: ReadonlyArray<Item>): Array<OpenAiChatTool> =>
  menu.map(({ description, name, parameters }) => ({
    type: "function",
    function: { name, description, parameters: parametersSchema(parameters) }
  }))

/**
 * The menu of a turn as `tools` of a request to Anthropic's Messages API.
 *
 * @since 0.1.0
 * @category requests
 */
export const anthropic = (menu: ReadonlyArray<Item>): Array<AnthropicTool> =>
  menu.map(({ description, name, parameters }) => ({
    name,
    description,
    input_schema: parametersSchema(parameters)
  }))

/**
 * What came of the calls of a response. `results` are for the program, in the order of the calls, denials included.
 * `messages` are for the model: append them to the conversation after what the model said. Both are empty when the
 * response calls no tool, and then the model is done.
 *
 * @since 0.1.0
 * @category models
 */
export interface Ran<out Message> {
  readonly results: ReadonlyArray<Result>
  readonly messages: Array<Message>
}

/**
 * An item of `input`.
 *
 * @since 0.1.0
 * @category models
 */
export interface OpenAiOutput {
  readonly type: "function_call_output"
  readonly call_id: string
  readonly output: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface OpenAiChatMessage {
  readonly role: "tool"
  readonly tool_call_id: string
  readonly content: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface AnthropicMessage {
  readonly role: "user"
  readonly content: Array<AnthropicToolResult>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface AnthropicToolResult {
  readonly type: "tool_result"
  readonly tool_use_id: string
  readonly content: string
  readonly is_error: boolean
}

const running =
  <Message>(
    read: (response: unknown) => ReadonlyArray<Asked>,
    answer: (results: ReadonlyArray<Result>) => Array<Message>
  ) =>
  <Required>(
    registry: Registry<Tool.Any, Required>,
    turn: Turn,
    response: unknown,
    options?: ExecuteOptions
  ): Effect.Effect<Ran<Message>, never, Required> =>
    Effect.map(
      Effect.suspend(() => runAsked(registry, turn, read(response), options)),
      (results) => ({ results, messages: answer(results) })
    )

/**
 * Runs the `function_call` items of a response of OpenAI's Responses API. It takes the response, or its `output`.
 *
 * @since 0.1.0
 * @category responses
 */
export const runOpenai = running(
  openaiCalls,
  (results): Array<OpenAiOutput> =>
    results.map(({ id, result }) => ({ type: "function_call_output", call_id: id, output: textOf(result) }))
)

/**
 * Runs the `tool_calls` of a response of OpenAI's Chat Completions API. It takes the response, of which the first
 * choice counts, or the message.
 *
 * @since 0.1.0
 * @category responses
 */
export const runOpenaiChat = running(
  openaiChatCalls,
  (results): Array<OpenAiChatMessage> =>
    results.map(({ id, result }) => ({ role: "tool", tool_call_id: id, content: textOf(result) }))
)

/**
 * Runs the `tool_use` blocks of a response of Anthropic's Messages API. It takes the response, or its `content`.
 *
 * @since 0.1.0
 * @category responses
 */
export const runAnthropic = running(anthropicCalls, (results): Array<AnthropicMessage> => {
  const content = results.map(
    ({ id, result }): AnthropicToolResult => ({
      type: "tool_result",
      tool_use_id: id,
      content: textOf(result),
      is_error: !result.ok
    })
  )
  return content.length === 0 ? [] : [{ role: "user", content }]
})

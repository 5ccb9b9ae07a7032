/** The clients of two providers, and what the stub answers them. */
import type { LanguageModel } from "@effect/ai"
import { AnthropicClient, AnthropicLanguageModel } from "@effect/ai-anthropic"
import { OpenAiClient, OpenAiLanguageModel } from "@effect/ai-openai"
import { FetchHttpClient } from "@effect/platform"
import { Effect, Layer, Redacted } from "effect"
import { expect } from "vitest"
import { stub } from "./stub.js"

const apiKey = Redacted.make("not-a-key")

type Asking = Effect.Effect<{ readonly text: string }, unknown, LanguageModel.LanguageModel>

/** One exchange with a model, and what its provider was sent. */
const sent = (
  asked: Asking,
  reply: unknown,
  model: (url: string) => Layer.Layer<LanguageModel.LanguageModel>
) =>
  Effect.gen(function* () {
    const { received, url } = yield* stub(reply)
    const answer = yield* Effect.provide(asked, model(url))
    expect(answer.text).toBe("Nothing.")
    expect(received).toHaveLength(1)
    return received[0]!
  })

export const sentToAnthropic = (asked: Asking) =>
  sent(
    asked,
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-0",
      content: [{ type: "text", text: "Nothing.", citations: null }],
      stop_reason: "end_turn",
      stop_sequence: null,
      container: null,
      context_management: null,
      usage: { input_tokens: 1, output_tokens: 1 }
    },
    (apiUrl) =>
      AnthropicLanguageModel.layer({ model: "claude-sonnet-4-0" }).pipe(
        Layer.provide(AnthropicClient.layer({ apiKey, apiUrl })),
        Layer.provide(FetchHttpClient.layer)
      )
  )

export const sentToOpenai = (asked: Asking, config: Omit<OpenAiLanguageModel.Config.Service, "model"> = {}) =>
  sent(
    asked,
    {
      id: "resp_1",
      object: "response",
      status: "completed",
      created_at: 1,
      error: null,
      incomplete_details: null,
      instructions: null,
      model: "gpt-4o",
      output: [
        {
          id: "msg_1",
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Nothing.", annotations: [], logprobs: [] }]
        }
      ],
      parallel_tool_calls: true,
      tools: [],
      tool_choice: "auto",
      metadata: null,
      temperature: null,
      top_p: null
    },
    (apiUrl) =>
      OpenAiLanguageModel.layer({ model: "gpt-4o", config }).pipe(
        Layer.provide(OpenAiClient.layer({ apiKey, apiUrl })),
        Layer.provide(FetchHttpClient.layer)
      )
  )

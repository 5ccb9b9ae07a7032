/**
 * Threat: what is decided here and what is sent differ. So the clients of two providers build their requests from it,
 * and a server on loopback reads what they send.
 */
import { LanguageModel, Toolkit } from "@effect/ai"
import { AnthropicTool } from "@effect/ai-anthropic"
import { OpenAiTool } from "@effect/ai-openai"
import { describe, expect, it } from "@effect/vitest"
import { Authority, type Policy, ProviderTool } from "bailiwick"
import { Effect, Schema } from "effect"
import { sentToAnthropic, sentToOpenai } from "./providers.js"

const held = (json: Authority.Encoded): Authority.Authority => Schema.decodeSync(Authority.FromJson)(json)

const gets = (...hosts: ReadonlyArray<string>): Authority.Authority => held({ network: { get: hosts } })

const uses = (...tools: ReadonlyArray<string>): Authority.Authority => held({ provider: { use: tools } })

const prompt = "What is new?"

const anthropicTools = (policy: Policy.Policy | Authority.Authority) => {
  const { codeExecution, webSearch } = ProviderTool.anthropic
  const [search, code] = ProviderTool.offered([webSearch, codeExecution], policy)
  return [
    ...(search._tag === "Offered" ? [AnthropicTool.WebSearch_20250305(search.args)] : []),
    ...(code._tag === "Offered" ? [AnthropicTool.CodeExecution_20250825(code.args)] : [])
  ]
}

const toAnthropic = (policy: Policy.Policy | Authority.Authority) =>
  sentToAnthropic(LanguageModel.generateText({ prompt, toolkit: Toolkit.make(...anthropicTools(policy)) }))

const openaiTools = (policy: Policy.Policy | Authority.Authority) => {
  const { codeInterpreter, fileSearch, webSearch, webSearchPreview } = ProviderTool.openai
  const [search, preview, files, code] = ProviderTool.offered(
    [webSearch, webSearchPreview, fileSearch, codeInterpreter],
    policy
  )
  return [
    ...(search._tag === "Offered"
      ? [OpenAiTool.WebSearch({ ...search.args, search_context_size: "low" })]
      : []),
    ...(preview._tag === "Offered" ? [OpenAiTool.WebSearchPreview({ search_context_size: "low" })] : []),
    ...(files._tag === "Offered" ? [OpenAiTool.FileSearch({ vector_store_ids: ["vs_1"] })] : []),
    ...(code._tag === "Offered" ? [OpenAiTool.CodeInterpreter({ container: { type: "auto" } })] : [])
  ]
}

const toOpenai = (policy: Policy.Policy | Authority.Authority) =>
  sentToOpenai(LanguageModel.generateText({ prompt, toolkit: Toolkit.make(...openaiTools(policy)) }))

describe("[O6] the request that Anthropic gets", () => {
  it.scopedLive("names the domains that are granted", () =>
    Effect.gen(function* () {
      const { path, tools } = yield* toAnthropic(gets("github.com"))
      expect(path).toMatch(/^\/v1\/messages/)
      expect(tools).toEqual([
        { type: "web_search_20250305", name: "web_search", allowed_domains: ["github.com"] }
      ])
    })
  )

  it.scopedLive("names the domains that are left out of all", () =>
    Effect.gen(function* () {
      const { tools } = yield* toAnthropic(gets("*", "!bad.com", "!*.bad.com"))
      expect(tools).toEqual([
        { type: "web_search_20250305", name: "web_search", blocked_domains: ["bad.com"] }
      ])
    })
  )

  it.scopedLive("names no domains when all are granted", () =>
    Effect.gen(function* () {
      const { tools } = yield* toAnthropic(gets("*"))
      expect(tools).toEqual([{ type: "web_search_20250305", name: "web_search" }])
    })
  )

  it.scopedLive("has no tool for an agent that holds nothing", () =>
    Effect.gen(function* () {
      const { tools } = yield* toAnthropic(Authority.nothing)
      expect(tools ?? []).toEqual([])
    })
  )

  it.scopedLive("[O5] has one that cannot be scoped by its own grant only", () =>
    Effect.gen(function* () {
      const without = yield* toAnthropic(gets("*"))
      expect(without.tools?.map(({ name }) => name)).toEqual(["web_search"])
      expect(without.headers["anthropic-beta"]).toBeUndefined()

      const granted = yield* toAnthropic(uses("code_execution"))
      expect(granted.tools).toEqual([{ type: "code_execution_20250825", name: "code_execution" }])
      expect(granted.headers["anthropic-beta"]).toBe("code-execution-2025-08-25")
    })
  )
})

describe("[O6] the request that OpenAI gets", () => {
  it.scopedLive("names the domains that are granted", () =>
    Effect.gen(function* () {
      const { path, tools } = yield* toOpenai(gets("github.com", "*.github.com", "docs.example.com"))
      expect(path).toBe("/responses")
      expect(tools).toEqual([
        {
          type: "web_search",
          search_context_size: "low",
          filters: { allowed_domains: ["docs.example.com", "github.com"] }
        }
      ])
    })
  )

  it.scopedLive("names no domains when all are granted", () =>
    Effect.gen(function* () {
      const { tools } = yield* toOpenai(gets("*"))
      expect(tools).toEqual([{ type: "web_search", search_context_size: "low" }])
    })
  )

  it.scopedLive("has no search of all but some, which it could not say", () =>
    Effect.gen(function* () {
      const { tools } = yield* toOpenai(gets("*", "!bad.com"))
      expect(tools ?? []).toEqual([])
    })
  )

  it.scopedLive("[O5] has those that cannot be scoped by their own grants only", () =>
    Effect.gen(function* () {
      const one = yield* toOpenai(uses("code_interpreter"))
      expect(one.tools).toEqual([{ type: "code_interpreter", container: { type: "auto" } }])

      const others = yield* toOpenai(uses("web_search_preview", "file_search"))
      expect(others.tools?.map(({ type }) => type)).toEqual(["web_search_preview", "file_search"])
    })
  )
})

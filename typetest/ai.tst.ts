// What a model's loop knows of the tools of a registry: names, arguments, successes, services.
import { Tool as AiTool, LanguageModel } from "@effect/ai"
import { Context, Effect, Schema } from "effect"
import { expect, test } from "tstyche"
import { batch, options, toolkit } from "../src/ai/effect/index.js"
import { AiSdk, Json } from "../src/ai/index.js"
import { Network } from "../src/capabilities/network/Network.js"
import * as Registry from "../src/registry/Registry.js"
import type * as ToolResult from "../src/registry/ToolResult.js"
import type { Turn } from "../src/registry/Turn.js"
import * as Tool from "../src/tools/Tool.js"

class Db extends Context.Tag("app/Db")<Db, { readonly count: number }>() {}

const count = Tool.make({
  name: "count",
  description: "d",
  parameters: Schema.Struct({ table: Schema.String }),
  success: Schema.Number,
  capabilities: {},
  services: [Db],
  execute: () => Effect.map(Db, (db) => db.count)
})

const shout = Tool.make({
  name: "shout",
  description: "d",
  parameters: Schema.Struct({ text: Schema.String }),
  capabilities: {},
  execute: ({ text }) => Effect.succeed({ text: text.toUpperCase() })
})

const registry = Registry.make(count, shout)

declare const turn: Turn

declare const anything: Registry.Registry

type Failure = typeof ToolResult.Failure.Type

test("a generation knows names, arguments and results, and requires the services of the tools", () => {
  const generation = LanguageModel.generateText({ prompt: "", toolkit: toolkit(registry, turn) })
  expect<Effect.Effect.Context<typeof generation>>().type.toBe<LanguageModel.LanguageModel | Db>()
  type Response = Effect.Effect.Success<typeof generation>
  type Call = Response["toolCalls"][number]
  expect<Call["name"]>().type.toBe<"count" | "shout">()
  expect<Extract<Call, { name: "count" }>["params"]>().type.toBe<{ readonly table: string }>()
  type Result = Response["toolResults"][number]
  expect<Extract<Result, { name: "count"; isFailure: false }>["result"]>().type.toBe<number>()
  expect<Extract<Result, { name: "shout"; isFailure: false }>["result"]>().type.toBe<{ text: string }>()
  expect<Extract<Result, { name: "count"; isFailure: true }>["result"]>().type.toBe<Failure>()
})

test("a generation over tools without services requires the model alone, and fails with its errors alone", () => {
  const alone = toolkit(Registry.make(shout), turn)
  const generation = LanguageModel.generateText({ prompt: "", toolkit: alone })
  expect<Effect.Effect.Context<typeof generation>>().type.toBe<LanguageModel.LanguageModel>()
  const without = LanguageModel.generateText({ prompt: "" })
  expect<Effect.Effect.Error<typeof generation>>().type.toBe<Effect.Effect.Error<typeof without>>()
})

test("a toolkit of a registry whose tools are not known is a toolkit too", () => {
  const generation = LanguageModel.generateText({
    prompt: "",
    toolkit: toolkit(anything, turn)
  })
  expect<Effect.Effect.Context<typeof generation>>().type.toBe<LanguageModel.LanguageModel>()
})

test("a batch has the results of the registry, and its requirements", () => {
  const results = batch(registry, turn, [])
  expect<Effect.Effect.Context<typeof results>>().type.toBe<Db>()
  expect<Effect.Effect.Error<typeof results>>().type.toBe<never>()
  expect<Effect.Effect.Success<typeof results>[number]["name"]>().type.toBe<"count" | "shout">()
})

test("JSON of a provider requires the services of the tools", () => {
  const ran = Json.runOpenai(registry, turn, {})
  expect(ran).type.toBe<Effect.Effect<Json.Ran<Json.OpenAiOutput>, never, Db>>()
})

test("tools for the AI SDK require the services of the tools, and are typed by name", () => {
  const made = AiSdk.tools(registry, turn)
  expect<Effect.Effect.Context<typeof made>>().type.toBe<Db>()
  type Tools = Effect.Effect.Success<typeof made>
  expect<keyof Tools>().type.toBe<"count" | "shout">()
  expect<Parameters<Tools["count"]["execute"]>[0]>().type.toBe<{ readonly table: string }>()
  expect<ReturnType<Tools["count"]["execute"]>>().type.toBe<Promise<ToolResult.ToolResult<number>>>()
})

const Forecast = AiTool.make("forecast", { parameters: { place: Schema.String }, success: Schema.String })

test("a tool of @effect/ai is typed by its schemas, and held to its declaration", () => {
  const forecast = Tool.make({
    ...options(Forecast),
    capabilities: { network: { allowedHosts: ["api.weather.gov"] } },
    execute: ({ place }) => {
      expect(place).type.toBe<string>()
      return Network.get(`https://api.weather.gov/${place}`)
    }
  })
  expect(forecast.name).type.toBe<"forecast">()
  expect<Tool.Args<typeof forecast>>().type.toBe<{ readonly place: string }>()
  Tool.make({
    ...options(Forecast),
    // @ts-expect-error "capability not declared: network.allowedHosts needs 'api.weather.gov'"
    capabilities: {},
    execute: () => Network.get("https://api.weather.gov/")
  })
})

test("a tool of @effect/ai that depends on a service of the program lists it", () => {
  const Count = AiTool.make("count", { success: Schema.Number, dependencies: [Db] })
  const ours = Tool.make({
    ...options(Count),
    capabilities: {},
    services: [Db],
    execute: () => Effect.map(Db, (db) => db.count)
  })
  expect<Tool.AppServices<typeof ours>>().type.toBe<Db>()
})

test("a schema that needs a service is none that a tool may have", () => {
  const needy = Schema.String as Schema.Schema<string, string, Db>
  const Needy = AiTool.make("needy", { parameters: { text: needy } })
  expect(options).type.not.toBeCallableWith(Needy)
})

// Mocks and partial services discharge the requirements of their category, without casts.
import { Effect, Layer, Schema, Stream } from "effect"
import { describe, expect, test } from "tstyche"
import { Agents } from "../src/capabilities/agents/Agents.js"
import { Attachments } from "../src/capabilities/attachments/Attachments.js"
import { Files } from "../src/capabilities/files/Files.js"
import { Network } from "../src/capabilities/network/Network.js"
import { NetworkError } from "../src/capabilities/network/NetworkOperations.js"
import { Process } from "../src/capabilities/process/Process.js"
import { Records } from "../src/capabilities/records/Records.js"
import { Secrets } from "../src/capabilities/secrets/Secrets.js"
import { Storage } from "../src/capabilities/storage/Storage.js"
import * as Tool from "../src/tools/Tool.js"

const tool = Tool.make({
  name: "t",
  description: "d",
  parameters: Schema.Struct({}),
  capabilities: { network: { allowedHosts: ["a.com", "*.b.com"] }, secrets: ["K"] },
  execute: () => Effect.all([Network.get("https://a.com"), Secrets.get("K")])
})

const everything = Tool.make({
  name: "t",
  description: "d",
  parameters: Schema.Struct({ x: Schema.String }),
  capabilities: {
    network: { allowedHosts: ["*"] },
    secrets: ["a/*"],
    storage: { scope: "session", kind: "kv" },
    fs_reach: { read: "from-personality", write: ["/tmp"] },
    process: { allowedBinaries: ["*", "git"] },
    attachments: { kinds: "*" },
    records: { verbs: ["read", "create", "update", "delete"] },
    agents: { verbs: ["create", "update", "delete", "grant"] }
  },
  execute: () => Effect.void
})

describe("mocks", () => {
  test("one after the other", () => {
    const half = Tool.run(tool, {}).pipe(Effect.provide(Network.mock((url) => url)))
    expect<Effect.Effect.Context<typeof half>>().type.toBe<Secrets | Secrets.Ref<"K">>()
    const whole = half.pipe(Effect.provide(Secrets.mock({ K: "v" })))
    expect<Effect.Effect.Context<typeof whole>>().type.toBe<never>()
    Effect.runPromise(whole)
  })

  test("merged, or as a list", () => {
    const merged = Tool.run(tool, {}).pipe(
      Effect.provide(
        Layer.mergeAll(
          Network.mock(() => ""),
          Secrets.mock({ K: "v" })
        )
      )
    )
    expect<Effect.Effect.Context<typeof merged>>().type.toBe<never>()
    const list = Tool.run(tool, {}).pipe(Effect.provide([Network.mock(() => ""), Secrets.mock({ K: "v" })]))
    expect<Effect.Effect.Context<typeof list>>().type.toBe<never>()
  })

  test("for all eight categories", () => {
    const run = Tool.run(everything, { x: "" }).pipe(
      Effect.provide(
        Layer.mergeAll(
          Network.mock(() => Effect.fail(new NetworkError({ code: "REQUEST_FAILED", detail: "off" }))),
          Secrets.mock(),
          Storage.mock(),
          Attachments.mock(),
          Files.mock(),
          Process.mock((binary) => ({ stdout: binary })),
          Records.mock(),
          Agents.mock()
        )
      )
    )
    expect<Effect.Effect.Context<typeof run>>().type.toBe<never>()
  })

  test("a partial service infers its arguments", () => {
    const run = Tool.run(tool, {}).pipe(
      Effect.provide(Network.layerTest({ get: (url) => Effect.succeed(url.toUpperCase()) })),
      Effect.provide(Secrets.layerTest({}))
    )
    expect<Effect.Effect.Context<typeof run>>().type.toBe<never>()
  })
})

test("a plain service discharges the category, not what is literal", () => {
  const run = Tool.run(tool, {}).pipe(
    Effect.provide(Secrets.mock()),
    Effect.provideService(Network, Network.make({ request: () => Effect.never, open: () => Stream.never }))
  )
  expect<Effect.Effect.Context<typeof run>>().type.toBe<
    Network.Host<"a.com"> | Network.Host<`${string}.b.com`>
  >()
})

test("a mock supplies any host; a layer for one host does not supply another", () => {
  expect(Network.mock(() => "")).type.toBeAssignableTo<Layer.Layer<Network.Host<"a.com">>>()
  expect<Layer.Layer<Network.Host<"a.com">>>().type.not.toBeAssignableTo<Layer.Layer<Network.Host<"b.com">>>()
})

test("arguments are checked", () => {
  // @ts-expect-error Property 'x' is missing
  Tool.run(everything, {})
})

test("progress requires nothing", () => {
  expect(Tool.progress("half", { done: 1, total: 2 })).type.toBe<Effect.Effect<void>>()
})

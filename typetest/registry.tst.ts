// A registry is typed by its tools, and a layer by the declaration it is for.
import { Effect, type Layer, Schema } from "effect"
import { describe, expect, test } from "tstyche"
import type { ServicesOf } from "../src/capabilities/Capabilities.js"
import { Files } from "../src/capabilities/files/Files.js"
import type { FilesBackend } from "../src/capabilities/files/FilesBackend.js"
import { Network } from "../src/capabilities/network/Network.js"
import type { NetworkBackend } from "../src/capabilities/network/NetworkBackend.js"
import type { Call } from "../src/registry/Call.js"
import type { NotAvailable } from "../src/registry/NotAvailable.js"
import * as Registry from "../src/registry/Registry.js"
import * as Resolver from "../src/registry/Resolver.js"
import type * as ToolResult from "../src/registry/ToolResult.js"
import type { Turn } from "../src/registry/Turn.js"
import * as Tool from "../src/tools/Tool.js"

declare const turn: Turn

const read = Tool.make({
  name: "read",
  description: "reads",
  parameters: Schema.Struct({ path: Schema.String }),
  capabilities: { fs_reach: { read: "from-personality" } },
  execute: ({ path }) => Files.read(path)
})

const count = Tool.make({
  name: "count",
  description: "counts",
  parameters: Schema.Struct({ until: Schema.Number }),
  capabilities: { network: { allowedHosts: ["a.com"] }, fs_reach: { read: ["/data"] } },
  execute: ({ until }) => Effect.as(Network.get("https://a.com/"), until)
})

const registry = Registry.make(read, count)

describe("a registry", () => {
  test("knows the arguments of each tool by its name", () => {
    expect(registry.call).type.toBeCallableWith("read", { path: "/x" })
    expect(registry.call).type.not.toBeCallableWith("read", { until: 1 })
    // @ts-expect-error is not assignable to parameter of type '"no tool 'write' in this registry"'.
    registry.call("write", {})
  })

  test("takes a name that is computed, and then any arguments", () => {
    const name: string = "read"
    expect(registry.call(name, { until: 1 })).type.toBe<Call<string, unknown>>()
    expect(registry.call("read", { path: "/x" })).type.toBe<Call<"read", string>>()
    const either = Math.random() > 0.5 ? "read" : "count"
    expect(registry.call(either, { until: 1 })).type.toBe<Call<"read" | "count", string | number>>()
  })

  test("takes any name where its tools are not known", () => {
    const plain: Registry.Registry = registry
    expect(plain.call("anything", { of: "any" })).type.toBe<Call<"anything", unknown>>()
    const tools: ReadonlyArray<Tool.Any> = [read]
    expect(Registry.make(...tools).call).type.toBeCallableWith("anything", {})
  })

  test("answers each call with its own type, and never fails", () => {
    const executed = registry.execute(turn, [
      registry.call("read", { path: "/x" }),
      registry.call("count", { until: 3 })
    ])
    expect<Effect.Effect.Error<typeof executed>>().type.toBe<never>()
    expect<Effect.Effect.Context<typeof executed>>().type.toBe<never>()
    expect<Effect.Effect.Success<typeof executed>[0]["result"]>().type.toBe<ToolResult.ToolResult<string>>()
    expect<Effect.Effect.Success<typeof executed>[1]["result"]>().type.toBe<ToolResult.ToolResult<number>>()
  })

  test("takes calls of a model, whose arguments are not known", () => {
    expect(registry.execute).type.toBeCallableWith(turn, [{ id: "1", name: "anything", args: {} }])
  })
})

describe("a layer", () => {
  test("supplies what the declaration supplies, and can fail as not available", () => {
    expect(Resolver.layer(read, turn)).type.toBe<
      Layer.Layer<ServicesOf<{ readonly fs_reach: { readonly read: "from-personality" } }>, NotAvailable>
    >()
    expect(Effect.provide(Tool.run(read, { path: "/x" }), Resolver.layer(read, turn))).type.toBeAssignableTo<
      Effect.Effect<string, unknown>
    >()
  })

  test("may ask for the backends in its type", () => {
    const layer = Resolver.layerRequiring(count, turn)
    expect<Layer.Layer.Context<typeof layer>>().type.toBe<NetworkBackend | FilesBackend>()
  })
})

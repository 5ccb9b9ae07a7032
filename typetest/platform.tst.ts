import { HttpClient } from "@effect/platform"
import { Effect, Schema } from "effect"
import { expect, test } from "tstyche"
import type { Network } from "../src/capabilities/network/Network.js"
import { layerHttpClient, layerHttpClientFor } from "../src/platform/HttpClient.js"
import * as Tool from "../src/tools/Tool.js"

const asked = Effect.asVoid(Effect.orDie(HttpClient.get("https://api.example.com/")))

const base = { name: "t", description: "d", parameters: Schema.Struct({}) }

test("a library that needs a client makes its tool need the network, or one host of it", () => {
  const anywhere = Effect.provide(asked, layerHttpClient)
  expect<Effect.Effect.Context<typeof anywhere>>().type.toBe<Network>()
  const there = Effect.provide(asked, layerHttpClientFor("API.example.com"))
  expect<Effect.Effect.Context<typeof there>>().type.toBe<Network.Host<"api.example.com">>()
  const named: string = "api.example.com"
  const somewhere = Effect.provide(asked, layerHttpClientFor(named))
  expect<Effect.Effect.Context<typeof somewhere>>().type.toBe<Network>()
  Tool.make({
    ...base,
    capabilities: { network: { allowedHosts: ["*.example.com"] } },
    execute: () => there
  })
  Tool.make({
    ...base,
    // @ts-expect-error capability not declared: network.allowedHosts needs 'api.example.com'
    capabilities: { network: { allowedHosts: ["other.com"] } },
    execute: () => there
  })
})

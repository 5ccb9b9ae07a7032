/** Tools of servers of others, served on: what a client may tell its user of them. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type * as Registry from "../../src/registry/Registry.js"
import type * as Tool from "../../src/tools/Tool.js"
import { connected } from "./connected.js"
import { authority, pinnedTool, scripted, world } from "./gatewayWorld.js"

const says = [pinnedTool("act"), pinnedTool("look", { readOnly: true, destructive: false, openWorld: false })]

const servers = [
  scripted("reads", "plain", { files: { read: ["/data/"] } }),
  scripted("writes", "plain", { files: { read: ["/data/"], write: ["/data/"] } }),
  scripted("asks", "plain", { network: { get: ["api.example.com"] } }),
  {
    name: "far",
    requires: authority({ network: { post: ["far.example.com"] } }),
    specs: [],
    transport: { _tag: "Remote" as const, url: "https://far.example.com/mcp", headers: [] }
  }
]

describe("a tool of a server that is served on", () => {
  it.scopedLive("is read-only only where it says so and its server is held to that", () =>
    Effect.gen(function* () {
      const pinned = new Map(servers.map(({ name }) => [name, says]))
      const { backends, registry, turn } = yield* world(servers, { pinned })
      const { client } = yield* Effect.provide(
        connected<never>({
          serves: Effect.succeed({ registry: registry as Registry.Registry<Tool.Any, never>, turn: turn() }),
          name: "desk",
          version: "1"
        }),
        backends
      )
      const { tools } = yield* Effect.promise(() => client.listTools())
      const listed = new Map(tools.map((tool) => [tool.name, tool]))
      const hints = (name: string) => {
        const { destructiveHint, openWorldHint, readOnlyHint } = listed.get(name)?.annotations ?? {}
        return { readOnlyHint, destructiveHint, openWorldHint }
      }
      const changes = { readOnlyHint: false, destructiveHint: true }
      const reads = { readOnlyHint: true, destructiveHint: false }
      expect(hints("mcp__reads__look")).toEqual({ ...reads, openWorldHint: false })
      expect(hints("mcp__reads__act")).toEqual({ ...changes, openWorldHint: false })
      expect(hints("mcp__writes__look")).toEqual({ ...changes, openWorldHint: false })
      expect(hints("mcp__asks__look")).toEqual({ ...reads, openWorldHint: true })
      expect(hints("mcp__far__look")).toEqual({ ...changes, openWorldHint: true })
      expect(listed.get("mcp__writes__act")?._meta?.["bailiwick/touches"]).toEqual([
        "may read /data/",
        "may write /data/"
      ])
    })
  )
})

/** The threat: a tool that may store fills the disk. Each namespace holds so much, and says so in words when it is full. */
import { describe, expect, it } from "@effect/vitest"
import { Builtin, Registry, Storage, Tool } from "bailiwick"
import { MemoryStorage, NodeBackends } from "bailiwick/node"
import { Effect, type Layer, Schema } from "effect"
import { defaultQuota, overQuota, quotaOf } from "../../../src/capabilities/storage/Quota.js"
import type { StorageBackend } from "../../../src/capabilities/storage/StorageBackend.js"
import * as NodeStorage from "../../../src/layers/node/storage/NodeStorage.js"
import { turnOf } from "../../registry/support.js"
import { scratch } from "./scratch.js"

const hoard = Tool.make({
  name: "hoard",
  description: "Keeps more and more",
  parameters: Schema.Struct({ entries: Schema.Int, bytes: Schema.Int }),
  capabilities: { storage: { scope: "tool-private", kind: "kv" } },
  execute: ({ bytes, entries }) =>
    Effect.forEach(
      Array.from({ length: entries }, (_, index) => `k${index}`),
      (key) => Storage.set(key, "x".repeat(bytes)),
      { discard: true }
    )
})

const registry = Registry.make(hoard, ...Builtin.builtins)

const errorOf = (name: string, args: object) =>
  Effect.map(registry.execute(turnOf(), [{ id: "1", name, args }]), ([{ result }]) =>
    result.ok ? "" : `${result.code} ${result.error}`
  )

const remedy = "delete some, give entries a time to live, or have the quota of the layer raised"

const isHeld = (layer: Layer.Layer<StorageBackend>) =>
  Effect.gen(function* () {
    expect(yield* errorOf("hoard", { entries: 4, bytes: 1 })).toBe(
      `execution_failed QUOTA_EXCEEDED: the store holds 3 entries, and may hold 3; ${remedy}`
    )
    expect(yield* errorOf("hoard", { entries: 3, bytes: 40 })).toBe(
      `execution_failed QUOTA_EXCEEDED: the store holds 87 bytes, and may hold 100; ${remedy}`
    )
    // The session's is another namespace, with a quota of its own.
    expect(yield* errorOf("kv_set", { key: "k", value: "v" })).toBe("")
  }).pipe(Effect.provide(layer))

const quota = { entries: 3, bytes: 100 }

describe("a quota", () => {
  it.scoped("holds a tool where the host gave one to the store", () =>
    Effect.gen(function* () {
      yield* isHeld(NodeStorage.layer({ directory: yield* scratch, quota }))
    })
  )

  it.scoped("holds a tool where the host gave one to all backends", () =>
    Effect.gen(function* () {
      yield* isHeld(NodeBackends.layer({ directory: yield* scratch, storage: { quota } }))
    })
  )

  it.effect("holds a tool in memory too", () => isHeld(MemoryStorage.layer({ quota })))

  it.scoped("is counted across layers and processes: it belongs to the namespace", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const layer = NodeStorage.layer({ directory, quota })
      expect(yield* Effect.provide(errorOf("hoard", { entries: 3, bytes: 1 }), layer)).toBe("")
      const more = Effect.gen(function* () {
        expect(yield* errorOf("hoard", { entries: 4, bytes: 1 })).toContain("QUOTA_EXCEEDED")
      })
      yield* Effect.provide(more, layer)
      // One who lowers it takes nothing away, and lets no more in.
      yield* Effect.provide(more, NodeStorage.layer({ directory, quota: { entries: 1 } }))
    })
  )

  it("without one is larger than what an honest tool keeps, and each half is set by itself", () => {
    expect(defaultQuota).toEqual({ entries: 100_000, bytes: 268_435_456 })
    expect(quotaOf({ entries: 7 })).toEqual({ entries: 7, bytes: defaultQuota.bytes })
    expect(quotaOf({ bytes: 7 })).toEqual({ entries: defaultQuota.entries, bytes: 7 })
  })

  it("that is no number allows nothing more, and what makes less is always allowed", () => {
    const held = { entries: 5, bytes: 50 }
    for (const broken of [Number.NaN, -1]) {
      const given = { entries: broken, bytes: broken }
      expect(overQuota(held, { entries: 1, bytes: 1 }, given)?.code).toBe("QUOTA_EXCEEDED")
      expect(overQuota(held, { entries: 0, bytes: 1 }, given)?.code).toBe("QUOTA_EXCEEDED")
      expect(overQuota(held, { entries: 0, bytes: -1 }, given)).toBeUndefined()
      expect(overQuota(held, { entries: 0, bytes: 0 }, given)).toBeUndefined()
    }
  })
})

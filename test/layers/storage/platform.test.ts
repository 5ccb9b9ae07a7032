/** What the weaker store keeps of its promises when the store under it fails, is shared, or holds something else. */
import { FetchHttpClient, FileSystem, KeyValueStore, Error as PlatformError } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Registry, Storage, Tool, Turn } from "bailiwick"
import { PlatformBackends } from "bailiwick/platform"
import { Effect, Layer, Option, Schema } from "effect"
import * as PlatformStorage from "../../../src/layers/platform/PlatformStorage.js"
import * as Request from "../../../src/policy/lattice/Request.js"
import { permitsFor } from "../../../src/testing/contracts/permits.js"
import { everything } from "../../registry/support.js"

const opened = Effect.gen(function* () {
  const backend = yield* PlatformStorage.make()
  const proof = yield* permitsFor(backend).ask({ storage: { use: ["session"] } }, Request.storage("session"))
  return { backend, store: backend.open(proof, "session:s") }
})

const map = () => {
  const held = new Map<string, string>()
  const store = KeyValueStore.makeStringOnly({
    get: (key) => Effect.sync(() => Option.fromNullable(held.get(key))),
    set: (key, value) => Effect.sync(() => void held.set(key, value)),
    remove: (key) => Effect.sync(() => void held.delete(key)),
    clear: Effect.sync(() => held.clear()),
    size: Effect.sync(() => held.size)
  })
  return { held, store }
}

describe("PlatformStorage", () => {
  it.effect("survives its layer, and takes nothing that is not its own", () =>
    Effect.gen(function* () {
      const { held, store } = map()
      held.set("theirs", "1")
      const over = Effect.provideService(KeyValueStore.KeyValueStore, store)
      const first = yield* over(opened)
      yield* first.store.set({ key: "a/b", value: "1" })
      const second = yield* over(opened)
      expect(yield* second.store.get({ key: "a/b" })).toBe("1")
      yield* second.store.set({ key: "c", value: "2" })
      expect(yield* first.store.list({ prefix: "" })).toEqual(["a/b", "c"])
      yield* first.backend.clear("session:s")
      expect([...held.keys()]).toEqual(["theirs"])
      expect(yield* second.store.list({ prefix: "" })).toEqual([])
    })
  )

  it.effect("says what it cannot read or write, and nothing of the host", () =>
    Effect.gen(function* () {
      const { held, store } = map()
      const broken = KeyValueStore.make({
        ...store,
        set: () =>
          Effect.fail(
            new PlatformError.SystemError({
              reason: "PermissionDenied",
              module: "KeyValueStore",
              method: "set",
              pathOrDescriptor: "/home/me/secret"
            })
          )
      })
      const { store: failing } = yield* Effect.provideService(opened, KeyValueStore.KeyValueStore, broken)
      const { message } = yield* Effect.flip(failing.set({ key: "k", value: "v" }))
      expect(message).toMatch(/^STORAGE_FAILED: .*PermissionDenied/)
      expect(message).not.toContain("/home")
      const { store: reading } = yield* Effect.provideService(opened, KeyValueStore.KeyValueStore, store)
      yield* reading.set({ key: "k", value: "v" })
      for (const key of held.keys()) held.set(key, "{ no")
      for (const use of [
        Effect.asVoid(reading.get({ key: "k" })),
        Effect.asVoid(reading.list({ prefix: "" }))
      ]) {
        expect((yield* Effect.flip(use)).message).toContain("not written by this program")
      }
    })
  )

  it.effect("is enough for a tool, and what is not wired is not available", () =>
    Effect.gen(function* () {
      const shape = { description: "d", parameters: Schema.Struct({}), success: Schema.String } as const
      const keeps = Tool.make({
        ...shape,
        name: "keeps",
        capabilities: { storage: { scope: "session", kind: "kv" } },
        execute: () =>
          Effect.zipRight(
            Storage.set("k", "kept"),
            Effect.map(
              Storage.get("k"),
              Option.getOrElse(() => "")
            )
          )
      })
      const runs = Tool.make({
        ...shape,
        name: "runs",
        capabilities: { process: { allowedBinaries: ["true"] } },
        execute: () => Effect.succeed("ran")
      })
      const turn = Turn.make({ session: "s", policy: everything, workdir: "/" })
      const results = yield* Registry.make(keeps, runs).execute(
        turn,
        ["keeps", "runs"].map((name) => ({ id: name, name, args: {} }))
      )
      expect(results.map(({ result }) => result)).toMatchObject([
        { ok: true, value: "kept" },
        { ok: false, code: "not_available" }
      ])
    }).pipe(
      Effect.provide(
        Layer.provide(PlatformBackends.layer(), [
          KeyValueStore.layerMemory,
          FileSystem.layerNoop({}),
          FetchHttpClient.layer
        ])
      )
    )
  )
})

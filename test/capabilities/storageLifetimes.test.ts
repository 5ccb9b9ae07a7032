/** [K12, K14] A lifetime is a whole number of seconds, 1 or more: whatever else is given is refused, wherever it is given. */
import { describe, expect, it } from "@effect/vitest"
import { Authority, Builtin, Registry, Storage, StorageBackend, Tool } from "bailiwick"
import { MemoryStorage } from "bailiwick/node"
import { TestStorage } from "bailiwick/testing"
import { Effect, Layer, Option, Schema } from "effect"
import { turnOf } from "../registry/support.js"

const NUMBERS = [0, -0, -1, -5, 0.0001, 0.5, 1.5, Number.NaN, Number.POSITIVE_INFINITY, -Infinity, 2 ** 53]

/** What comes from JavaScript without types, or as JSON of a model. */
const OTHERS: ReadonlyArray<unknown> = [null, "60", "", true, {}, [60], 60n]

const kept = Layer.sync(StorageBackend, () => MemoryStorage.make())

const call = (tool: Tool.Any, args: unknown) =>
  Effect.gen(function* () {
    const registry = Registry.make(tool, ...Builtin.builtins.filter(({ name }) => name !== tool.name))
    const [{ result }] = yield* registry.execute(turnOf(), [{ id: "1", name: tool.name, args }])
    const [{ result: listed }] = yield* registry.execute(turnOf(), [{ id: "2", name: "kv_list", args: {} }])
    expect(listed).toMatchObject({ ok: true, value: { keys: [] } })
    return result
  }).pipe(Effect.provide(kept))

describe("a lifetime that is none", () => {
  it.effect("is an invalid argument of kv_set", () =>
    Effect.gen(function* () {
      const kvSet = Builtin.builtins.find(({ name }) => name === "kv_set")
      if (kvSet === undefined) throw new Error("there is no kv_set")
      for (const ttlSeconds of [...NUMBERS, ...OTHERS]) {
        const result = yield* call(kvSet, { key: "k", value: "v", ttlSeconds })
        expect([ttlSeconds, result]).toMatchObject([ttlSeconds, { ok: false, code: "input_invalid" }])
        if (!result.ok) expect(result.error).toContain("ttlSeconds")
      }
    })
  )

  it.effect("is a typed error inside a tool, of set and of update", () =>
    Effect.gen(function* () {
      let ttlSeconds: unknown
      let caught = ""
      const remember = Tool.make({
        name: "remember",
        description: "d",
        parameters: Schema.Struct({ update: Schema.Boolean }),
        capabilities: { storage: { scope: "session", kind: "kv", ttlSecondsDefault: 60 } },
        execute: ({ update }) => {
          // As it comes from JavaScript.
          const options = { ttlSeconds } as { readonly ttlSeconds: number }
          const write = update
            ? Storage.update("k", () => Option.some("v"), options)
            : Storage.set("k", "v", options)
          return Effect.tapErrorTag(write, "StorageError", ({ code }) =>
            Effect.sync(() => {
              caught = code
            })
          )
        }
      })
      for (ttlSeconds of [...NUMBERS, ...OTHERS]) {
        for (const update of [false, true]) {
          caught = ""
          const result = yield* call(remember, { update })
          expect(result).toMatchObject({ ok: false, code: "execution_failed" })
          if (!result.ok) {
            expect(result.error).toMatch(
              /^VALUE_INVALID: ttlSeconds is .*; give a whole number of seconds, 1 or more, or leave it out$/
            )
          }
          expect(caught).toBe("VALUE_INVALID")
        }
      }
    })
  )

  it("is refused in a declaration", () => {
    const declare = (ttlSecondsDefault: number) =>
      Tool.make({
        name: "remember",
        description: "d",
        parameters: Schema.Struct({}),
        capabilities: { storage: { scope: "session", kind: "kv", ttlSecondsDefault } },
        execute: () => Storage.set("k", "v")
      })
    for (const ttlSeconds of NUMBERS) {
      expect(() => declare(ttlSeconds)).toThrow("expected a whole number of seconds, 1 or more")
    }
    expect(declare(1).name).toBe("remember")
  })

  it.effect("is refused by every double, which then keeps nothing", () =>
    Effect.gen(function* () {
      const held = Schema.decodeSync(Authority.FromJson)({ storage: { use: ["session"] } })
      const doubles = [
        Storage.mock(),
        TestStorage.recording().layer,
        TestStorage.layerMemory(held, { scope: "session" })
      ]
      for (const double of doubles) {
        yield* Effect.gen(function* () {
          for (const ttlSeconds of NUMBERS) {
            const set = yield* Effect.flip(Storage.set("k", "v", { ttlSeconds }))
            const update = yield* Effect.flip(Storage.update("k", () => Option.some("v"), { ttlSeconds }))
            expect([set.code, update.code]).toEqual(["VALUE_INVALID", "VALUE_INVALID"])
          }
          expect(yield* Storage.list()).toEqual([])
        }).pipe(Effect.provide(double))
      }
    })
  )

  it.effect("is refused by operations that a double is made of, without the service in between", () =>
    Effect.gen(function* () {
      const operations = Storage.memory({})
      for (const ttlSeconds of NUMBERS) {
        const entry = { key: "k", value: "v", ttlSeconds }
        expect((yield* Effect.flip(operations.set(entry))).code).toBe("VALUE_INVALID")
        const swap = operations.compareAndSet({ ...entry, expected: null })
        expect((yield* Effect.flip(swap)).code).toBe("VALUE_INVALID")
      }
    })
  )

  it("does not cross a process boundary", () => {
    const decode = Schema.decodeUnknownEither(Storage.schemas.Entry)
    for (const ttlSeconds of [...NUMBERS, ...OTHERS]) {
      expect([ttlSeconds, decode({ key: "k", value: "v", ttlSeconds })._tag]).toEqual([ttlSeconds, "Left"])
    }
    expect(decode({ key: "k", value: "v", ttlSeconds: 1 })._tag).toBe("Right")
  })
})

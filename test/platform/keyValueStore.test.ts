/** What a library keeps is in the store of its tool: no update is lost, no byte changes, no key leaves. */
import { KeyValueStore } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Policy, Registry, Storage, StorageError, Tool, Turn } from "bailiwick"
import { absorbed, layerKeyValueStore } from "bailiwick/platform"
import { Effect, FastCheck, Layer, Logger, LogLevel, Option, Schema, TestClock } from "effect"
import * as MemoryStorage from "../../src/capabilities/storage/MemoryStorage.js"
import * as Authority from "../../src/policy/lattice/Authority.js"

const store = () => Layer.provideMerge(layerKeyValueStore, Storage.mock())

const Visits = Schema.Struct({ count: Schema.NumberFromString })

describe("a KeyValueStore over Storage", () => {
  it.effect("keeps, counts and removes", () =>
    Effect.gen(function* () {
      const kv = yield* KeyValueStore.KeyValueStore
      expect([yield* kv.isEmpty, yield* kv.has("a"), yield* kv.get("a")]).toEqual([
        true,
        false,
        Option.none()
      ])
      yield* kv.set("a", "1")
      yield* kv.set("b", "2")
      expect([yield* kv.isEmpty, yield* kv.has("a"), yield* kv.size]).toEqual([false, true, 2])
      expect(yield* Storage.get("a")).toEqual(Option.some("1"))
      yield* kv.remove("a")
      expect(yield* kv.get("a")).toEqual(Option.none())
      yield* kv.clear
      expect(yield* kv.size).toBe(0)
    }).pipe(Effect.provide(store()))
  )

  it.effect("gives text and bytes back as they were, also those that look like the other", () =>
    Effect.gen(function* () {
      const kv = yield* KeyValueStore.KeyValueStore
      const texts = FastCheck.sample(FastCheck.string({ unit: "binary" }), 20)
      for (const text of [
        "",
        "abcd",
        "\u0000base64,",
        "\u0000base64,AAAA",
        "\u0000text,",
        "\u0000text,x",
        ...texts
      ]) {
        yield* kv.set("k", text)
        expect(yield* kv.get("k")).toEqual(Option.some(text))
      }
      yield* kv.set("k", "abcd")
      expect(yield* kv.getUint8Array("k")).toEqual(Option.some(new TextEncoder().encode("abcd")))
      for (const bytes of FastCheck.sample(FastCheck.uint8Array(), 20)) {
        yield* kv.set("k", bytes)
        expect(yield* kv.getUint8Array("k")).toEqual(Option.some(bytes))
        expect(yield* kv.get("k")).toEqual(Option.some(Buffer.from(bytes).toString("base64")))
      }
      yield* kv.set("k", new Uint8Array([1]))
      yield* kv.modifyUint8Array("k", (bytes) => new Uint8Array([...bytes, 2]))
      expect(yield* kv.getUint8Array("k")).toEqual(Option.some(new Uint8Array([1, 2])))
    }).pipe(Effect.provide(store()))
  )

  it.effect("loses no update, by text or by a schema, with a prefix or without", () =>
    Effect.gen(function* () {
      const kv = yield* KeyValueStore.KeyValueStore
      const many = <A, E>(one: Effect.Effect<A, E>) =>
        Effect.replicateEffect(one, 30, { concurrency: "unbounded", discard: true })
      yield* kv.set("n", "0")
      yield* many(kv.modify("n", (n) => String(Number(n) + 1)))
      expect(yield* kv.get("n")).toEqual(Option.some("30"))
      const below = KeyValueStore.prefix(kv, "lib/")
      for (const visits of [kv.forSchema(Visits), below.forSchema(Visits)]) {
        yield* visits.set("v", { count: 0 })
        yield* many(visits.modify("v", ({ count }) => ({ count: count + 1 })))
        expect(yield* visits.get("v")).toEqual(Option.some({ count: 30 }))
        expect(yield* visits.modify("missing", (same) => same)).toEqual(Option.none())
      }
      expect(yield* kv.get("lib/v")).toEqual(Option.some('{"count":"30"}'))
      yield* kv.set("v", "no json")
      expect((yield* Effect.flip(kv.forSchema(Visits).get("v")))._tag).toBe("ParseError")
    }).pipe(Effect.provide(store()))
  )
})

const authority = Schema.decodeSync(Authority.FromJson)({ storage: { use: ["session"] } })

const turnOf = (held: Authority.Authority) =>
  Turn.make({ session: "s", policy: Policy.make({ authority: held }), workdir: "/" })

const counter = Tool.make({
  name: "counter",
  description: "d",
  parameters: Schema.Struct({ key: Schema.String }),
  success: Schema.Number,
  failure: Schema.instanceOf(Error),
  capabilities: { storage: { scope: "session", kind: "kv", ttlSecondsDefault: 10 } },
  execute: ({ key }) =>
    Effect.gen(function* () {
      const kv = yield* KeyValueStore.KeyValueStore
      const visits = KeyValueStore.prefix(kv, "lib/").forSchema(Visits)
      if (!(yield* visits.has(key))) yield* visits.set(key, { count: 0 })
      const next = yield* visits.modify(key, ({ count }) => ({ count: count + 1 }))
      return Option.match(next, { onNone: () => 0, onSome: ({ count }) => count })
    }).pipe(Effect.provide(layerKeyValueStore), absorbed)
})

describe("a tool that uses a KeyValueStore", () => {
  const call = (key: string) => [{ id: "1", name: "counter", args: { key } }]

  const run = (held: Authority.Authority, key: string) =>
    Effect.map(Registry.make(counter).execute(turnOf(held), call(key)), ([one]) => one?.result)

  it.effect("keeps in its own scope, for as long as it declares", () =>
    Effect.gen(function* () {
      expect(yield* run(authority, "a")).toMatchObject({ ok: true, value: 1 })
      expect(yield* run(authority, "a")).toMatchObject({ ok: true, value: 2 })
      yield* TestClock.adjust("10 seconds")
      expect(yield* run(authority, "a")).toMatchObject({ ok: true, value: 1 })
    }).pipe(Effect.provide(MemoryStorage.layer()))
  )

  it.effect("is refused in words what Storage refuses", () =>
    Effect.gen(function* () {
      expect(yield* run(authority, "a\u0000b")).toMatchObject({
        ok: false,
        error: "KEY_INVALID: the key holds a NUL character; leave it out"
      })
      expect(yield* run(authority, "x".repeat(2000))).toMatchObject({ ok: false })
      expect(yield* run(Authority.nothing, "a")).toMatchObject({ ok: false })
    }).pipe(Effect.provide(MemoryStorage.layer()), Logger.withMinimumLogLevel(LogLevel.None))
  )

  it.effect("has the code of Storage as the cause of each failure", () =>
    Effect.gen(function* () {
      const kv = yield* KeyValueStore.KeyValueStore
      const error = yield* Effect.flip(kv.get(""))
      expect(error).toMatchObject({ _tag: "SystemError", reason: "InvalidData", module: "KeyValueStore" })
      expect(yield* Effect.flip(absorbed(kv.get("")))).toBeInstanceOf(StorageError)
    }).pipe(
      Effect.provide(layerKeyValueStore),
      Effect.provide(
        Storage.layerTest({
          get: () => new StorageError({ code: "KEY_INVALID", detail: "the key is empty; name one" })
        })
      )
    )
  )
})

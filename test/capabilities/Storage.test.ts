import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Storage } from "../../src/capabilities/storage/Storage.js"

const increment = (current: Option.Option<string>) =>
  Option.some(String(Number(Option.getOrElse(current, () => "0")) + 1))

describe("Storage", () => {
  it.effect("gets, sets, deletes and lists by prefix", () =>
    Effect.gen(function* () {
      expect(yield* Storage.get("a")).toEqual(Option.some("1"))
      yield* Storage.set("ab", "2")
      yield* Storage.set("__proto__", "3")
      expect(yield* Storage.list("a")).toEqual(["a", "ab"])
      yield* Storage.delete("a")
      yield* Storage.delete("never there")
      expect(yield* Storage.get("a")).toEqual(Option.none())
      expect(yield* Storage.list()).toEqual(["__proto__", "ab"])
      expect(yield* Storage.get("toString")).toEqual(Option.none())
    }).pipe(Effect.provide(Storage.mock({ a: "1" })))
  )

  it.effect("answers an update with the new value, and removes on none", () =>
    Effect.gen(function* () {
      expect(yield* Storage.update("n", increment)).toEqual(Option.some("1"))
      expect(yield* Storage.update("n", increment)).toEqual(Option.some("2"))
      expect(yield* Storage.update("n", () => Option.none())).toEqual(Option.none())
      expect(yield* Storage.list()).toEqual([])
    }).pipe(Effect.provide(Storage.mock()))
  )

  it.effect("loses no update under contention", () =>
    Effect.gen(function* () {
      const held = new Map<string, string>()
      let refused = 0
      const storage = Storage.make({
        // The turn that another fiber gets between reading and swapping is what makes them collide.
        get: ({ key }) =>
          Effect.zipLeft(
            Effect.sync(() => held.get(key) ?? null),
            Effect.yieldNow()
          ),
        set: ({ key, value }) => Effect.sync(() => void held.set(key, value)),
        delete: ({ key }) => Effect.sync(() => void held.delete(key)),
        list: () => Effect.succeed([...held.keys()]),
        compareAndSet: ({ key, expected, value }) =>
          Effect.sync(() => {
            if ((held.get(key) ?? null) !== expected) {
              refused += 1
              return false
            }
            if (value !== null) held.set(key, value)
            return true
          })
      })
      yield* Effect.replicateEffect(Storage.update("n", increment), 50, {
        concurrency: "unbounded",
        discard: true
      }).pipe(Effect.provideService(Storage, storage))
      expect(held.get("n")).toBe("50")
      expect(refused).toBeGreaterThan(0)
    })
  )

  it.effect("passes a time to live on", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const storage = Storage.make({
        get: () => Effect.succeed(null),
        set: (entry) => Effect.sync(() => void seen.push(entry)),
        delete: () => Effect.void,
        list: () => Effect.succeed([]),
        compareAndSet: (swap) => Effect.sync(() => seen.push(swap) > 0)
      })
      const forged = { ttlSeconds: 5, key: "other", value: "zzz" }
      yield* Effect.zipRight(
        Storage.set("a", "1", forged),
        Storage.update("b", increment, { ttlSeconds: 6 })
      ).pipe(Effect.provideService(Storage, storage))
      expect(seen).toEqual([
        { key: "a", value: "1", ttlSeconds: 5 },
        { key: "b", expected: null, value: "1", ttlSeconds: 6 }
      ])
    })
  )
})

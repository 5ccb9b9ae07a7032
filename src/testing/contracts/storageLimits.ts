/** The cases about what a live store refuses: keys, values and lifetimes that it cannot keep, and too much of them. */
import { Effect, TestClock } from "effect"
import type { Quota } from "../../capabilities/storage/Quota.js"
import { code, must } from "./contract.js"
import { type Case, define } from "./storageCase.js"

const NO_LIFETIMES = [
  0,
  -0,
  -5,
  0.0001,
  0.5,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  2 ** 60
]

export const limits: ReadonlyArray<Case> = [
  define("limits", "a key that cannot be kept is refused by every operation", ({ open }) =>
    Effect.gen(function* () {
      const store = yield* open()
      yield* store.set({ key: "a", value: "1" })
      for (const key of ["a\0b", "\0", "half \ud83d", "x".repeat(2000), "\u00e9".repeat(513)]) {
        yield* must("get", yield* code(store.get({ key })), "KEY_INVALID")
        yield* must("set", yield* code(store.set({ key, value: "1" })), "KEY_INVALID")
        yield* must("delete", yield* code(store.delete({ key })), "KEY_INVALID")
        yield* must("list", yield* code(store.list({ prefix: key })), "KEY_INVALID")
        const swap = store.compareAndSet({ key, expected: null, value: "1" })
        yield* must("compareAndSet", yield* code(swap), "KEY_INVALID")
      }
      yield* must("an empty key", yield* code(store.set({ key: "", value: "1" })), "KEY_INVALID")
      yield* must("list", yield* store.list({ prefix: "" }), ["a"])
      yield* must("a long key", yield* code(store.set({ key: "x".repeat(1024), value: "1" })), "success")
    })
  ),
  define("limits", "a namespace that cannot be kept is refused", ({ open }) =>
    Effect.gen(function* () {
      for (const part of ["a\0b", "half \ud83d", "x".repeat(2000)]) {
        const store = yield* open(part)
        yield* must("set", yield* code(store.set({ key: "k", value: "1" })), "KEY_INVALID")
        yield* must("list", yield* code(store.list({ prefix: "" })), "KEY_INVALID")
      }
    })
  ),
  define("limits", "a value that is too large is refused", ({ open }) =>
    Effect.gen(function* () {
      const store = yield* open()
      yield* store.set({ key: "k", value: "1" })
      const large = "\u00e9".repeat(600_000)
      yield* must("set", yield* code(store.set({ key: "k", value: large })), "VALUE_INVALID")
      const swap = store.compareAndSet({ key: "k", expected: "1", value: large })
      yield* must("compareAndSet", yield* code(swap), "VALUE_INVALID")
      yield* must("get", yield* store.get({ key: "k" }), "1")
    })
  ),
  define(
    "limits",
    "a lifetime that is not a whole number of seconds is refused, and changes nothing",
    ({ open }) =>
      Effect.gen(function* () {
        const store = yield* open()
        yield* store.set({ key: "k", value: "1" })
        for (const ttlSeconds of NO_LIFETIMES) {
          yield* must(
            `set for ${ttlSeconds} seconds`,
            yield* code(store.set({ key: "k", value: "2", ttlSeconds })),
            "VALUE_INVALID"
          )
          const swap = store.compareAndSet({ key: "k", expected: "1", value: "2", ttlSeconds })
          yield* must(`compareAndSet for ${ttlSeconds} seconds`, yield* code(swap), "VALUE_INVALID")
          const first = store.compareAndSet({ key: "new", expected: null, value: "2", ttlSeconds })
          yield* must(`the first for ${ttlSeconds} seconds`, yield* code(first), "VALUE_INVALID")
        }
        yield* must("get", yield* store.get({ key: "k" }), "1")
        yield* must("list", yield* store.list({ prefix: "" }), ["k"])
        const long = store.set({ key: "k", value: "2", ttlSeconds: Number.MAX_SAFE_INTEGER })
        yield* must("set for ages", yield* code(long), "success")
        yield* TestClock.adjust("36500 days")
        yield* must("get after a hundred years", yield* store.get({ key: "k" }), "2")
      })
  )
]

/**
 * The cases for a store whose namespaces may hold so many entries and bytes: a few of each, so that they are soon full.
 *
 * @since 0.1.0
 * @category cases
 */
export const quota = (given: Quota): ReadonlyArray<Case> => [
  define("quota", "entries past the quota are refused, and room that is made is used", ({ open }) =>
    Effect.gen(function* () {
      const [full, other] = [yield* open("full"), yield* open("other")]
      const set = (key: string, value: string, ttlSeconds?: number) =>
        code(full.set(ttlSeconds === undefined ? { key, value } : { key, value, ttlSeconds }))
      for (let index = 0; index < given.entries; index++) {
        yield* must("an entry within the quota", yield* set(`k${index}`, "v"), "success")
      }
      yield* must("one more", yield* set("more", "v"), "QUOTA_EXCEEDED")
      const swap = full.compareAndSet({ key: "more", expected: null, value: "v" })
      yield* must("one more by a swap", yield* code(swap), "QUOTA_EXCEEDED")
      yield* must("what was refused is not there", yield* full.get({ key: "more" }), null)
      yield* must("another namespace", yield* code(other.set({ key: "k", value: "v" })), "success")
      yield* must("a new value of an old entry", yield* set("k0", "w", 1), "success")
      yield* TestClock.adjust("1 second")
      yield* must("in place of what has expired", yield* set("more", "v"), "success")
      yield* must("one more after that", yield* set("even more", "v"), "QUOTA_EXCEEDED")
      yield* full.delete({ key: "k1" })
      yield* must("in place of what was deleted", yield* set("even more", "v"), "success")
    })
  ),
  define("quota", "bytes past the quota are refused, of keys and values together", ({ clear, open }) =>
    Effect.gen(function* () {
      const store = yield* open()
      const set = (key: string, length: number) => code(store.set({ key, value: "x".repeat(length) }))
      yield* must("as many as there may be", yield* set("k", given.bytes - 1), "success")
      yield* must("a byte more", yield* set("k", given.bytes), "QUOTA_EXCEEDED")
      yield* must("another entry", yield* set("l", 0), "QUOTA_EXCEEDED")
      yield* must("a key of two bytes", yield* set("\u00e9", 0), "QUOTA_EXCEEDED")
      yield* must("fewer", yield* set("k", given.bytes - 3), "success")
      yield* must("as many again", yield* set("\u00e9", 0), "success")
      yield* must("a byte more than that", yield* set("\u00e9", 1), "QUOTA_EXCEEDED")
      yield* clear()
      yield* must("as many once it is cleared", yield* set("k", given.bytes - 1), "success")
    })
  )
]

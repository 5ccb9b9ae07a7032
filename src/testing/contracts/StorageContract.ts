/**
 * What every store must do. Each case is an Effect that needs a `StorageBackend` and no test runner, and brings a clock
 * of its own: run them against each layer you write.
 *
 * @since 0.1.0
 */
import { Effect, Option, TestClock } from "effect"
import { Storage } from "../../capabilities/storage/Storage.js"
import { must } from "./contract.js"
import { type Case, define } from "./storageCase.js"
import { limits } from "./storageLimits.js"
import { proofs } from "./storageProofs.js"

export {
  /**
   * @since 0.1.0
   * @category errors
   */
  ContractBroken
} from "./contract.js"

export type {
  /**
   * @since 0.1.0
   * @category models
   */
  Case
} from "./storageCase.js"

export {
  /**
   * @since 0.1.0
   * @category models
   */
  Job,
  /**
   * @since 0.1.0
   * @category jobs
   */
  perform
} from "./storageJobs.js"

export {
  /**
   * @since 0.1.0
   * @category cases
   */
  quota
} from "./storageLimits.js"

export {
  /**
   * @since 0.1.0
   * @category models
   */
  type Neighbour,
  /**
   * @since 0.1.0
   * @category models
   */
  Neighbours,
  /**
   * @since 0.1.0
   * @category models
   */
  type TogetherCase,
  /**
   * @since 0.1.0
   * @category cases
   */
  together
} from "./storageTogether.js"

const basics: ReadonlyArray<Case> = [
  define("entries", "a missing key has no value, and removing it is no failure", ({ open }) =>
    Effect.gen(function* () {
      const store = yield* open()
      yield* must("get of a missing key", yield* store.get({ key: "missing" }), null)
      yield* store.delete({ key: "missing" })
      yield* must("get of toString", yield* store.get({ key: "toString" }), null)
    })
  ),
  define("entries", "the last value written is the one read", ({ open }) =>
    Effect.gen(function* () {
      const store = yield* open()
      yield* store.set({ key: "k", value: "1" })
      yield* store.set({ key: "k", value: "2" })
      yield* must("get", yield* store.get({ key: "k" }), "2")
      yield* store.delete({ key: "k" })
      yield* must("get after delete", yield* store.get({ key: "k" }), null)
    })
  ),
  define("entries", "a value comes back as it was, whatever characters it holds", ({ open }) =>
    Effect.gen(function* () {
      const store = yield* open()
      const values = ["", "\0", "line\nline", "\u{1f600}", "half \ud83d", "\ufffd", "x".repeat(100_000)]
      for (const value of values) {
        yield* store.set({ key: "k", value })
        yield* must("get", yield* store.get({ key: "k" }), value)
        yield* must(
          "compareAndSet knows it",
          yield* store.compareAndSet({ key: "k", expected: value, value: "next" }),
          true
        )
      }
    })
  ),
  define("entries", "keys are listed in order, by a prefix that minds case", ({ open }) =>
    Effect.gen(function* () {
      const store = yield* open()
      for (const key of ["foo/b", "Foo", "foo/a", "fo", "\u{1f600}", "\uffee", "__proto__"]) {
        yield* store.set({ key, value: key })
      }
      yield* must("list foo", yield* store.list({ prefix: "foo" }), ["foo/a", "foo/b"])
      yield* must("list all", yield* store.list({ prefix: "" }), [
        "Foo",
        "__proto__",
        "fo",
        "foo/a",
        "foo/b",
        "\u{1f600}",
        "\uffee"
      ])
      yield* must("list nothing", yield* store.list({ prefix: "bar" }), [])
    })
  ),
  define("entries", "a value is swapped only for the one that is expected", ({ open }) =>
    Effect.gen(function* () {
      const store = yield* open()
      const swap = (expected: string | null, value: string | null) =>
        store.compareAndSet({ key: "k", expected, value })
      yield* must("swap of nothing for something else", yield* swap("0", "1"), false)
      yield* must("first", yield* swap(null, "1"), true)
      yield* must("first again", yield* swap(null, "2"), false)
      yield* must("stale", yield* swap("0", "2"), false)
      yield* must("value", yield* store.get({ key: "k" }), "1")
      yield* must("next", yield* swap("1", "2"), true)
      yield* must("removal", yield* swap("2", null), true)
      yield* must("value at the end", yield* store.get({ key: "k" }), null)
    })
  ),
  define("entries", "no update is lost under contention", ({ open }) =>
    Effect.gen(function* () {
      const storage = Storage.make(yield* open())
      const increment = Storage.update("n", (current) =>
        Option.some(String(Number(Option.getOrElse(current, () => "0")) + 1))
      )
      yield* Effect.replicateEffect(increment, 50, { concurrency: "unbounded", discard: true }).pipe(
        Effect.provideService(Storage, storage)
      )
      yield* must("count", yield* (yield* open()).get({ key: "n" }), "50")
    })
  )
]

const lifetimes: ReadonlyArray<Case> = [
  define("entries", "an entry is gone the moment it expires, for every operation", ({ open }) =>
    Effect.gen(function* () {
      const store = yield* open()
      yield* store.set({ key: "k", value: "1", ttlSeconds: 10 })
      yield* TestClock.adjust("9999 millis")
      yield* must("get before", yield* store.get({ key: "k" }), "1")
      yield* must("list before", yield* store.list({ prefix: "" }), ["k"])
      yield* TestClock.adjust("1 millis")
      yield* must("get after", yield* store.get({ key: "k" }), null)
      yield* must("list after", yield* store.list({ prefix: "" }), [])
      const swap = { key: "k", value: "2", ttlSeconds: 1 }
      yield* must("swap of the old value", yield* store.compareAndSet({ ...swap, expected: "1" }), false)
      yield* must("swap of nothing", yield* store.compareAndSet({ ...swap, expected: null }), true)
      yield* TestClock.adjust("1 second")
      yield* must("get after the second", yield* store.get({ key: "k" }), null)
    })
  ),
  define("entries", "a write without a lifetime takes the old one away", ({ open }) =>
    Effect.gen(function* () {
      const store = yield* open()
      yield* store.set({ key: "k", value: "1", ttlSeconds: 1 })
      yield* store.set({ key: "k", value: "2" })
      yield* store.set({ key: "later", value: "1", ttlSeconds: 1 })
      yield* store.set({ key: "later", value: "2", ttlSeconds: 3600 })
      yield* TestClock.adjust("1 minute")
      yield* store.set({ key: "other", value: "a write that sweeps" })
      yield* must("list", yield* store.list({ prefix: "" }), ["k", "later", "other"])
      yield* must("get", yield* store.get({ key: "k" }), "2")
    })
  )
]

const apart: ReadonlyArray<Case> = [
  define("namespaces", "no key of one namespace is a key of another, whatever is in them", ({ open }) =>
    Effect.gen(function* () {
      const parts = ["", "a", "ab", "a/", "a:", "a:b", "A", "\u0001", "\u00ff", "\ud83d\ude00", "a\u0001b"]
      const keys = ["a", "b", "b:c", ":b", "bc", "/a", "c", "\u0001", "\u00ff", "\u0001b", "\u{10ffff}"]
      for (const part of parts) {
        const store = yield* open(part)
        for (const key of keys) yield* store.set({ key, value: JSON.stringify([part, key]) })
      }
      for (const part of parts) {
        const store = yield* open(part)
        yield* must("list", yield* store.list({ prefix: "" }), [...keys].sort())
        for (const key of keys) {
          yield* must("get", yield* store.get({ key }), JSON.stringify([part, key]))
        }
      }
    })
  ),
  define(
    "namespaces",
    "clearing a namespace removes all that is in it, and nothing else",
    ({ clear, open }) =>
      Effect.gen(function* () {
        const [ending, staying] = [yield* open("s1"), yield* open("s11")]
        const keys = Array.from({ length: 1200 }, (_, index) => `k${index}`)
        yield* Effect.forEach(keys, (key) => ending.set({ key, value: "1", ttlSeconds: 60 }), {
          concurrency: "unbounded",
          discard: true
        })
        yield* staying.set({ key: "k0", value: "1" })
        yield* clear("s1")
        yield* must("list of the cleared", yield* ending.list({ prefix: "" }), [])
        yield* must("list of the other", yield* staying.list({ prefix: "" }), ["k0"])
        yield* ending.set({ key: "again", value: "1" })
        yield* must("list of the cleared, later", yield* ending.list({ prefix: "" }), ["again"])
      })
  )
]

/**
 * The cases, each for itself: in any order, and against a store that holds other things too.
 *
 * @since 0.1.0
 * @category cases
 */
export const cases: ReadonlyArray<Case> = [...basics, ...lifetimes, ...apart, ...proofs, ...limits]

/** What lies on the disk, and for how long. */
import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope, TestClock } from "effect"
import * as NodeStorage from "../../../src/layers/node/storage/NodeStorage.js"
import { scratch } from "./scratch.js"
import { inSession, storeIn } from "./session.js"
import { counted, fileOf } from "./sqlite.js"

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)

const turnOfTheLoop = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

describe("NodeStorage on the disk", () => {
  it.scoped("creates nothing before it is used, and then for its owner alone", () =>
    Effect.gen(function* () {
      const directory = join(yield* scratch, "a.b", "state.d")
      const store = yield* storeIn(directory)
      expect(existsSync(directory)).toBe(false)
      expect(yield* store.get({ key: "k" })).toBeNull()
      yield* store.set({ key: "k", value: "v" })
      expect(mode(directory)).toBe("700")
      expect(readdirSync(directory).map((name) => [name, mode(join(directory, name))])).toEqual([
        ["store.db", "600"],
        ["store.db-journal", "600"]
      ])
    })
  )

  it.scoped("takes away from others what they could read", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      writeFileSync(fileOf(directory), "", { mode: 0o644 })
      yield* (yield* storeIn(directory)).set({ key: "k", value: "v" })
      expect(mode(fileOf(directory))).toBe("600")
    })
  )

  it.scoped("keeps sums that fit what is there, whatever was done", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const backend = yield* NodeStorage.make({ directory })
      const store = inSession(backend)
      yield* store.set({ key: "\u00e9", value: "12345" })
      yield* store.set({ key: "\u00e9", value: "123" })
      yield* store.set({ key: "b", value: "1", ttlSeconds: 1 })
      yield* store.compareAndSet({ key: "c", expected: null, value: "\ud83d\ude00" })
      expect(yield* counted(directory)).toEqual({ entries: [3, 12], sums: [3, 12] })
      yield* store.delete({ key: "c" })
      yield* TestClock.adjust("1 second")
      yield* store.set({ key: "d", value: "" })
      expect(yield* counted(directory)).toEqual({ entries: [2, 6], sums: [2, 6] })
      yield* backend.clear("session:s1")
      expect(yield* counted(directory)).toEqual({ entries: [0, 0], sums: [0, 0] })
    })
  )

  it.scoped("G16/G21: entries that have expired by default are removed by later writes", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = inSession(yield* NodeStorage.make({ directory }), { ttlSecondsDefault: 1 })
          for (let i = 0; i < 20; i++) yield* store.set({ key: `k${i}`, value: "v" })
          yield* store.set({ key: "longer", value: "v", ttlSeconds: 3600 })
          yield* TestClock.adjust("2 seconds")
          expect(yield* store.list({ prefix: "" })).toEqual(["longer"])
        })
      )
      expect((yield* counted(directory)).entries?.[0]).toBe(21)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* storeIn(directory)
          yield* store.set({ key: "new", value: "v" })
          yield* store.set({ key: "new", value: "w" })
          yield* store.set({ key: "new", value: "x" })
        })
      )
      expect((yield* counted(directory)).entries?.[0]).toBe(2)
    })
  )

  it.scoped("G21: entries that have expired are removed when nobody writes", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const store = yield* storeIn(directory, { sweepEvery: "10 seconds" })
      yield* Effect.forEach(
        Array.from({ length: 1500 }, (_, index) => `k${index}`),
        (key) => store.set({ key, value: "v", ttlSeconds: 5 }),
        { concurrency: "unbounded" }
      )
      yield* store.set({ key: "stays", value: "v" })
      expect((yield* counted(directory)).entries?.[0]).toBe(1501)
      yield* TestClock.adjust("10 seconds")
      while ((yield* counted(directory)).entries?.[0] !== 1) yield* turnOfTheLoop
      expect(yield* store.list({ prefix: "" })).toEqual(["stays"])
    })
  )

  it.scoped("G22: nothing is left of a namespace that was cleared", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const backend = yield* NodeStorage.make({ directory })
      const store = inSession(backend)
      for (let i = 0; i < 20; i++) yield* store.set({ key: `k${i}`, value: "v", ttlSeconds: 1 + i })
      yield* backend.clear("session:s1")
      expect((yield* counted(directory)).entries?.[0]).toBe(0)
    })
  )

  it.scoped("grows with what is put in, and reuses what is freed", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const store = yield* storeIn(directory)
      const value = "x".repeat(1_000_000)
      const size = () => statSync(fileOf(directory)).size
      for (let i = 0; i < 16; i++) yield* store.set({ key: `k${i}`, value })
      expect(yield* store.get({ key: "k15" })).toBe(value)
      const full = size()
      expect(full).toBeGreaterThan(16_000_000)
      for (let i = 0; i < 16; i++) yield* store.set({ key: `k${i}`, value })
      expect(size()).toBeLessThan(full * 1.2)
    })
  )

  it.scoped("goes on with what is in the place of a file that was moved away", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const store = yield* storeIn(directory)
      yield* store.set({ key: "k", value: "old" })
      renameSync(fileOf(directory), join(directory, "moved.db"))
      const refused = yield* Effect.flip(store.set({ key: "k", value: "lost" }))
      expect(refused.message).toBe(
        "STORAGE_FAILED: the file of the store was moved or removed while it was open; try again, which opens what is in its place now"
      )
      yield* store.set({ key: "k", value: "new" })
      expect(yield* store.get({ key: "k" })).toBe("new")
      expect(yield* (yield* storeIn(directory)).get({ key: "k" })).toBe("new")
    })
  )
})

describe("NodeStorage that ends", () => {
  it.scoped("finishes what is being written, and refuses what comes later", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const scope = yield* Scope.make()
      const store = inSession(yield* Scope.extend(NodeStorage.make({ directory }), scope))
      yield* store.set({ key: "first", value: "v" })
      const writing = yield* Effect.fork(store.set({ key: "last", value: "v" }))
      yield* Effect.yieldNow()
      yield* Scope.close(scope, Exit.void)
      expect(yield* Fiber.await(writing)).toEqual(Exit.void)
      for (const operation of [
        store.get({ key: "first" }),
        store.set({ key: "late", value: "v" }),
        store.list({ prefix: "" })
      ]) {
        expect((yield* Effect.flip(operation)).message).toBe(
          "STORAGE_FAILED: the store is closed: the layer it came from has ended"
        )
      }
      const again = yield* storeIn(directory)
      expect(yield* again.list({ prefix: "" })).toEqual(["first", "last"])
    })
  )

  it.scoped("ends also when it was never used, or could not be opened", () =>
    Effect.gen(function* () {
      const directory = join(yield* scratch, "file")
      writeFileSync(directory, "")
      yield* Effect.scoped(NodeStorage.make({ directory }))
      const error = yield* Effect.scoped(
        Effect.flatMap(storeIn(directory), (store) => Effect.flip(store.get({ key: "k" })))
      )
      expect(error.message).toBe("STORAGE_FAILED: the directory of the store is a file; name a directory")
    })
  )

  it.scoped("one layer outlives another on the same directory", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const store = yield* storeIn(directory)
      yield* Effect.scoped(
        Effect.flatMap(storeIn(directory), (other) => other.set({ key: "k", value: "from the other" }))
      )
      expect(yield* store.get({ key: "k" })).toBe("from the other")
      expect(yield* store.compareAndSet({ key: "k", expected: "from the other", value: "mine" })).toBe(true)
    })
  )
})

/** What lies on the disk, and for how long. */
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Schema, Scope, TestClock } from "effect"
import * as ScopedStorage from "../../../src/capabilities/storage/ScopedStorage.js"
import type { StorageBackend } from "../../../src/capabilities/storage/StorageBackend.js"
import * as NodeStorage from "../../../src/layers/node/storage/NodeStorage.js"
import { acquire } from "../../../src/layers/node/storage/shared.js"
import { holder } from "../../../src/policy/gate/Proof.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"
import { scratch } from "./scratch.js"

const authority = Schema.decodeSync(Authority.FromJson)({ storage: { use: ["session"] } })

const inSession = (
  backend: StorageBackend.Service,
  declaration: { readonly ttlSecondsDefault?: number } = {}
) => ScopedStorage.scoped(holder({ authority }), { scope: "session", ...declaration }, "session:s1", backend)

/** How many rows the database holds, live or not. */
const rows = (directory: string) =>
  Effect.promise(async () => {
    const { release, tables } = await acquire(directory)
    tables.refresh()
    const counted = [tables.entries.getKeysCount({}), tables.expiries.getKeysCount({})]
    await release()
    return counted
  })

const turnOfTheLoop = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

describe("NodeStorage on the disk", () => {
  it.scoped("creates nothing before it is used, and then for its owner alone", () =>
    Effect.gen(function* () {
      const directory = join(yield* scratch, "a.b", "state.d")
      const store = inSession(yield* NodeStorage.make({ directory }))
      expect(existsSync(directory)).toBe(false)
      expect(yield* store.get({ key: "k" })).toBeNull()
      const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
      expect(mode(directory)).toBe("700")
      expect(readdirSync(directory).map((name) => [name, mode(join(directory, name))])).toEqual([
        ["data.mdb", "600"],
        ["lock.mdb", "600"]
      ])
    })
  )

  it.scoped("takes away from others what they could read", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      writeFileSync(join(directory, "data.mdb"), "", { mode: 0o644 })
      yield* inSession(yield* NodeStorage.make({ directory })).set({ key: "k", value: "v" })
      expect(statSync(join(directory, "data.mdb")).mode & 0o777).toBe(0o600)
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
      expect(yield* rows(directory)).toEqual([21, 21])
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = inSession(yield* NodeStorage.make({ directory }))
          yield* store.set({ key: "new", value: "v" })
          yield* store.set({ key: "new", value: "w" })
          yield* store.set({ key: "new", value: "x" })
        })
      )
      expect(yield* rows(directory)).toEqual([2, 1])
    })
  )

  it.scoped("G21: entries that have expired are removed when nobody writes", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const store = inSession(yield* NodeStorage.make({ directory, sweepEvery: "10 seconds" }))
      yield* Effect.forEach(
        Array.from({ length: 1500 }, (_, index) => `k${index}`),
        (key) => store.set({ key, value: "v", ttlSeconds: 5 }),
        { concurrency: "unbounded" }
      )
      yield* store.set({ key: "stays", value: "v" })
      expect(yield* rows(directory)).toEqual([1501, 1500])
      yield* TestClock.adjust("10 seconds")
      let now = yield* rows(directory)
      while (now[0] !== 1) {
        yield* turnOfTheLoop
        now = yield* rows(directory)
      }
      expect(now).toEqual([1, 0])
    })
  )

  it.scoped("G22: nothing is left of a namespace that was cleared", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const backend = yield* NodeStorage.make({ directory })
      const store = inSession(backend)
      for (let i = 0; i < 20; i++) yield* store.set({ key: `k${i}`, value: "v", ttlSeconds: 1 + i })
      yield* backend.clear("session:s1")
      expect(yield* rows(directory)).toEqual([0, 0])
    })
  )

  it.scoped("grows with what is put in, and reuses what is freed", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const store = inSession(yield* NodeStorage.make({ directory }))
      const value = "x".repeat(1_000_000)
      const size = () => statSync(join(directory, "data.mdb")).size
      for (let i = 0; i < 32; i++) yield* store.set({ key: `k${i}`, value })
      expect(yield* store.get({ key: "k31" })).toBe(value)
      const full = size()
      expect(full).toBeGreaterThan(32_000_000)
      for (let round = 0; round < 3; round++) {
        for (let i = 0; i < 32; i++) yield* store.set({ key: `k${i}`, value })
      }
      expect(size()).toBeLessThan(full * 1.5)
    })
  )

  it.scoped("two layers of one process share a store, and one outlives the other", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const store = inSession(yield* NodeStorage.make({ directory }))
      yield* Effect.scoped(
        Effect.flatMap(NodeStorage.make({ directory }), (other) =>
          inSession(other).set({ key: "k", value: "from the other" })
        )
      )
      expect(yield* store.get({ key: "k" })).toBe("from the other")
      expect(yield* store.compareAndSet({ key: "k", expected: "from the other", value: "mine" })).toBe(true)
    })
  )

  it.scoped("layers that come and go while others write do not hold each other up", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const visit = (index: number) =>
        Effect.scoped(
          Effect.flatMap(NodeStorage.make({ directory }), (backend) =>
            inSession(backend).set({ key: `k${index}`, value: "v" })
          )
        )
      yield* Effect.forEach(
        Array.from({ length: 40 }, (_, index) => index),
        (index) => Effect.zipRight(visit(index), visit(index + 40)),
        { concurrency: 7 }
      )
      expect(yield* inSession(yield* NodeStorage.make({ directory })).list({ prefix: "" })).toHaveLength(80)
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
      const again = inSession(yield* NodeStorage.make({ directory }))
      expect(yield* again.list({ prefix: "" })).toEqual(["first", "last"])
    })
  )

  it.scoped("ends also when it was never used, or could not be opened", () =>
    Effect.gen(function* () {
      const directory = join(yield* scratch, "file")
      writeFileSync(directory, "")
      yield* Effect.scoped(NodeStorage.make({ directory }))
      const error = yield* Effect.scoped(
        Effect.flatMap(NodeStorage.make({ directory }), (backend) =>
          Effect.flip(inSession(backend).get({ key: "k" }))
        )
      )
      expect(error.message).toBe("STORAGE_FAILED: the directory of the store is a file; name a directory")
    })
  )

  it.scoped("does not take the files of another program for its own, and opens once they are gone", () =>
    Effect.gen(function* () {
      const directory = join(yield* scratch, "other")
      mkdirSync(directory)
      writeFileSync(join(directory, "data.mdb"), "not a database ".repeat(1000))
      const store = inSession(yield* NodeStorage.make({ directory }))
      const error = yield* Effect.flip(store.set({ key: "k", value: "v" }))
      expect(error.message).toBe(
        "STORAGE_FAILED: the files of the store are damaged or of another program; restore them from a copy, or move them away"
      )
      writeFileSync(join(directory, "data.mdb"), "")
      yield* store.set({ key: "k", value: "v" })
      expect(yield* store.get({ key: "k" })).toBe("v")
    })
  )
})

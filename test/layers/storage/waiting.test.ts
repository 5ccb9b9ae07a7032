/**
 * The threat: whoever waits for another process holds up its own, or takes something along that was meant for somebody
 * else. A wait is on the clock, ends in words, and leaves nothing behind.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, TestClock } from "effect"
import { scratch } from "./scratch.js"
import { storeIn } from "./session.js"
import { connected, fileOf, held } from "./sqlite.js"

const BUSY =
  "STORAGE_BUSY: another process uses the store and did not let go of it in time; end it, or try again later"

const turnOfTheLoop = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const turns = Effect.replicateEffect(turnOfTheLoop, 5, { discard: true })

describe("NodeStorage that has to wait", () => {
  it.scoped("lets the process go on, and does what was asked once it may", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const store = yield* storeIn(directory)
      yield* store.set({ key: "k", value: "1" })
      const other = yield* held(directory)
      const waiting = yield* Effect.fork(
        Effect.all(
          [
            store.get({ key: "k" }),
            store.list({ prefix: "" }),
            store.set({ key: "set", value: "v" }),
            store.compareAndSet({ key: "k", expected: "1", value: "2" })
          ],
          { concurrency: "unbounded" }
        )
      )
      // Each of these would come too late if anybody waited inside of SQLite.
      for (let step = 0; step < 4; step++) {
        yield* turns
        yield* TestClock.adjust(40)
        expect(Option.isNone(yield* Fiber.poll(waiting))).toBe(true)
      }
      yield* other.letGo
      while (Option.isNone(yield* Fiber.poll(waiting))) yield* Effect.zipRight(TestClock.adjust(20), turns)
      const [value, keys, , swapped] = yield* Fiber.join(waiting)
      expect([value === "1" || value === "2", keys.includes("k"), swapped]).toEqual([true, true, true])
      expect(yield* store.get({ key: "set" })).toBe("v")
    })
  )

  it.scoped("says so when it has waited long enough, before and after it was opened", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const refused = (operation: Effect.Effect<unknown, Error>) =>
        Effect.gen(function* () {
          const waiting = yield* Effect.fork(Effect.flip(operation))
          while (Option.isNone(yield* Fiber.poll(waiting))) {
            yield* Effect.zipRight(TestClock.adjust(20), turns)
          }
          return (yield* Fiber.join(waiting)).message
        })
      const first = yield* storeIn(directory, { waitAtMost: 40 })
      yield* first.set({ key: "k", value: "1" })
      const other = yield* held(directory)
      const second = yield* storeIn(directory, { waitAtMost: 60 })
      for (const store of [first, second]) {
        expect(yield* refused(store.get({ key: "k" }))).toBe(BUSY)
        expect(yield* refused(store.set({ key: "k", value: "2" }))).toBe(BUSY)
      }
      yield* other.letGo
      expect(yield* first.get({ key: "k" })).toBe("1")
      expect(yield* second.get({ key: "k" })).toBe("1")
    })
  )

  it.scoped("waits also to be opened for the first time", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const other = yield* held(directory)
      const store = yield* storeIn(directory)
      const waiting = yield* Effect.fork(store.set({ key: "k", value: "v" }))
      for (let step = 0; step < 5; step++) yield* Effect.zipRight(TestClock.adjust(20), turns)
      expect(Option.isNone(yield* Fiber.poll(waiting))).toBe(true)
      yield* other.letGo
      while (Option.isNone(yield* Fiber.poll(waiting))) yield* Effect.zipRight(TestClock.adjust(20), turns)
      expect(yield* Fiber.await(waiting)).toEqual(Exit.void)
      expect(yield* store.get({ key: "k" })).toBe("v")
    })
  )

  it.scoped("writes nothing for one who left meanwhile", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const store = yield* storeIn(directory)
      yield* store.set({ key: "k", value: "1" })
      const other = yield* held(directory)
      const leaving = yield* Effect.fork(store.set({ key: "k", value: "2" }))
      yield* turns
      yield* Fiber.interrupt(leaving)
      yield* other.letGo
      yield* store.set({ key: "l", value: "1" })
      expect(yield* store.get({ key: "k" })).toBe("1")
    })
  )

  it.scoped("a read that found the lock taken answers nobody else, and keeps no lock", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const store = yield* storeIn(directory)
      yield* store.set({ key: "a", value: "of a" })
      yield* store.set({ key: "b", value: "of b" })
      const other = yield* held(directory)
      const leaving = yield* Effect.fork(store.get({ key: "a" }))
      yield* turns
      yield* Fiber.interrupt(leaving)
      yield* other.letGo
      expect(yield* store.get({ key: "b" })).toBe("of b")
      expect(yield* store.compareAndSet({ key: "b", expected: "of b", value: "new" })).toBe(true)
      const third = yield* connected(fileOf(directory))
      expect(third.writing(() => "alone")).toBe("alone")
    })
  )

  it.scoped("one write that is refused takes none along that came with it", () =>
    Effect.gen(function* () {
      const store = yield* storeIn(yield* scratch, { quota: { entries: 5 } })
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, index) => `k${index}`),
        (key) => Effect.either(store.set({ key, value: "v" })),
        { concurrency: "unbounded" }
      )
      expect(outcomes.filter(({ _tag }) => _tag === "Right")).toHaveLength(5)
      expect(yield* store.list({ prefix: "" })).toHaveLength(5)
      const [refused] = outcomes.flatMap((outcome) => (outcome._tag === "Left" ? [outcome.left.message] : []))
      expect(refused).toBe(
        "QUOTA_EXCEEDED: the store holds 5 entries, and may hold 5; delete some, give entries a time to live, or have the quota of the layer raised"
      )
    })
  )
})

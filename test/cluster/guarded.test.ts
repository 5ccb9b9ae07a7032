/** The locks of a runner, where the store is slow: it keeps what it has for as long as nobody else can have taken it. */
import type * as RunnerStorage from "@effect/cluster/RunnerStorage"
import { Deferred, Duration, Effect, Exit, Fiber, TestClock, TestContext } from "effect"
import { expect, it, vi } from "vitest"
import * as Guarded from "../../src/cluster/store/Guarded.js"
import type { Life } from "../../src/cluster/store/Life.js"

type Runners = RunnerStorage.RunnerStorage["Type"]

/** What is given up goes on, and nobody who waits for its end is answered. */
const stuck = Effect.uninterruptible(Effect.never)

const shards = ["one", "two"] as unknown as Parameters<Runners["refresh"]>[1]

it("a store that does not answer, and lets go of nothing, takes no locks away in a third of their time", async () => {
  for (const [refresh, check] of [
    [Effect.succeed(shards), stuck],
    [stuck, Effect.void],
    [stuck, stuck]
  ]) {
    await Effect.gen(function* () {
      const { refresh: renewed } = Guarded.runners(
        { refresh: () => refresh } as unknown as Runners,
        { check } as unknown as Life,
        Duration.seconds(9)
      )
      const renewing = yield* Effect.fork(renewed("runner" as never, shards))
      yield* TestClock.adjust("900 millis")
      expect(yield* Fiber.join(renewing)).toEqual(shards)
    }).pipe(Effect.provide(TestContext.TestContext), Effect.runPromise)
  }
})

it("an answer that came too late to be waited for counts all the same", async () => {
  await Effect.gen(function* () {
    let millis = 0
    const now = vi.spyOn(performance, "now").mockImplementation(() => millis)
    const gates = [yield* Deferred.make<typeof shards>(), yield* Deferred.make<typeof shards>()]
    let asked = 0
    const { refresh } = Guarded.runners(
      {
        refresh: () => Effect.suspend(() => Deferred.await(gates[asked++] ?? (gates[1] as never)))
      } as unknown as Runners,
      { check: Effect.void } as unknown as Life,
      Duration.seconds(10)
    )
    const renewed = Effect.gen(function* () {
      const renewing = yield* Effect.fork(Effect.exit(refresh("runner" as never, shards)))
      yield* TestClock.adjust("1 second")
      return yield* Fiber.join(renewing)
    })
    millis = 4000
    expect(yield* renewed).toEqual(Exit.succeed(shards))
    yield* Deferred.succeed(gates[0] as never, shards)
    yield* Effect.yieldNow()
    // What was asked after four seconds was answered, so after nine the locks are still trusted.
    millis = 9000
    expect(yield* renewed).toEqual(Exit.succeed(shards))
    // More than six seconds after that question they are not.
    millis = 11_000
    expect(Exit.isFailure(yield* renewed)).toBe(true)
    now.mockRestore()
  }).pipe(Effect.provide(TestContext.TestContext), Effect.runPromise)
})

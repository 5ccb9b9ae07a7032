/** The locks of a runner, where the store is slow: it keeps what it has for as long as nobody else can have taken it. */
import type * as RunnerStorage from "@effect/cluster/RunnerStorage"
import { Duration, Effect, Fiber, TestClock, TestContext } from "effect"
import { expect, it } from "vitest"
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
      yield* TestClock.adjust("1800 millis")
      expect(yield* Fiber.join(renewing)).toEqual(shards)
    }).pipe(Effect.provide(TestContext.TestContext), Effect.runPromise)
  }
})

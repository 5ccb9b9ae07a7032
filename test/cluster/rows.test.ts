/** Rows that come at the same time are written together, and whoever brings one is answered, whenever it comes. */
import { Effect, Exit } from "effect"
import { expect, it } from "vitest"
import { Together } from "../../src/cluster/store/Together.js"

const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index)

it("a row that comes just as the last ones are done waits for nobody in vain", async () => {
  const sizes: Array<number> = []
  const rows = new Together<number, number>((all) =>
    Effect.sync(() => {
      sizes.push(all.length)
      return all.map((one) => -one)
    })
  )
  // Fibers take turns after a few steps, so that one comes between any two of another.
  const found = await Effect.forEach(
    numbers(1000),
    (one) => Effect.zipRight(Effect.yieldNow(), rows.add(one)),
    {
      concurrency: 3
    }
  ).pipe(Effect.withMaxOpsBeforeYield(11), Effect.runPromise)
  expect(found).toEqual(numbers(1000).map((one) => -one))
  expect(sizes.length).toBeLessThan(1000)
})

it("a statement that breaks is the matter of its own rows, and of no others", async () => {
  const rows = new Together<number, number>((all) =>
    all.includes(1) ? Effect.dieMessage("broken") : Effect.succeed(all)
  )
  const outcomes = await Effect.gen(function* () {
    const first = yield* Effect.exit(rows.add(1))
    return [first, yield* Effect.exit(rows.add(2))]
  }).pipe(Effect.runPromise)
  expect(outcomes.map(Exit.isSuccess)).toEqual([false, true])
})

/** Threat: somebody who may add to the log begins to, and never ends. */
import { Effect, Either } from "effect"
import { afterEach, expect, it, vi } from "vitest"
import { readingOf } from "../../src/postgres/audit/Reading.js"

afterEach(() => void vi.useRealTimers())

it("whoever reads the log does not wait for ever for one who writes and never ends", async () => {
  vi.useFakeTimers()
  const { settled } = readingOf({
    schema: '"s"',
    ask: (statement) => Effect.succeed(statement.includes("pg_locks") ? [{ name: "3/14" }] : [{ last: 1 }]),
    reached: Effect.void,
    now: Effect.succeed(0)
  })
  let answer: unknown
  void Effect.runPromise(Effect.either(settled)).then((found) => {
    answer = Either.isLeft(found) ? found.left.message : found
  })
  await vi.advanceTimersByTimeAsync(120_000)
  expect(answer).toMatch(/^AUDIT_UNREADABLE: .* has not ended for half a minute; /)
})

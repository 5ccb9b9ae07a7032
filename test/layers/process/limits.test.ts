/** How many children there are at once, and who waits. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { ChildSlots } from "../../../src/layers/node/process/slots.js"
import { messageOf, sh, turn, world } from "./harness.js"

const turns = Effect.repeatN(turn, 5)

const slots = (limits: Partial<ConstructorParameters<typeof ChildSlots>[0]>) => {
  const all = new ChildSlots({ perTool: 100, total: 100, waiting: 100, ...limits })
  const started: Array<string> = []
  const start = (tool: string) =>
    Effect.fork(
      Effect.zipRight(
        all.take(tool),
        Effect.sync(() => started.push(tool))
      )
    )
  return { all, started, start }
}

describe("children at once", () => {
  it.scoped("are limited for each tool of a session; the others wait, and run", () =>
    Effect.gen(function* () {
      const { all, start, started } = slots({ perTool: 2 })
      const fibers = yield* Effect.all(["a", "a", "a", "a", "b", "a of another session"].map(start))
      yield* turns
      expect(started).toEqual(["a", "a", "b", "a of another session"])
      for (let i = 0; i < 2; i++) all.give("a")
      yield* Fiber.joinAll(fibers)
      expect(started).toHaveLength(6)
    })
  )

  it.scoped("that end make room for their own tool, not for one that has enough", () =>
    Effect.gen(function* () {
      const { all, start, started } = slots({ perTool: 1 })
      const [, second] = yield* Effect.all([start("a"), start("a"), start("b")])
      yield* turns
      all.give("b")
      yield* turns
      expect(started).toEqual(["a", "b"])
      all.give("a")
      yield* Fiber.join(second)
      expect(started).toEqual(["a", "b", "a"])
    })
  )

  it.scoped("are limited in all, first come first served", () =>
    Effect.gen(function* () {
      const { all, start, started } = slots({ total: 1 })
      const fibers = yield* Effect.all(["a", "b", "c", "d"].map(start))
      for (const tool of ["a", "b", "c"]) {
        yield* turns
        expect(started.at(-1)).toBe(tool)
        all.give(tool)
      }
      yield* Fiber.joinAll(fibers)
      expect(started).toEqual(["a", "b", "c", "d"])
    })
  )

  it.scoped("and who waits are limited too: the next is refused, in words", () =>
    Effect.gen(function* () {
      const { start } = slots({ total: 1, waiting: 1 })
      yield* Effect.all([start("a"), start("b")])
      yield* turns
      expect(yield* messageOf(Effect.flatMap(start("c"), Fiber.join))).toBe(
        "LIMIT_EXCEEDED: 1 commands are waiting for others to end already; start fewer at once"
      )
    })
  )

  it.scoped("are not fewer after somebody gave up waiting, or failed", () =>
    Effect.gen(function* () {
      const { all, start, started } = slots({ total: 1 })
      yield* start("a")
      yield* turns
      const impatient = yield* Effect.all([start("b"), start("c")])
      const last = yield* start("d")
      yield* turns
      yield* Fiber.interruptAll(impatient)
      all.give("a")
      yield* Fiber.join(last)
      expect(started).toEqual(["a", "d"])
      const { operations } = yield* world({ children: 1 })
      yield* Effect.flip(operations.spawn({ binary: "true", args: [], cwd: "missing" }))
      yield* Effect.flip(operations.spawn({ binary: "true", args: [], env: { LD_PRELOAD: "x" } }))
      expect((yield* operations.spawn({ binary: "true", args: [] })).exitCode).toBe(0)
    })
  )

  it.scoped("are as many as the layer was made for, whoever starts them", () =>
    Effect.gen(function* () {
      const { as, operations } = yield* world({ children: 1 })
      // Two at once would see each other.
      const script =
        "[ -e busy ] && exit 1; : >busy; for i in 1 2 3 4 5 6 7 8 9; do [ -e busy ] || exit 2; done; rm busy"
      const tools = Array.from({ length: 6 }, (_, i) => as({ tool: `tool ${i % 2}` }))
      const ends = yield* Effect.all(
        tools.map((tool) => tool.spawn(sh(script))),
        { concurrency: "unbounded" }
      )
      expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0, 0])
      expect((yield* operations.spawn(sh("ls"))).stdout).toBe("")
    })
  )
})

/** How many children there are at once, who waits, and what a launcher may change. */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Ref } from "effect"
import { ProcessError } from "../../../src/capabilities/process/ProcessOperations.js"
import type { CheckedCommand, Options } from "../../../src/layers/node/process/NodeProcess.js"
import { messageOf, open, sh, turn, world } from "./harness.js"

/** A launcher that counts who is started, and holds everybody until it is told. */
const counting = Effect.gen(function* () {
  const gate = yield* Deferred.make<void>()
  const tools = yield* Ref.make<ReadonlyArray<string>>([])
  const launch = (command: CheckedCommand) =>
    Ref.update(tools, (all) => [...all, command.proof.tool]).pipe(
      Effect.zipRight(Deferred.await(gate)),
      Effect.as(command)
    )
  return { gate, tools, launch }
})

const turns = Effect.repeatN(turn, 20)

const limited = (options: Options) =>
  Effect.gen(function* () {
    const { gate, launch, tools } = yield* counting
    const { as, root } = yield* world({ ...options, launch })
    const start = (tool: string, session = "session") =>
      Effect.fork(as({ tool, session, authority: open(root) }).spawn({ binary: "true", args: [] }))
    return { gate, tools, start }
  })

describe("children at once", () => {
  it.scoped("are limited for each tool of a session; the others wait, and run", () =>
    Effect.gen(function* () {
      const { gate, start, tools } = yield* limited({ childrenPerTool: 2 })
      const fibers = yield* Effect.all([
        ...["a", "a", "a", "a", "b"].map((tool) => start(tool)),
        start("a", "another session")
      ])
      yield* turns
      expect(yield* Ref.get(tools)).toEqual(["a", "a", "b", "a"])
      yield* Deferred.succeed(gate, undefined)
      const results = yield* Fiber.joinAll(fibers)
      expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0, 0])
      expect(yield* Ref.get(tools)).toHaveLength(6)
    })
  )

  it.scoped("that end make room for their own tool, not for one that has enough", () =>
    Effect.gen(function* () {
      const { gate, launch, tools } = yield* counting
      const { as } = yield* world({
        childrenPerTool: 1,
        launch: (command) => (command.proof.tool === "b" ? Effect.succeed(command) : launch(command))
      })
      const spawning = (tool: string) => as({ tool }).spawn({ binary: "true", args: [] })
      const fibers = yield* Effect.all([Effect.fork(spawning("a")), Effect.fork(spawning("a"))])
      yield* turns
      yield* spawning("b")
      yield* turns
      expect(yield* Ref.get(tools)).toEqual(["a"])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.joinAll(fibers)
      expect(yield* Ref.get(tools)).toEqual(["a", "a"])
    })
  )

  it.scoped("are limited in all, first come first served", () =>
    Effect.gen(function* () {
      const { gate, start, tools } = yield* limited({ children: 1 })
      const fibers = yield* Effect.all(["a", "b", "c", "d"].map((tool) => start(tool)))
      yield* turns
      expect(yield* Ref.get(tools)).toEqual(["a"])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.joinAll(fibers)
      expect(yield* Ref.get(tools)).toEqual(["a", "b", "c", "d"])
    })
  )

  it.scoped("and who waits are limited too: the next is refused, in words", () =>
    Effect.gen(function* () {
      const { gate, start } = yield* limited({ children: 1, waiting: 1 })
      const fibers = yield* Effect.all([start("a"), start("b")])
      yield* turns
      expect(yield* messageOf(Effect.flatMap(start("c"), Fiber.join))).toBe(
        "LIMIT_EXCEEDED: 1 commands are waiting for others to end already; start fewer at once"
      )
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.joinAll(fibers)
    })
  )

  it.scoped("are not fewer after somebody gave up waiting, or failed", () =>
    Effect.gen(function* () {
      const { gate, start, tools } = yield* limited({ children: 1 })
      const first = yield* start("a")
      yield* turns
      const impatient = yield* Effect.all([start("b"), start("c")])
      yield* turns
      const last = yield* start("d")
      yield* turns
      yield* Fiber.interruptAll(impatient)
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(last)
      expect(yield* Ref.get(tools)).toEqual(["a", "d"])
      const { operations } = yield* world({ children: 1 })
      yield* Effect.flip(operations.spawn({ binary: "true", args: [], cwd: "missing" }))
      yield* Effect.flip(operations.spawn({ binary: "true", args: [], env: { LD_PRELOAD: "x" } }))
      expect((yield* operations.spawn({ binary: "true", args: [] })).exitCode).toBe(0)
    })
  )
})

describe("a launcher", () => {
  it.scoped("sees what was checked, and has the last say", () =>
    Effect.gen(function* () {
      const seen: Array<CheckedCommand> = []
      const closed: Array<string> = []
      const { operations, root } = yield* world({
        launch: (command) =>
          Effect.gen(function* () {
            seen.push(command)
            yield* Effect.addFinalizer(() => Effect.sync(() => closed.push("closed")))
            return {
              ...command,
              path: "/bin/sh",
              argv: ["wrapped", "-c", 'echo "$0: $*"', "inner", ...command.argv]
            }
          })
      })
      const { stdout } = yield* operations.spawn({ binary: "echo", args: ["x"], env: { A: "b" } })
      expect(stdout).toBe("inner: echo x\n")
      expect(closed).toEqual(["closed"])
      expect(seen).toHaveLength(1)
      expect(seen[0]).toMatchObject({ argv: ["echo", "x"], cwd: root, descriptors: [], env: { A: "b" } })
      expect(seen[0]?.path).toMatch(/^\/.*\//)
      expect(seen[0]?.proof.tool).toBe("tool")
    })
  )

  it.scoped("that refuses is obeyed", () =>
    Effect.gen(function* () {
      const { operations } = yield* world({
        launch: () => new ProcessError({ code: "SPAWN_FAILED", detail: "no sandbox here" })
      })
      expect(yield* messageOf(operations.spawn(sh("echo x")))).toBe("SPAWN_FAILED: no sandbox here")
      expect(yield* messageOf(operations.shell({ script: "echo x" }))).toBe("SPAWN_FAILED: no sandbox here")
    })
  )
})

/** A storm of children, most of them interrupted somewhere between start and end, leaves nothing behind. */
import { readdirSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Random, Schedule, Stream } from "effect"
import { carrying, sh, turn, world } from "./harness.js"

const STORM = 120

const resources = () => ({
  descriptors: readdirSync("/proc/self/fd").length,
  handles: process
    .getActiveResourcesInfo()
    .filter((name) => ["ProcessWrap", "PipeWrap", "Timeout", "CloseReq"].includes(name)).length,
  listeners: process.listenerCount("exit")
})

/** Handles close on later turns of the event loop, and on a busy machine much later. */
const quiet = (before: ReturnType<typeof resources>): Effect.Effect<ReturnType<typeof resources>> =>
  Effect.repeat(Effect.sync(resources), {
    until: ({ descriptors, handles }) => descriptors <= before.descriptors && handles <= before.handles,
    schedule: Schedule.intersect(Schedule.spaced("10 millis"), Schedule.recurs(3000))
  }).pipe(Effect.map(() => resources()))

const scripts = [
  "true",
  "echo x; exec sleep 10000",
  "trap '' TERM; sleep 10000 & wait; sleep 10000",
  "setsid sleep 10000 & sleep 10000",
  "(setsid sleep 10000 &); echo x",
  "head -c 3000000 /dev/zero; sleep 10000"
]

describe("a storm of children", () => {
  it.live("P39: leaves no child, no descriptor and no timer", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(Effect.flatMap(world(), ({ operations }) => operations.spawn(sh("true"))))
      yield* turn
      const before = resources()
      const tag = `storm-${process.pid}`
      const ends = yield* Effect.scoped(
        Effect.gen(function* () {
          const { as } = yield* world({ grace: "20 millis", children: 16 })
          const one = (i: number) =>
            Effect.gen(function* () {
              const operations = as({ tool: `tool ${i % 3}` })
              const command = sh(scripts[i % scripts.length] ?? "true", {
                env: { TAG: tag },
                stdin: Buffer.alloc(100_000)
              })
              const input = {
                stdin: Stream.repeatValue(Buffer.alloc(70_000)),
                orders: Stream.make("SIGUSR1" as const, "END" as const)
              }
              const child =
                i % 3 === 0
                  ? operations.spawn(command, i % 2 === 0 ? input : undefined)
                  : Stream.runDrain((i % 3 === 1 ? operations.stream : operations.start)(command, input))
              const fiber = yield* Effect.fork(child)
              const turns = yield* Random.nextIntBetween(0, 60)
              yield* Effect.repeatN(turn, turns)
              return yield* Fiber.interrupt(fiber)
            })
          return yield* Effect.forEach(
            Array.from({ length: STORM }, (_, i) => i),
            one,
            {
              concurrency: "unbounded"
            }
          ).pipe(Effect.withRandom(Random.make("storm")))
        })
      )
      expect(ends).toHaveLength(STORM)
      expect(ends.filter((exit) => Exit.isFailure(exit) && !Exit.isInterrupted(exit))).toEqual([])
      expect(carrying(tag)).toEqual([])
      const after = yield* quiet(before)
      expect(after.descriptors).toBeLessThanOrEqual(before.descriptors)
      expect(after.handles).toBeLessThanOrEqual(before.handles)
      expect(after.listeners).toBe(before.listeners)
    })
  )

  it.live("leaves nothing while the layer is open, either", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { operations } = yield* world({ grace: "20 millis" })
        yield* operations.spawn(sh("true"))
        yield* turn
        const before = resources()
        const tag = `open-${process.pid}`
        yield* Effect.forEach(
          Array.from({ length: 30 }, (_, i) => i),
          (i) =>
            Effect.gen(function* () {
              const command = sh(scripts[i % scripts.length] ?? "true", { env: { TAG: tag } })
              const fiber = yield* Effect.fork(operations.spawn(command))
              yield* Effect.repeatN(turn, i)
              yield* Fiber.interrupt(fiber)
            }),
          { concurrency: "unbounded" }
        )
        // The fifth lets its grandchild go on purpose when it ends by itself; with the pipe it holds, it is found.
        expect(carrying(tag)).toEqual([])
        const after = yield* quiet(before)
        expect(after.descriptors).toBeLessThanOrEqual(before.descriptors)
        expect(after.handles).toBeLessThanOrEqual(before.handles)
      })
    )
  )
})

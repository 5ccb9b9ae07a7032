/** Output as it comes: no faster than it is read, no more than is allowed, and no child without a reader. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import { until } from "../../waiting.js"
import { isAlive, noted, running, sh, sleep, turn, world } from "./harness.js"

const bytesOf = (pid: string): number =>
  Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "latin1"))?.[1] ?? 0)

const isCommand = (pid: string, name: string): boolean =>
  readFileSync(`/proc/${pid}/comm`, "latin1").trim() === name

/** Until a number has not changed for a while of turns of the event loop. */
const settled = (read: () => number): Effect.Effect<number> => {
  const wait = (last: number, same: number): Effect.Effect<number> =>
    same > 2000
      ? Effect.succeed(last)
      : Effect.flatMap(turn, () => {
          const now = read()
          return wait(now, now === last ? same + 1 : 0)
        })
  return wait(-1, 0)
}

const MEBIBYTE = 1024 * 1024

describe("a stream", () => {
  it.scoped("K16: holds a child that writes faster than it is read", () =>
    Effect.gen(function* () {
      const { operations } = yield* world({ maxOutputBytes: 64 * MEBIBYTE })
      const events = operations.stream(sh("echo begun; exec head -c 33554432 /dev/zero"))
      let begun = false
      let total = 0
      yield* Stream.runForEach(events, (event) =>
        Effect.gen(function* () {
          if (event._tag === "Exit") return
          total += event.bytes.length
          if (begun) return
          begun = true
          const writer = () => running("head\0-c\x0033554432\0").filter((pid) => isCommand(pid, "head"))
          yield* until(() => writer().length > 0)
          const [pid = ""] = writer()
          // Nobody reads now: what lies unread is what the queue and the pipe hold, and not the 32 MiB.
          expect(yield* settled(() => bytesOf(pid))).toBeLessThan(4 * MEBIBYTE)
          expect(isAlive(pid)).toBe(true)
        })
      )
      expect(total).toBe(32 * MEBIBYTE + "begun\n".length)
    })
  )

  it.scoped("K16: says at its exit that output was dropped", () =>
    Effect.gen(function* () {
      const { operations } = yield* world({ maxOutputBytes: 1000 })
      const events = Chunk.toReadonlyArray(
        yield* Stream.runCollect(operations.stream(sh("head -c 500000 /dev/zero; echo err >&2; exit 1")))
      )
      const sizeOf = (tag: string) =>
        events.reduce(
          (sum, event) => sum + (event._tag === tag && "bytes" in event ? event.bytes.length : 0),
          0
        )
      expect([sizeOf("Stdout"), sizeOf("Stderr")]).toEqual([1000, 4])
      expect(events.at(-1)).toEqual({ _tag: "Exit", exitCode: 1, signal: null, truncated: true, ...noted })
    })
  )

  it.scoped("P39: that is left early ends its child", () =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      const { asleep, command, sleepers } = sleep()
      const events = operations.stream(
        sh(`trap '' TERM; ${command} & echo begun; while :; do ${command}; done`)
      )
      yield* Stream.runForEach(Stream.take(events, 1), () => asleep(2))
      expect(sleepers()).toEqual([])
    })
  )

  it.scoped("starts a child each time it is run", () =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      const events = operations.stream({ binary: "sh", args: ["-c", "cat /proc/sys/kernel/random/uuid"] })
      const one = yield* Stream.runCollect(events)
      const other = yield* Stream.runCollect(events)
      expect(Chunk.size(one)).toBe(2)
      expect(one).not.toEqual(other)
    })
  )
})

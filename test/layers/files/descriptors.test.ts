/** Threat: work that is interrupted leaves files open, until there are none left to open. */
import { readdirSync, readlinkSync } from "node:fs"
import { dirname } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { FilesError } from "../../../src/capabilities/files/FilesOperations.js"
import { deep } from "../../deep.js"
import { rig } from "./rig.js"

/** The descriptors of this process that are open below a directory. */
const openBelow = (directory: string): ReadonlyArray<string> =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.startsWith(directory) ? [path] : []
    } catch {
      return []
    }
  })

const turn = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const STORM = 60
const ROUNDS = deep ? 20 : 10
const TURNS = 5000

describe.runIf(process.platform === "linux")("descriptors", () => {
  it.scoped("are closed, whenever an operation is interrupted", () =>
    Effect.gen(function* () {
      const { files, put, reach } = yield* rig({ ripgrep: false })
      put("large", new Uint8Array(1024 * 1024).fill(65))
      for (let i = 0; i < 50; i++) put(`d/${i % 5}/${i}`, "line\n".repeat(50))
      const operations: ReadonlyArray<(i: number) => Effect.Effect<unknown, FilesError>> = [
        () => files.read("large"),
        () => files.readBytes("large", { offset: 10, length: 10 }),
        () => files.list("d"),
        () => files.stat("large"),
        () => files.read("missing"),
        () => files.search("d", { pattern: "line" }),
        (i) => files.write(`w${i % 3}`, "x"),
        (i) => files.mkdir(`m/${i}/n`, { recursive: true }),
        (i) => files.remove(`m/${i - 2}`, { recursive: true })
      ]
      let most = 0
      for (let round = 0; round < ROUNDS; round++) {
        const fibers = yield* Effect.forEach(Array.from({ length: STORM }), (_, i) =>
          Effect.fork(Effect.suspend(() => operations[i % operations.length]?.(i) ?? Effect.void))
        )
        for (let i = 0; i < round; i++) yield* turn
        most = Math.max(most, openBelow(dirname(reach)).length)
        yield* Fiber.interruptAll(fibers)
      }
      for (let i = 0; i < TURNS && openBelow(dirname(reach)).length > 0; i++) yield* turn
      expect(most).toBeGreaterThan(0)
      expect(openBelow(dirname(reach))).toEqual([])
    })
  )

  it.scoped("are closed when operations end, well or not", () =>
    Effect.gen(function* () {
      const { files, put, reach } = yield* rig({ ripgrep: false })
      put("d/a", "x")
      for (let i = 0; i < 50; i++) {
        yield* files.read("d/a")
        yield* files.list("d")
        yield* files.write("d/b", "y")
        yield* Effect.ignore(files.read("d"))
        yield* Effect.ignore(files.write("d", "z"))
        yield* Effect.ignore(files.remove("d"))
      }
      for (let i = 0; i < TURNS && openBelow(dirname(reach)).length > 0; i++) yield* turn
      expect(openBelow(dirname(reach))).toEqual([])
    })
  )
})

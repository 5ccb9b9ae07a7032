/**
 * The threat: two processes that write at once, and one that dies while it writes. Nothing that was acknowledged may be
 * lost, no count may be off, and nobody may wait for the dead.
 */

import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as ScopedStorage from "../../../src/capabilities/storage/ScopedStorage.js"
import { StorageBackend } from "../../../src/capabilities/storage/StorageBackend.js"
import * as NodeStorage from "../../../src/layers/node/storage/NodeStorage.js"
import { holder } from "../../../src/policy/gate/Proof.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"
import * as StorageContract from "../../../src/testing/contracts/StorageContract.js"
import { times } from "../../deep.js"
import { programOf } from "../../program.js"
import { scratch } from "./scratch.js"

/** What each writer adds. */
const EACH = times(25)

const program = Effect.promise(() => programOf(join(import.meta.dirname, "writer.ts")))

/** A process that does not outlast the test. */
const child = (...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.map(program, (file) =>
      spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "inherit"] })
    ),
    (running) => Effect.sync(() => running.kill("SIGKILL"))
  )

const ended = (running: ChildProcess) =>
  Effect.async<{ readonly code: number | null; readonly signal: string | null }>((resume) => {
    running.once("close", (code, signal) => resume(Effect.succeed({ code, signal })))
  })

/** Lines as they come; the process is killed as soon as there are so many. */
const killedAfter = (running: ChildProcess, count: number) =>
  Effect.async<ReadonlyArray<string>>((resume) => {
    const lines: Array<string> = []
    const { stdout } = running
    if (stdout === null) throw new Error("the child has no output")
    createInterface({ input: stdout }).on("line", (line) => {
      lines.push(line)
      if (lines.length === count) running.kill("SIGKILL")
    })
    running.once("close", () => resume(Effect.succeed(lines)))
  })

const authority = Schema.decodeSync(Authority.FromJson)({ storage: { use: ["session"] } })

const shared = Effect.map(StorageBackend, (backend) =>
  ScopedStorage.scoped(holder({ authority }), { scope: "session" }, "session:shared", backend)
)

describe("NodeStorage in several processes", () => {
  it.scopedLive("loses no update of four writers", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const writers = yield* Effect.forEach(["a", "b", "c", "d"], (name) =>
        child("count", directory, name, String(EACH))
      )
      const exits = yield* Effect.forEach(writers, ended, { concurrency: "unbounded" })
      expect(exits.map(({ code }) => code)).toEqual([0, 0, 0, 0])
      const counter = yield* Effect.flatMap(shared, (store) => store.get({ key: "counter" })).pipe(
        Effect.provide(NodeStorage.layer({ directory }))
      )
      expect(counter).toBe(String(4 * EACH))
    })
  )

  it.scopedLive("keeps every acknowledged write of a killed process, and lets the others go on", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const survivor = yield* child("count", directory, "survivor", String(6 * EACH))
      const survived = yield* Effect.fork(ended(survivor))
      const storms = yield* Effect.forEach(
        ["s0", "s1", "s2"],
        (name, index) =>
          Effect.flatMap(child("storm", directory, name), (running) =>
            killedAfter(running, 150 + index * 97)
          ),
        { concurrency: "unbounded" }
      )
      expect((yield* survived).code).toBe(0)

      const lost = yield* Effect.gen(function* () {
        const store = yield* shared
        const found = yield* Effect.forEach(storms.flat(), (key) =>
          Effect.map(store.get({ key }), (value) => ({ key, value }))
        )
        return found.filter(({ key, value }) => value?.startsWith(`${key.replace("/", " ")} `) !== true)
      }).pipe(Effect.provide(NodeStorage.layer({ directory })))
      expect(storms.map((lines) => lines.length >= 150)).toEqual([true, true, true])
      expect(lost).toEqual([])

      yield* Effect.gen(function* () {
        const store = yield* shared
        expect(yield* store.get({ key: "counter" })).toBe(String(6 * EACH))
        for (const key of yield* store.list({ prefix: "" })) expect(yield* store.get({ key })).not.toBeNull()
        yield* Effect.forEach(StorageContract.cases, (one) => one.run, { discard: true })
      }).pipe(Effect.provide(NodeStorage.layer({ directory })))
    })
  )

  it.scopedLive("says so when the disk takes no more, and still reads", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const lines: Array<string> = []
      const command = 'ulimit -f 4096; exec "$0" "$@"'
      const running = yield* Effect.acquireRelease(
        Effect.map(program, (file) =>
          spawn("bash", ["-c", command, process.execPath, file, "fill", directory, "a"], {
            stdio: ["ignore", "pipe", "ignore"]
          })
        ),
        (started) => Effect.sync(() => started.kill("SIGKILL"))
      )
      createInterface({ input: running.stdout }).on("line", (line) => lines.push(line))
      expect((yield* ended(running)).code).toBe(0)
      expect(lines).toEqual([
        "STORAGE_FAILED: the disk did not take the write: it is full or damaged; free space on it, or replace it",
        "readable"
      ])
    })
  )
})

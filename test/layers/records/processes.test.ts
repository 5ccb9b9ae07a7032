/**
 * The threat: two processes that write at once, and one that dies while it writes. Nothing that was acknowledged may be
 * lost, nothing may be there by half, and nobody may wait for the dead.
 */

import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as NodeRecords from "../../../src/layers/node/records/NodeRecords.js"
import { times } from "../../deep.js"
import { programOf } from "../../program.js"
import { all, permit, scratch } from "./scratch.js"

const names = ["s0", "s1", "s2", "s3"]

/** What each writer adds. */
const EACH = times(40)

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
  Effect.async<number | null>((resume) => {
    running.once("close", (code) => resume(Effect.succeed(code)))
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

describe("NodeRecords in several processes", () => {
  it.scopedLive("loses no update of two writers of one record", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const records = NodeRecords.make({ directory })
      const given = yield* permit(records, "shared/counter")
      yield* records.create(given, "0")
      const writers = yield* Effect.forEach(["a", "b"], (name) =>
        child("count", directory, name, String(EACH))
      )
      const exits = yield* Effect.forEach(writers, ended, { concurrency: "unbounded" })
      expect(exits).toEqual([0, 0])
      expect((yield* records.read(given)).text).toBe(String(2 * EACH))
    })
  )

  it.scopedLive("keeps every acknowledged write of a killed process, whole, and goes on", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const said = new Map<string, string>()
      for (const [index, name] of names.entries()) {
        const lines = yield* Effect.flatMap(child("storm", directory, name), (running) =>
          killedAfter(running, 11 + index * 9)
        )
        for (const line of lines) {
          const [what = "", id = ""] = line.split(" ")
          said.set(id, what)
        }
      }
      const records = NodeRecords.make({ directory })
      const listed = new Set((yield* records.list({}, all(records))).map(({ id }) => id))
      // What was acknowledged is there, as it was or as it was about to be.
      for (const [id, what] of said) {
        if (what === "created") expect(listed.has(id)).toBe(true)
        if (what === "removed") expect(listed.has(id)).toBe(false)
        if (what === "changed" && Number(id.split("/")[1]) % 3 !== 0) {
          expect((yield* records.read(yield* permit(records, id))).text).toContain(`title: ${id} 1`)
        }
      }
      expect(said.size).toBeGreaterThan(30)
      // What is there is whole.
      for (const id of listed) {
        expect((yield* records.read(yield* permit(records, id))).text).toMatch(
          /^---\ntitle: s\d\/\d+ [01]\n---\nx{5000}\nend$/
        )
      }
      // What was left behind does not stay.
      for (const name of names) {
        yield* records.create(yield* permit(records, `${name}/later`), "later")
        expect(fs.readdirSync(join(directory, name)).filter((file) => file.startsWith("."))).toEqual([])
      }
    })
  )
})

/** Threat: a result that somebody has and the log has not, because its writer was killed, had no room, or was not alone. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import type { AuditEntry } from "bailiwick"
import { AuditFiles } from "bailiwick/node"
import { Chunk, Effect, Random, Stream } from "effect"
import { deep } from "../../deep.js"
import { programOf } from "../../program.js"
import { started } from "../started.js"
import { scratch } from "./scratch.js"

const program = Effect.promise(() => programOf(join(import.meta.dirname, "performer.ts")))

interface Job {
  readonly name: string
  readonly times: number
  readonly atOnce: number
  readonly fileBytes?: number
  readonly fsync?: boolean
  readonly onFailure?: "closed" | "open"
}

const performing = (directory: string, job: Job) =>
  Effect.flatMap(program, (file) => started(process.execPath, [file, directory, JSON.stringify(job)]))

const isCall = (entry: AuditEntry.AuditEntry): entry is AuditEntry.Call => entry.type === "call"

const logIn = (directory: string) =>
  Effect.gen(function* () {
    const remarks: Array<string> = []
    const remark = ({ count, kind }: AuditFiles.Remark) => void remarks.push(`${count} ${kind}`)
    const entries = yield* Stream.runCollect(AuditFiles.read({ directory }, { remark }))
    return {
      ids: Chunk.toReadonlyArray(entries)
        .filter(isCall)
        .map(({ call }) => call),
      remarks
    }
  })

describe("processes that write one log", () => {
  it.scopedLive("lose nothing that was handed out when they are killed", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const killed = (name: string) =>
        Effect.gen(function* () {
          const job = { name, times: 1_000_000, atOnce: 3, fsync: name.endsWith("2") }
          const writer = yield* performing(directory, job)
          yield* writer.heard(yield* Random.nextIntBetween(1, deep ? 5000 : 500))
          yield* writer.kill
          yield* writer.ended
          // What it logs, as that it mended a line which another left torn, is no id.
          return (yield* writer.heard(0)).filter((line) => line.startsWith(`${name}/`))
        })
      const handedOut = (yield* Effect.forEach(["a1", "b1", "c2", "d2"], killed, { concurrency: 2 })).flat()
      const { ids, remarks } = yield* logIn(directory)
      const kept = new Set(ids)
      expect(handedOut.length).toBeGreaterThan(0)
      expect(handedOut.filter((id) => !kept.has(id))).toEqual([])
      expect(ids.length).toBe(kept.size)
      expect(remarks.every((remark) => remark.endsWith("torn"))).toBe(true)
    })
  )

  it.scopedLive("lose nothing and tear nothing while files are begun all the time", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const names = ["a", "b", "c"]
      const times = 60
      const writers = yield* Effect.forEach(names, (name) =>
        performing(directory, { name, times, atOnce: 4, fileBytes: 3000 })
      )
      for (const writer of writers) expect(yield* writer.ended).toBe(true)
      const { ids, remarks } = yield* logIn(directory)
      expect(remarks).toEqual([])
      expect(ids.length).toBe(names.length * times * 4)
      expect(new Set(ids).size).toBe(ids.length)
      for (const name of names) {
        const own = ids.filter((id) => id.startsWith(`${name}/`)).map((id) => Number(id.split("/")[1]))
        expect(own).toEqual([...own].sort((one, other) => one - other))
      }
      expect(readdirSync(directory).length).toBeGreaterThan(10)
    })
  )

  /** No file may become longer than these kilobytes. */
  const cramped = (directory: string, job: Job) =>
    Effect.flatMap(program, (file) =>
      started("bash", [
        "-c",
        'ulimit -f 8; exec "$0" "$@"',
        process.execPath,
        file,
        directory,
        JSON.stringify(job)
      ])
    )

  it.scopedLive("withhold results that the disk does not take, and keep what fits", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const writer = yield* cramped(directory, { name: "a", times: 40, atOnce: 5 })
      expect(yield* writer.ended).toBe(true)
      const said = yield* writer.heard(0)
      const handedOut = said.filter((line) => !line.includes(" "))
      const { ids } = yield* logIn(directory)
      expect(handedOut.length).toBeGreaterThan(0)
      expect(handedOut.length).toBeLessThan(said.length)
      expect(
        said.filter((line) => line.includes(" ")).every((line) => line.includes("AUDIT_UNWRITABLE"))
      ).toBe(true)
      expect(ids).toEqual(handedOut)
    })
  )

  it.scopedLive("hand out results all the same where the settings say so", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const writer = yield* cramped(directory, { name: "a", times: 40, atOnce: 5, onFailure: "open" })
      expect(yield* writer.ended).toBe(true)
      const said = yield* writer.heard(0)
      expect(said.filter((line) => line.includes("/")).length).toBeGreaterThanOrEqual(200)
      expect(said.some((line) => line.includes("AUDIT_UNWRITABLE: ") && line.includes("EFBIG"))).toBe(true)
      const { ids } = yield* logIn(directory)
      expect(new Set(ids).size).toBe(ids.length)
    })
  )
})

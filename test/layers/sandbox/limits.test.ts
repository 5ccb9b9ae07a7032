/** What bounds a whole tree of processes: groups of cgroup v2, on a directory that stands for them, and what a result says. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { limitNotes } from "../../../src/layers/node/process/limitNotes.js"
import { find } from "../../../src/layers/node/sandbox/Cgroups.js"
import { prlimitArguments, settle } from "../../../src/layers/node/sandbox/ChildLimits.js"
import { canHold, held, messageOf, sh, world } from "../process/harness.js"

const MEBIBYTE = 1024 * 1024

/** A directory with the files that a group has which others may be made in. */
const group = (controllers = "cpu memory pids\n") =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = mkdtempSync(join(tmpdir(), "cgroup-"))
      writeFileSync(join(path, "cgroup.subtree_control"), controllers)
      writeFileSync(join(path, "cgroup.procs"), "")
      return path
    }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

const madeIn = (path: string): ReadonlyArray<string> =>
  readdirSync(path).filter((name) => name.startsWith("bailiwick-"))

const contents = (path: string) =>
  Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name), "utf8")]))

describe("a group", () => {
  it.scoped("has the limits of its child, and who is put into it", () =>
    Effect.gen(function* () {
      const path = yield* group()
      const limits = settle({ memoryBytes: 64 * MEBIBYTE, processes: 20 })
      const made = find(path)?.(limits)
      made?.add(4711)
      const [name = ""] = madeIn(path)
      expect(contents(join(path, name))).toEqual({
        "memory.max": String(64 * MEBIBYTE),
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "20",
        "cgroup.procs": "4711"
      })
      expect(made?.met).toEqual({ memory: false, processes: false })
      writeFileSync(join(path, name, "memory.events"), "low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\n")
      writeFileSync(join(path, name, "pids.events"), "max 3\n")
      expect(made?.met).toEqual({ memory: true, processes: true })
    })
  )

  it.scoped("is made only where this user may, and where both are counted", () =>
    Effect.gen(function* () {
      const path = yield* group()
      expect(find(false)).toBe(undefined)
      expect(find(join(path, "absent"))).toBe(undefined)
      expect(find(yield* group("cpu io\n"))).toBe(undefined)
      rmSync(join(path, "cgroup.procs"))
      expect(find(path)).toBe(undefined)
      // Not here, or here: either way an answer.
      expect(["function", "undefined"]).toContain(typeof find(undefined))
    })
  )

  it.scoped.runIf(canHold)(
    "holds a child before its command begins, and says nothing of root's exemption",
    () =>
      Effect.gen(function* () {
        const path = yield* group()
        const { as } = yield* world({ sandbox: { cgroup: path } })
        const limits = { processes: 20, memoryBytes: 64 * MEBIBYTE }
        const operations = as({ sandbox: { ...held, limits } })
        const { notes, stdout } = yield* operations.spawn(sh("ulimit -d; ulimit -p"))
        // Memory is counted for all, and not for each.
        expect(stdout).toBe("unlimited\n20\n")
        expect(notes).toBe(undefined)
        const [name = ""] = madeIn(path)
        expect(contents(join(path, name))).toMatchObject({
          "pids.max": "20",
          "cgroup.procs": expect.stringMatching(/^\d+$/)
        })
      })
  )

  it.scoped.runIf(canHold)("that cannot take a child keeps it from starting", () =>
    Effect.gen(function* () {
      const path = yield* group()
      const { operations, root } = yield* world({ sandbox: { cgroup: path } })
      expect((yield* operations.spawn(sh("echo x >first"))).exitCode).toBe(0)
      // The next group is there already, and its list of processes is no file.
      const [name = ""] = madeIn(path)
      const next = name.replace(/\d+$/, (number) => String(Number(number) + 1))
      mkdirSync(join(path, next))
      expect(yield* messageOf(operations.spawn(sh("echo x >second")))).toMatch(/^SPAWN_FAILED: 'sh' /)
      expect([existsSync(`${root}/first`), existsSync(`${root}/second`)]).toEqual([true, false])
    })
  )
})

describe("limits", () => {
  it("are those of the policy, and otherwise wide; never wider than this program's own", () => {
    const limits = settle({ openFiles: 64, fileBytes: MEBIBYTE })
    expect(limits).toMatchObject({ openFiles: 64, fileBytes: MEBIBYTE })
    expect(limits.memoryBytes).toBeGreaterThan(1024 * MEBIBYTE)
    expect(settle({ openFiles: 2 ** 50 }).openFiles).toBeLessThan(2 ** 50)
    expect(prlimitArguments(limits, true).filter((one) => one.startsWith("--data"))).toEqual([])
    expect(prlimitArguments(limits, false)).toContain("--core=0")
  })

  it("that were met are said as far as an end and its last words tell", () => {
    const limits = settle({ processes: 7, fileBytes: MEBIBYTE })
    const notes = (exitCode: number, said: string) => limitNotes({ exitCode, signal: null }, said, limits)
    expect(notes(0, "fork: Resource temporarily unavailable")).toEqual([])
    expect(notes(2, "sh: 1: Cannot fork")).toEqual([
      "it seems to have met the limit of 7 processes; have it start fewer at once"
    ])
    expect(notes(153, "")).toEqual(["it met the limit of 1 MiB for one file; have it write less"])
    expect(notes(1, "all is well")).toEqual([])
    const met = { memory: true, processes: false }
    expect(limitNotes({ exitCode: 0, signal: null }, "", limits, met)).toEqual([
      expect.stringContaining("of memory")
    ])
  })
})

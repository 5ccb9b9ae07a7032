/** Threat: a tool that writes in a loop fills the disk, a call at a time. */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Authority, Builtin, Files, Policy, Registry, Tool, Turn } from "bailiwick"
import { NodeFiles } from "bailiwick/node"
import { TestFiles } from "bailiwick/testing"
import { Effect, Fiber, FastCheck as fc, Layer, Schema } from "effect"
import { FilesBackend } from "../../../src/capabilities/files/FilesBackend.js"
import { defaultQuota, type Given, quotaOf, Written } from "../../../src/capabilities/files/Quota.js"
import { scoped } from "../../../src/capabilities/files/ScopedFiles.js"
import { holder } from "../../../src/policy/gate/Asking.js"
import { times } from "../../deep.js"

const place = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-quota-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** A second tool of the same turn, which makes directories. */
const maker = Tool.make({
  name: "maker",
  description: "Makes a directory",
  parameters: Schema.Struct({ path: Schema.String, recursive: Schema.Boolean }),
  capabilities: { fs_reach: { write: "from-personality" } },
  execute: ({ path, recursive }) => Files.mkdir(path, { recursive })
})

const registry = Registry.make(Builtin.writeFile, maker)

const turnIn = (root: string, session = "s") =>
  Turn.make({
    session,
    workdir: root,
    policy: Policy.make({
      authority: Schema.decodeSync(Authority.FromJson)({ files: { write: [`${root}/`] } })
    })
  })

const write = (path: string, content = "") => ({ name: "write_file", args: { path, content } })
const make = (path: string, recursive = false) => ({ name: "maker", args: { path, recursive } })

type Call = { readonly name: string; readonly args: object }

const codesOf = (turn: Turn.Turn, ...calls: ReadonlyArray<Call>) =>
  Effect.map(
    registry.execute(
      turn,
      calls.map((call, at) => ({ id: String(at), ...call }))
    ),
    (all) => all.map(({ result }) => (result.ok ? "ok" : result.error.split(":")[0]))
  )

const OVER = "QUOTA_EXCEEDED"

const files = (quota: Given) => NodeFiles.layer({ quota, ripgrep: false })

describe("how much may be written", () => {
  it.scoped("a turn writes as many files as it may, whichever of its tools writes them", () =>
    Effect.gen(function* () {
      const root = yield* place
      const turn = turnIn(root)
      yield* Effect.gen(function* () {
        expect(yield* codesOf(turn, write("a"))).toEqual(["ok"])
        expect(yield* codesOf(turn, make("d"))).toEqual(["ok"])
        expect(yield* codesOf(turn, make("d/e/f", true))).toEqual(["ok"])
        expect(yield* codesOf(turn, write("b"))).toEqual([OVER])
        expect(yield* codesOf(turn, make("g"))).toEqual([OVER])
        // A file that is there counts as well: to write it again and again is the loop.
        expect(yield* codesOf(turn, write("a", "more"))).toEqual([OVER])
        expect(yield* codesOf(turnIn(root), write("b"))).toEqual(["ok"])
      }).pipe(Effect.provide(files({ turn: { files: 3 } })))
      expect(readdirSync(root).sort()).toEqual(["a", "b", "d"])
      expect(readFileSync(join(root, "a"), "utf8")).toBe("")
    })
  )

  it.scoped("calls that run at once share one count", () =>
    Effect.gen(function* () {
      const root = yield* place
      const calls = Array.from({ length: 40 }, (_, at) => write(`f${at}`, "1234567890"))
      const codes = yield* Effect.provide(codesOf(turnIn(root), ...calls), files({ turn: { bytes: 105 } }))
      expect(codes.filter((code) => code === "ok")).toHaveLength(10)
      expect(readdirSync(root)).toHaveLength(10)
    })
  )

  it.scoped("a session writes as much as it may, over its turns; others are not held up by it", () =>
    Effect.gen(function* () {
      const root = yield* place
      yield* Effect.gen(function* () {
        expect(yield* codesOf(turnIn(root), write("a", "12345"))).toEqual(["ok"])
        expect(yield* codesOf(turnIn(root), write("b", "123456"))).toEqual([OVER])
        expect(yield* codesOf(turnIn(root), write("b", "12345"))).toEqual(["ok"])
        expect(yield* codesOf(turnIn(root), write("c", "1"))).toEqual([OVER])
        expect(yield* codesOf(turnIn(root), write("empty"))).toEqual(["ok"])
        expect(yield* codesOf(turnIn(root, "other"), write("c", "1"))).toEqual(["ok"])
      }).pipe(Effect.provide(files({ session: { bytes: 10 } })))
    })
  )

  it.scoped("what was not written does not count", () =>
    Effect.gen(function* () {
      const root = yield* place
      const turn = turnIn(root)
      yield* Effect.gen(function* () {
        for (const call of [make("no/such"), write("."), write("/elsewhere/x")]) {
          expect(yield* codesOf(turn, call)).not.toEqual(["ok"])
        }
        expect(yield* codesOf(turn, write("a"), write("b"))).toEqual(["ok", OVER])
      }).pipe(Effect.provide(files({ turn: { files: 1 } })))
    })
  )

  it.scoped("a chain of directories that fails counts, for its first ones are made", () =>
    Effect.gen(function* () {
      const root = yield* place
      const turn = turnIn(root)
      yield* Effect.gen(function* () {
        for (let at = 0; at < 10; at++) {
          expect(yield* codesOf(turn, make(`d${at}/${"n".repeat(256)}`, true))).not.toEqual(["ok"])
        }
        expect(yield* codesOf(turn, make("e"))).toEqual([OVER])
      }).pipe(Effect.provide(files({ turn: { files: 3 } })))
      expect(readdirSync(root).length).toBeLessThanOrEqual(3)
    })
  )

  it.effect("what was interrupted may have been written, and counts", () =>
    Effect.gen(function* () {
      const backend = FilesBackend.fromOperations(
        { ...Files.memory({}), writeBytes: ({ path }) => (path === "/slow" ? Effect.never : Effect.void) },
        quotaOf({ turn: { files: 1 } })
      )
      const operations = scoped(holder({ authority: Authority.everything }), { workdir: "/" }, backend)
      const slow = yield* Effect.fork(operations.writeBytes({ path: "/slow", content: new Uint8Array() }))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(slow)
      const next = yield* Effect.flip(operations.writeBytes({ path: "/a", content: new Uint8Array() }))
      expect(next.code).toBe(OVER)
    })
  )

  it.scoped("the refusal says how much was written, and what to do", () =>
    Effect.gen(function* () {
      const root = yield* place
      const [one] = yield* Effect.provide(
        registry.execute(turnIn(root), [{ id: "1", ...write("a", "12345") }]),
        files({ turn: { bytes: 4 } })
      )
      expect(one?.result).toMatchObject({
        ok: false,
        code: "execution_failed",
        error:
          "QUOTA_EXCEEDED: this turn has written 0 bytes, and with 5 more it would have written more than 4; go on in another turn, or have the operator raise quota.turn.bytes of the files layer"
      })
    })
  )

  it.scoped("holds for every backend, with defaults", () =>
    Effect.gen(function* () {
      const authority = Schema.decodeSync(Authority.FromJson)({ files: { write: ["/"] } })
      const memory = yield* Layer.build(TestFiles.layerMemory(authority, {}))
      const most = defaultQuota.turn.files
      const loop = Effect.provide(
        Effect.forEach(Array.from({ length: most }), () => Files.write("/a", ""), { discard: true }),
        memory
      )
      yield* loop
      const over = yield* Effect.provide(Effect.flip(Files.write("/a", "")), memory)
      expect(over.code).toBe(OVER)
    })
  )

  it("a quota that is no number lifts nothing", () => {
    for (const given of [Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY]) {
      expect(() => NodeFiles.make({ quota: { turn: { files: given } } })).toThrow(/quota 'turn.files'/)
      expect(() => NodeFiles.make({ quota: { session: { bytes: given } } })).toThrow(/session.bytes/)
    }
  })

  it("whatever is written and taken back, no count passes its quota or falls below what was written", () => {
    const amount = fc.record({ files: fc.nat(3), bytes: fc.nat(50) })
    const step = fc.record({ amount, fails: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const quota = quotaOf({ turn: { files: 10, bytes: 100 }, session: { files: 12, bytes: 150 } })
        const written = new Written(quota, {}, {}, "s")
        let [fileCount, byteCount] = [0, 0]
        for (const { amount, fails } of steps) {
          const fits = fileCount + amount.files <= 10 && byteCount + amount.bytes <= 100
          const empty = amount.files === 0 && amount.bytes === 0
          expect(written.add(amount) === undefined).toBe(fits || empty)
          if (!fits && !empty) continue
          if (fails) written.remove(amount)
          else {
            fileCount += amount.files
            byteCount += amount.bytes
          }
        }
      }),
      { numRuns: times(200) }
    )
  })
})

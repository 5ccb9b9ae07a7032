/** Threat: whoever may write the files of a log changes what was written. The chain shows it, and its key is in none of it. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { AuditSink } from "bailiwick"
import { Audit, AuditFiles, NodeSecrets } from "bailiwick/node"
import {
  Chunk,
  ConfigProvider,
  Context,
  Effect,
  FastCheck as fc,
  Layer,
  Redacted,
  Stream,
  TestClock
} from "effect"
import { makeOn } from "../../../src/layers/node/audit/Audit.js"
import { seed, times } from "../../deep.js"
import { callAt } from "./entries.js"
import { Disk, scratch } from "./scratch.js"

const KEY = "a key for tests alone"
const secret = Redacted.make(KEY)
const secrets = NodeSecrets.layerEnvironment({ environment: { AUDIT_KEY: KEY } })

/** Who writes how many lines, in turn. */
type Schedule = ReadonlyArray<{ readonly writer: number; readonly lines: number; readonly isNew: boolean }>

const schedules: fc.Arbitrary<Schedule> = fc.array(
  fc.record({
    writer: fc.integer({ min: 0, max: 2 }),
    lines: fc.integer({ min: 1, max: 3 }),
    isNew: fc.boolean()
  }),
  { minLength: 2, maxLength: 8 }
)

const opened = (directory: string, options: Partial<Audit.Options> = {}) =>
  Effect.map(
    Layer.build(
      Layer.provide(Audit.layer({ directory, chain: "AUDIT_KEY", fileBytes: 1500, ...options }), secrets)
    ),
    Context.get(AuditSink)
  )

const written = (directory: string, schedule: Schedule, options?: Partial<Audit.Options>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sinks = new Map<number, AuditSink.Service>()
      let count = 0
      for (const { isNew, lines, writer } of schedule) {
        const known = isNew ? undefined : sinks.get(writer)
        const sink = known ?? (yield* opened(directory, options))
        sinks.set(writer, sink)
        yield* sink.append(Array.from({ length: lines }, () => callAt(count++, `call-${count}`)))
      }
    })
  )

const verified = (directory: string, head?: string) => Audit.verify(directory, secret, { head })

type Log = ReadonlyArray<readonly [name: string, lines: ReadonlyArray<string>]>

const logIn = (directory: string): Log =>
  readdirSync(directory)
    .filter((name) => name.endsWith(".jsonl"))
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
    .map((name) => [name, readFileSync(join(directory, name), "utf8").split("\n").slice(0, -1)])

const keep = (directory: string, log: Log): void => {
  mkdirSync(directory, { recursive: true })
  for (const [name, lines] of log) {
    writeFileSync(join(directory, name), lines.map((line) => `${line}\n`).join(""))
  }
}

/** The lines of all files in one row, changed, and laid out in their files again. */
const changed = (log: Log, change: (lines: Array<string>) => void): Log => {
  const marked = log.flatMap(([name, lines]) => lines.map((line) => `${name} ${line}`))
  const names = marked.map((line) => line.slice(0, line.indexOf(" ")))
  const all = marked.map((line) => line.slice(line.indexOf(" ") + 1))
  const before = all.length
  change(all)
  const shift = all.length - before
  const at = all.findIndex((line, index) => line !== marked[index]?.slice((names[index]?.length ?? 0) + 1))
  const nameOf = (index: number): string =>
    names[index < at || at < 0 ? index : Math.max(0, index - shift)] ?? names.at(-1) ?? ""
  return log.map(([name]) => [name, all.filter((_, index) => nameOf(index) === name)] as const)
}

const FORGED = JSON.stringify(callAt(5, "forged"))

interface Attack {
  readonly kind: "change" | "remove" | "swap" | "copy" | "forge" | "unlink"
  readonly one: number
  readonly other: number
  readonly character: number
}

const attacks: fc.Arbitrary<Attack> = fc.record({
  kind: fc.constantFrom("change", "remove", "swap", "copy", "forge", "unlink"),
  one: fc.nat(),
  other: fc.nat(),
  character: fc.nat()
})

/** Whether it did anything. */
const attack = ({ character, kind, one, other }: Attack, lines: Array<string>): boolean => {
  const [first, second] = [one % lines.length, other % lines.length]
  const line = lines[first] ?? ""
  if (kind === "remove") lines.splice(first, 1)
  if (kind === "copy") lines.splice(second, 0, line)
  if (kind === "forge") lines.splice(first, 0, FORGED)
  if (kind === "unlink") lines[first] = `${line.slice(0, line.lastIndexOf(',"chain"'))}}`
  if (kind === "swap") {
    if (first === second) return false
    lines[first] = lines[second] ?? ""
    lines[second] = line
  }
  if (kind === "change") {
    const at = character % line.length
    lines[first] = `${line.slice(0, at)}${line[at] === "x" ? "y" : "x"}${line.slice(at + 1)}`
  }
  return true
}

describe("a chain", () => {
  it.effect.prop(
    "holds whoever writes when, and in however many files",
    { schedule: schedules },
    ({ schedule }) =>
      Effect.scoped(
        Effect.gen(function* () {
          const directory = yield* scratch
          yield* written(directory, schedule)
          const found = yield* verified(directory)
          const lines = schedule.reduce((sum, each) => sum + each.lines, 0)
          expect(found).toMatchObject({ ok: true, lines, earlier: 0, torn: 0, isCut: false })
          // What was kept of it earlier stays true while the log grows.
          yield* written(directory, schedule)
          expect(yield* verified(directory, found.ok ? found.head : "")).toMatchObject({ ok: true })
          const read = yield* Stream.runCollect(AuditFiles.read({ directory }))
          expect(Chunk.size(read)).toBe(2 * lines)
        })
      ),
    { fastCheck: { numRuns: times(25), seed } }
  )

  it.effect.prop(
    "shows any single change, removal, move or addition of a line",
    { schedule: schedules, made: attacks },
    ({ made, schedule }) =>
      Effect.scoped(
        Effect.gen(function* () {
          const directory = yield* scratch
          yield* written(directory, schedule)
          const before = yield* verified(directory)
          const log = logIn(directory)
          let didAnything = false
          let isEnd = false
          const after = changed(log, (lines) => {
            isEnd = made.kind === "remove" && made.one % lines.length === lines.length - 1
            didAnything = attack(made, lines)
          })
          fc.pre(didAnything)
          const other = join(directory, "altered")
          keep(other, after)
          const found = yield* verified(other)
          // The end of a log looks like the end of a shorter one, but for who knows its head.
          if (!isEnd) expect(found.ok).toBe(false)
          expect((yield* verified(other, before.ok ? before.head : "")).ok).toBe(false)
        })
      ),
    { fastCheck: { numRuns: times(150), seed } }
  )

  it.scoped(
    "shows what is missing at the end of a file that came and went while its next writer was away",
    () =>
      Effect.gen(function* () {
        const directory = yield* scratch
        const lines = [7, 6, 1].map((count, index) => ({ writer: index % 2, lines: count, isNew: false }))
        yield* written(directory, lines)
        const log = logIn(directory)
        expect(log.map(([, each]) => each.length)).toEqual([7, 6, 1])
        const other = join(directory, "altered")
        keep(
          other,
          log.map(([name, each], index) => [name, index === 1 ? each.slice(0, -1) : each])
        )
        expect(yield* verified(other)).toMatchObject({ ok: false, kind: "removed" })
      })
  )

  const single: Schedule = [{ writer: 0, lines: 6, isNew: false }]
  const inOneFile = { fileBytes: 1_000_000 }

  it.scoped("says what is wrong, and with which line", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      yield* written(directory, single, inOneFile)
      const log = logIn(directory)
      const [[name = "", lines = []] = []] = log
      const found = (change: (lines: Array<string>) => void) =>
        Effect.gen(function* () {
          const other = yield* scratch
          const copy = [...lines]
          change(copy)
          keep(other, [[name, copy]])
          const answer = yield* verified(other)
          return answer.ok ? "ok" : `${answer.kind} ${answer.at.replace(name, "file")}`
        })
      const line = (index: number): string => lines[index] ?? ""
      expect(yield* found(() => {})).toBe("ok")
      expect(
        yield* found((all) => {
          all[2] = line(2).replace("read_file", "read_fail")
        })
      ).toBe("changed file:3")
      expect(yield* found((all) => all.splice(2, 1))).toBe("removed file:3")
      expect(yield* found((all) => all.splice(0, 1))).toBe("removed file:1")
      expect(yield* found((all) => all.splice(2, 2, line(3), line(2)))).toBe("reordered file:3")
      expect(yield* found((all) => all.splice(3, 0, line(1)))).toBe("added file:4")
      expect(yield* found((all) => all.splice(0, 0, FORGED))).toBe("added file:2")
      expect(yield* found((all) => all.splice(6, 0, FORGED))).toBe("unchained file:7")
      expect(
        yield* found((all) => {
          all[5] = line(5).slice(0, -9)
        })
      ).toBe("torn file:6")
      expect(
        yield* found((all) => {
          all[4] = line(4).slice(0, -9)
        })
      ).toBe("torn file:5")
      expect(
        yield* found((all) => {
          for (const [index, one] of lines.entries())
            all[index] = `${one.slice(0, one.lastIndexOf(',"chain"'))}}`
        })
      ).toBe("unchained file:1")
    })
  )

  it.scoped("finds lines that were cut off at the end by its head alone", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      yield* written(directory, single, inOneFile)
      const whole = yield* verified(directory)
      const [[name = "", lines = []] = []] = logIn(directory)
      truncateSync(join(directory, name), `${lines.slice(0, 4).join("\n")}\n`.length)
      expect(yield* verified(directory)).toMatchObject({ ok: true, lines: 4 })
      expect(yield* verified(directory, whole.ok ? whole.head : "")).toMatchObject({
        ok: false,
        kind: "removed",
        at: name
      })
    })
  )

  it.scoped("goes on behind a line that was cut off, and holds what is left of it", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      yield* written(directory, single, inOneFile)
      const [[name = "", lines = []] = []] = logIn(directory)
      const path = join(directory, name)
      appendFileSync(path, lines[0]?.slice(0, 50) ?? "")
      expect(yield* verified(directory)).toMatchObject({ ok: true, lines: 6 })
      yield* written(directory, single, inOneFile)
      expect(yield* verified(directory)).toMatchObject({ ok: true, lines: 12, torn: 1 })
      writeFileSync(
        path,
        readFileSync(path, "utf8").replace(`${lines[0]?.slice(0, 50)}\n`, `${lines[0]?.slice(0, 49)}\n`)
      )
      expect(yield* verified(directory)).toMatchObject({ ok: false, kind: "torn", at: `${name}:7` })
    })
  )

  it.scoped.each(["1 millis", "1 day"] as const)(
    "holds what is left of a line that was cut off in a file that was left (%s)",
    (later) =>
      Effect.gen(function* () {
        const directory = yield* scratch
        const pathOf = (index: number) => join(directory, logIn(directory)[index]?.[0] ?? "")
        const small = { fileBytes: 700 }
        const first = yield* opened(directory, small)
        yield* first.append([callAt(0, "1"), callAt(0, "2"), callAt(0, "3")])
        const [[name = "", lines = []] = []] = logIn(directory)
        const torn = lines[0]?.slice(0, 50) ?? ""
        appendFileSync(pathOf(0), torn)
        expect(yield* verified(directory)).toMatchObject({ ok: true, lines: 3, torn: 0 })
        yield* TestClock.adjust(later)
        yield* (yield* opened(directory, small)).append([callAt(0, "4")])
        yield* first.append([callAt(0, "5")])
        expect(yield* verified(directory)).toMatchObject({ ok: true, lines: 5, torn: 1 })
        expect(logIn(directory)).toHaveLength(2)
        const whole = readFileSync(pathOf(0), "utf8")
        // Stopped before it was closed off.
        truncateSync(pathOf(0), whole.length - 1)
        expect(yield* verified(directory)).toMatchObject({ ok: true, lines: 5, torn: 0 })
        const end = { ok: false, kind: "torn", at: `${name}:4` }
        writeFileSync(pathOf(0), `${whole.slice(0, -2)}\n`)
        expect(yield* verified(directory)).toMatchObject(end)
        writeFileSync(pathOf(0), `${whole}${torn}\n`)
        expect(yield* verified(directory)).toMatchObject(end)
        writeFileSync(pathOf(0), whole)
        appendFileSync(pathOf(1), `${torn}\n`)
        expect(yield* verified(directory)).toMatchObject({ ok: false, kind: "torn" })
      })
  )

  it.scoped("goes on behind a batch that did not fit on the disk", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const disk = new Disk()
      const sink = yield* Effect.provide(makeOn({ directory, chain: "AUDIT_KEY" }, disk), secrets)
      yield* sink.append([callAt(0, "1")])
      disk.room = 500
      yield* Effect.flip(sink.append([callAt(0, "2"), callAt(0, "3"), callAt(0, "4")]))
      disk.room = Number.POSITIVE_INFINITY
      yield* sink.append([callAt(0, "2"), callAt(0, "3")])
      expect(yield* verified(directory)).toMatchObject({ ok: true, lines: 3, writers: 1 })
    })
  )

  it.scoped("begins in a log that had none, and says how much it does not hold", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const plain = Context.get(yield* Layer.build(Audit.layer({ directory })), AuditSink)
      yield* plain.append([callAt(0, "1"), callAt(0, "2")])
      yield* written(directory, single, inOneFile)
      expect(yield* verified(directory)).toMatchObject({ ok: true, lines: 6, earlier: 2 })
      yield* plain.append([callAt(0, "3")])
      expect(yield* verified(directory)).toMatchObject({ ok: false, kind: "unchained" })
    })
  )

  it.scoped("misses a file at the beginning, between others, and one that was added before them", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      yield* written(
        directory,
        Array.from({ length: 9 }, (_, writer) => ({ writer: writer % 2, lines: 3, isNew: false }))
      )
      const log = logIn(directory)
      expect(log.length).toBeGreaterThan(3)
      const [later, gap, more] = ["later", "gap", "more"].map((name) => join(directory, name))
      keep(later ?? "", log.slice(1))
      expect(yield* verified(later ?? "")).toEqual({
        ok: false,
        kind: "removed",
        at: `${log[1]?.[0]}:1`,
        detail: `${log[0]?.[0]}, which stood before this file, is gone, and no setting had it go`
      })
      keep(gap ?? "", [...log.slice(0, 1), ...log.slice(2)])
      expect(yield* verified(gap ?? "")).toMatchObject({ ok: false, kind: "removed" })
      const forged = (log[0]?.[1][0] ?? "").replace(/,"chain".*/, "}")
      keep(more ?? "", [["1969-12-31.jsonl", [forged]], ...log])
      expect(yield* verified(more ?? "")).toMatchObject({ ok: false, kind: "added", at: "1969-12-31.jsonl" })
    })
  )

  it.scoped("holds when files are gone that are older than files are kept, and says so", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      for (let day = 0; day < 6; day++) {
        // Another program each day.
        yield* written(directory, single, { ...inOneFile, keepDays: 2 })
        yield* TestClock.adjust("1 day")
      }
      const log = logIn(directory)
      expect(log.map(([name]) => name)).toEqual(["04", "05", "06"].map((day) => `1970-01-${day}.jsonl`))
      const isKept = (days: number) => Audit.verify(directory, secret, { keepDays: days })
      expect(yield* isKept(3)).toMatchObject({ ok: true, isCut: true })
      expect(yield* isKept(4)).toMatchObject({ ok: false, kind: "removed", at: "1970-01-04.jsonl:1" })
      const shorter = join(directory, "shorter")
      keep(shorter, log.slice(1))
      expect(yield* Audit.verify(shorter, secret, { keepDays: 3 })).toMatchObject({
        ok: false,
        kind: "removed",
        detail: expect.stringContaining("1970-01-04.jsonl")
      })
    })
  )

  it.scoped("is nothing to who has another key, and its own is in no file and no message", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      yield* written(directory, single)
      expect(yield* Audit.verify(directory, Redacted.make("another"))).toMatchObject({
        ok: false,
        kind: "changed"
      })
      expect(JSON.stringify(logIn(directory))).not.toContain(KEY)
      expect(JSON.stringify(yield* verified(directory))).not.toContain(KEY)
    })
  )

  it.scoped("does not begin without its key", () =>
    Effect.gen(function* () {
      const directory = join(yield* scratch, "missing")
      const missing = yield* Effect.flip(Effect.scoped(opened(directory, { chain: "OTHER_KEY" })))
      expect(missing.message).toMatch(
        /^AUDIT_UNWRITABLE: the key 'OTHER_KEY' of the audit log cannot be read: .*OTHER_KEY/
      )
      const odd = yield* Effect.flip(Effect.scoped(opened(directory, { chain: "../x" })))
      expect(odd.message).toMatch(/^AUDIT_UNWRITABLE: the key '\.\.\/x' of the audit log/)
      const empty = Layer.provide(
        Audit.layer({ directory, chain: "EMPTY" }),
        NodeSecrets.layerConfig(ConfigProvider.fromMap(new Map([["EMPTY", ""]])))
      )
      expect((yield* Effect.flip(Layer.build(empty))).message).toMatch(/EMPTY/)
    })
  )
})

/** Reading a log takes nothing for an entry that is none, and says what it left out. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { AuditFiles } from "bailiwick/node"
import { Chunk, Effect, FastCheck as fc, Stream } from "effect"
import { LONGEST } from "../../../src/audit/AuditLine.js"
import { seed, times } from "../../deep.js"
import { callAt, callsAt } from "./entries.js"
import { scratch } from "./scratch.js"

const line = (value: unknown): string => `${JSON.stringify(value)}\n`

it.scoped("files are read oldest first, and what is no entry is left out and said", () =>
  Effect.gen(function* () {
    const place = yield* scratch
    const [one, two, three] = [callAt(1000, "1"), callAt(2000, "2"), callAt(3000, "3")]
    fs.writeFileSync(
      join(place, "1970-01-01.jsonl"),
      `${line(one)}nonsense\n${line({ ...two, v: 2 })}{"v":1,"ti\n`
    )
    fs.writeFileSync(join(place, "1970-01-01.1.jsonl"), line(two) + line(three).slice(0, -20))
    const remarks: Array<string> = []
    const found = yield* Stream.runCollect(
      AuditFiles.read({ directory: place }, { remark: ({ kind, line }) => remarks.push(`${kind} ${line}`) })
    )
    expect(Chunk.toReadonlyArray(found)).toEqual([one, two])
    expect(remarks.sort()).toEqual(["foreign 2", "torn 2", "torn 4", "version 3"])
  })
)

it.scoped("calls that share a line are read one by one, from a moment on and beside other files too", () =>
  Effect.gen(function* () {
    const place = yield* scratch
    const [a, b] = [join(place, "a.jsonl"), join(place, "b.jsonl")]
    fs.writeFileSync(a, line(callsAt(1000, ["early", "too"])) + line(callsAt(3000, ["a1", "a2"])))
    fs.writeFileSync(b, line(callAt(2000, "b1")) + line(callsAt(4000, ["b2", "b3"])))
    expect(yield* idsOf({ files: [b, a] }, { since: 2000 })).toEqual(["b1", "a1", "a2", "b2", "b3"])
    expect(AuditFiles.parseLine(line(callsAt(1, ["1", "2"])))).toEqual([callAt(1, "1"), callAt(1, "2")])
    expect(AuditFiles.parseLine("nonsense")).toEqual([])
    // Also to the letter: logs are compared.
    expect(JSON.stringify(AuditFiles.parseLine(line(callsAt(1, ["1"]))))).toBe(
      JSON.stringify([callAt(1, "1")])
    )
  })
)

it.scoped("files of several machines are merged by time, from a moment on", () =>
  Effect.gen(function* () {
    const place = yield* scratch
    const [a, b] = [join(place, "a.jsonl"), join(place, "b.jsonl")]
    fs.writeFileSync(a, line(callAt(1000, "a1")) + line(callAt(3000, "a2")))
    fs.writeFileSync(b, line(callAt(2000, "b1")) + line(callAt(4000, "b2")))
    const found = yield* Stream.runCollect(AuditFiles.read({ files: [b, a] }, { since: 2000 }))
    expect([...found].map((entry) => ("call" in entry ? entry.call : ""))).toEqual(["b1", "a2", "b2"])
  })
)

it.scoped("a directory that is not there holds nothing, and a file that is not there is an error", () =>
  Effect.gen(function* () {
    const missing = join(yield* scratch, "missing")
    expect(Chunk.size(yield* Stream.runCollect(AuditFiles.read({ directory: missing })))).toBe(0)
    const error = yield* Effect.flip(Stream.runDrain(AuditFiles.read({ files: [missing] })))
    expect(error.message).toMatch(/^AUDIT_UNREADABLE: .*missing cannot be read: there is no such file/)
    // Nobody waits for a pipe, and it is not taken for a directory.
    if (process.platform === "win32") return
    execFileSync("mkfifo", [missing])
    const pipe = yield* Effect.flip(Stream.runDrain(AuditFiles.read({ files: [missing] })))
    expect(pipe.message).toMatch(/^AUDIT_UNREADABLE: .*missing cannot be read: it is no regular file/)
  })
)

const idsOf = (from: AuditFiles.From, options?: AuditFiles.ReadOptions) =>
  Effect.map(Stream.runCollect(AuditFiles.read(from, options)), (entries) =>
    Chunk.toReadonlyArray(entries).map((entry) => (entry.type === "gap" ? "" : entry.call))
  )

it.scoped(
  "a line that is longer than any entry is passed over, and what is glued to a torn one is found",
  () =>
    Effect.gen(function* () {
      const file = join(yield* scratch, "log")
      const whole = line(callAt(1, "whole"))
      fs.writeFileSync(
        file,
        [
          whole,
          "x".repeat(LONGEST + 1),
          "\n",
          '{"v":1,"time":"19',
          whole,
          "   \n\n",
          `\ufeff${whole}`,
          "[]\n",
          whole
        ].join("")
      )
      const remarks: Array<string> = []
      const ids = yield* idsOf(
        { files: [file] },
        { remark: ({ kind, line }) => remarks.push(`${kind} ${line}`) }
      )
      expect(ids).toEqual(["whole", "whole", "whole"])
      expect(remarks).toEqual(["long 2", "torn 3", "foreign 6"])
    })
)

it.scoped("files of many machines are merged by time with few of them open", () =>
  Effect.gen(function* () {
    const place = yield* scratch
    const days = Array.from({ length: 30 }, (_, index) => index)
    const files = ["a", "b", "c"].flatMap((machine, offset) =>
      days.map((day) => {
        const file = join(place, `${machine}-${day}.jsonl`)
        const entries = Array.from({ length: 20 }, (_, index) => day * 1000 + index * 10 + offset)
        fs.writeFileSync(file, entries.map((time) => line(callAt(time, String(time)))).join(""))
        return file
      })
    )
    let most = 0
    const open = () => fs.readdirSync("/proc/self/fd").length
    const before = process.platform === "linux" ? open() : 0
    const ids = yield* AuditFiles.read({ files: files.reverse() }).pipe(
      Stream.tap(() =>
        Effect.sync(() => {
          if (process.platform === "linux") most = Math.max(most, open() - before)
        })
      ),
      Stream.map((entry) => (entry.type === "gap" ? 0 : Number(entry.call))),
      Stream.runCollect
    )
    expect(Chunk.size(ids)).toBe(1800)
    expect([...ids]).toEqual([...ids].sort((one, other) => one - other))
    expect(most).toBeLessThan(20)
  })
)

/** Lines of which 2,000 make more than one block, in hours that do not always grow. */
const busyDay = (calls: number): string =>
  Array.from({ length: calls }, (_, index) =>
    line(callAt(Date.parse("2026-11-18") + Math.floor(index / 2) * 1000 - (index % 7) * 5000, String(index)))
  ).join("")

const FILE = "2026-11-18.jsonl"

it.scoped.prop(
  "an index answers as the file does, whether it is missing, old, of another file or nonsense",
  {
    since: fc.integer({ min: -10, max: 3000 }),
    harm: fc.constantFrom(
      "none",
      "removed",
      "nonsense",
      "empty",
      "moved",
      "shorter file",
      "longer file",
      "other file",
      "wrong blocks"
    ),
    grown: fc.boolean()
  },
  ({ grown, harm, since }) =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const path = join(directory, FILE)
      const index = `${path}.index`
      const moment = Date.parse("2026-11-18") + since * 1000
      fs.writeFileSync(path, busyDay(5000))
      yield* idsOf({ directory }, { since: moment })
      expect(fs.statSync(index).mode & 0o777).toBe(0o600)
      const known = fs.readFileSync(index, "utf8")
      if (harm === "removed") fs.rmSync(index)
      if (harm === "nonsense") fs.writeFileSync(index, known.slice(0, -3))
      if (harm === "empty") fs.writeFileSync(index, "")
      if (harm === "moved") fs.writeFileSync(index, known.replace(/"blocks":\[\[0,0,/, '"blocks":[[7,0,'))
      if (harm === "shorter file") fs.writeFileSync(path, busyDay(2000))
      if (harm === "longer file") fs.writeFileSync(path, `${line(callAt(moment, "first"))}${busyDay(5000)}`)
      if (harm === "other file") fs.writeFileSync(path, busyDay(5000).replaceAll("ada", "bob"))
      if (harm === "wrong blocks") fs.writeFileSync(index, known.replaceAll(/\[(\d+),(\d+),/g, "[$2,$1,"))
      if (grown) fs.appendFileSync(path, line(callAt(moment + 1, "last")))
      const remarks: Array<string> = []
      const found = yield* idsOf({ directory }, { since: moment, remark: ({ kind }) => remarks.push(kind) })
      const copy = join(directory, "copy")
      fs.copyFileSync(path, copy)
      expect(found).toEqual(yield* idsOf({ files: [copy] }, { since: moment }))
      expect(remarks).toEqual([])
    }),
  { fastCheck: { numRuns: times(40), seed } }
)

it.scoped("only the part of a file that is asked for is read once there is an index", () =>
  Effect.gen(function* () {
    const directory = yield* scratch
    const path = join(directory, FILE)
    const day = Date.parse("2026-11-18")
    fs.writeFileSync(path, busyDay(20_000))
    const all = yield* idsOf({ directory })
    expect(all.length).toBe(20_000)
    // What is written over in the midst is not noticed by who does not read it.
    const handle = fs.openSync(path, "r+")
    fs.writeSync(handle, "z".repeat(100), 1_000_000)
    fs.closeSync(handle)
    const remarks: Array<string> = []
    const remark = ({ kind, line }: AuditFiles.Remark) => void remarks.push(`${kind} ${line}`)
    const last = yield* idsOf({ directory }, { since: day + 9_500_000, remark })
    expect(last).toEqual(all.filter((_, index) => Math.floor(index / 2) - (index % 7) * 5 >= 9500))
    expect(remarks).toEqual([])
    yield* idsOf({ directory }, { remark })
    expect(remarks.length).toBe(1)
  })
)

it.scoped(
  "a directory that may not be written is read without an index, and days before are not opened",
  () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      fs.writeFileSync(join(directory, FILE), busyDay(3000))
      fs.mkdirSync(join(directory, `${FILE}.index`))
      fs.mkdirSync(join(directory, "2026-11-10.jsonl"))
      const since = Date.parse("2026-11-18")
      expect((yield* idsOf({ directory }, { since })).length).toBeGreaterThan(2900)
      const error = yield* Effect.flip(idsOf({ directory }))
      expect(error.message).toMatch(
        /^AUDIT_UNREADABLE: .*2026-11-10\.jsonl cannot be read: it is a directory/
      )
    })
)

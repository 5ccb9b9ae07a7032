/** Threat: files that others read or replace; entries that are lost or said to be kept when they are not. */
import * as fs from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { type Audit, AuditFiles, NodeSecrets } from "bailiwick/node"
import { Chunk, Effect, Fiber, Logger, Option, Queue, Stream, TestClock } from "effect"
import { makeOn } from "../../../src/layers/node/audit/Audit.js"
import { system } from "../../../src/layers/node/audit/system.js"
import { callAt } from "./entries.js"
import { Disk, scratch } from "./scratch.js"

const secrets = NodeSecrets.layerEnvironment({ environment: {} })

const opened = (directory: string, options: Partial<Audit.Options> = {}, on = system) =>
  Effect.provide(makeOn({ directory, ...options }, on), secrets)

const idsIn = (directory: string) =>
  Effect.map(Stream.runCollect(AuditFiles.read({ directory })), (entries) =>
    Chunk.toReadonlyArray(entries).map((entry) => (entry.type === "gap" ? "" : entry.call))
  )

const modeOf = (path: string): number => fs.statSync(path).mode & 0o777

/** The one that lists descriptors is closed by then. */
const targetOf = (link: string): string => {
  try {
    return fs.readlinkSync(link)
  } catch {
    return ""
  }
}

const FIRST = "1970-01-01.jsonl"

describe("the files of a log", () => {
  it.scoped.each([0, 0o027, 0o077])("are their owner's alone, whatever is masked (%o)", (mask) =>
    Effect.gen(function* () {
      const state = join(yield* scratch, "state")
      const directory = join(state, "audit")
      const sink = yield* opened(directory)
      expect(fs.existsSync(state)).toBe(false)
      const before = process.umask(mask)
      yield* Effect.ensuring(
        sink.append([callAt(0, "1")]),
        Effect.sync(() => process.umask(before))
      )
      expect([modeOf(directory), modeOf(join(directory, FIRST))]).toEqual([0o700, 0o600])
      fs.chmodSync(join(directory, FIRST), 0o644)
      yield* (yield* opened(directory)).append([callAt(0, "2")])
      expect(modeOf(join(directory, FIRST))).toBe(0o600)
    })
  )

  it.scoped("are not written through a link, and not into a directory that others may write", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const elsewhere = join(directory, "elsewhere")
      for (const there of [false, true]) {
        if (there) fs.writeFileSync(elsewhere, "theirs")
        fs.symlinkSync(elsewhere, join(directory, FIRST))
        const error = yield* Effect.flip((yield* opened(directory)).append([callAt(0, "1")]))
        expect(error.message).toMatch(/^AUDIT_UNWRITABLE: .*symbolic link.*\(ELOOP\)$/)
        fs.rmSync(join(directory, FIRST))
      }
      expect(fs.readFileSync(elsewhere, "utf8")).toBe("theirs")
      fs.mkdirSync(join(directory, FIRST))
      expect((yield* Effect.flip((yield* opened(directory)).append([callAt(0, "1")]))).message).toMatch(
        /^AUDIT_UNWRITABLE: .*a directory in the place of a file.*\(EISDIR\)$/
      )
      fs.rmdirSync(join(directory, FIRST))
      fs.chmodSync(directory, 0o777)
      expect((yield* Effect.flip((yield* opened(directory)).append([callAt(0, "1")]))).message).toMatch(
        /^AUDIT_UNWRITABLE: others may write into the directory.*chmod go-w/
      )
      fs.chmodSync(directory, 0o755)
      yield* (yield* opened(directory)).append([callAt(0, "1")])
      fs.symlinkSync(join(directory, "nowhere"), join(directory, "linked"))
      expect(
        (yield* Effect.flip((yield* opened(join(directory, "linked"))).append([callAt(0, "1")]))).message
      ).toMatch(/^AUDIT_UNWRITABLE: .*a symbolic link that leads nowhere.*\(ENOENT\)$/)
    })
  )

  it.scoped("are one a day, and more where a day has many; a clock that is set back leads back to none", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const sink = yield* opened(directory, { fileBytes: 300 })
      const add = (id: string) =>
        Effect.flatMap(TestClock.currentTimeMillis, (now) => sink.append([callAt(now, id)]))
      for (const id of ["1", "2", "3", "4", "5"]) yield* add(id)
      yield* TestClock.adjust("1 day")
      yield* add("6")
      yield* TestClock.setTime(1000)
      yield* add("7")
      expect(fs.readdirSync(directory)).toEqual([
        "1970-01-01.1.jsonl",
        "1970-01-01.2.jsonl",
        "1970-01-01.jsonl",
        "1970-01-02.jsonl"
      ])
      expect(yield* idsIn(directory)).toEqual(["1", "2", "3", "4", "5", "6", "7"])
    })
  )

  it.scoped("go away when they are older than they are to be kept, and today's never", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      yield* TestClock.setTime(Date.parse("2026-11-18T12:00:00Z"))
      const old = ["2026-11-10.jsonl", "2026-11-10.3.jsonl", "2026-11-10.jsonl.index", "2026-11-15.jsonl"]
      const kept = ["2026-11-16.jsonl", "2026-11-17.1.jsonl", "2027-01-01.jsonl", "notes.txt"]
      for (const name of [...old, ...kept]) fs.writeFileSync(join(directory, name), "")
      const sink = yield* opened(directory, { keepDays: 2 })
      expect(fs.readdirSync(directory).length).toBe(8)
      yield* sink.append([callAt(0, "1")])
      expect(fs.readdirSync(directory)).toEqual([
        "2026-11-16.jsonl",
        "2026-11-17.1.jsonl",
        "2026-11-18.jsonl",
        "2027-01-01.jsonl",
        "notes.txt"
      ])
      yield* TestClock.adjust("1 day")
      yield* sink.append([callAt(0, "1")])
      expect(fs.readdirSync(directory)).not.toContain("2026-11-16.jsonl")
      expect(fs.readdirSync(directory)).toContain("2026-11-18.jsonl")
    })
  )

  it.scoped("are begun anew where one was moved away or removed while it was open", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const sink = yield* opened(directory)
      const later = TestClock.adjust("1 millis")
      yield* sink.append([callAt(0, "1")])
      fs.renameSync(join(directory, FIRST), join(directory, "moved"))
      // In the same millisecond it is not looked for again.
      yield* sink.append([callAt(0, "with it")])
      yield* later
      yield* sink.append([callAt(0, "2")])
      expect(fs.readFileSync(join(directory, "moved"), "utf8")).toContain("with it")
      fs.rmSync(join(directory, FIRST))
      yield* later
      yield* sink.append([callAt(0, "3")])
      expect(yield* idsIn(directory)).toEqual(["3"])
      fs.rmSync(directory, { recursive: true })
      yield* later
      yield* sink.append([callAt(0, "4")])
      expect(yield* idsIn(directory)).toEqual(["4"])
    })
  )

  it.scoped("have a line closed off that somebody did not end, which is said", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const said: Array<string> = []
      const sink = yield* opened(directory, { say: (sentence) => void said.push(sentence) })
      const torn = () => fs.appendFileSync(join(directory, FIRST), '{"v":1,"time":"1970')
      yield* sink.append([callAt(0, "1")])
      torn()
      yield* TestClock.adjust("1 millis")
      yield* sink.append([callAt(0, "2")])
      yield* sink.append([callAt(0, "3")])
      torn()
      yield* (yield* opened(directory)).append([callAt(0, "4")])
      expect(said).toEqual([
        `${join(fs.realpathSync(directory), FIRST)} ended in the midst of a line, whose writer was stopped; the line was closed off`
      ])
      const remarks: Array<string> = []
      const read = AuditFiles.read(
        { directory },
        { remark: (remark) => remarks.push(AuditFiles.sentenceOf(remark)) }
      )
      expect(Chunk.size(yield* Stream.runCollect(read))).toBe(4)
      expect(remarks).toEqual([
        `${join(directory, FIRST)}:2: 2 lines were cut off while they were written, and are left out; this is the first`
      ])
    }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
  )

  it.scoped.each([
    ["another day begins", "1 day", {}, "1970-01-02.jsonl"],
    ["it is full", "1 millis", { fileBytes: 100 }, "1970-01-01.1.jsonl"]
  ] as const)("have a line closed off in a file that is left, where %s", ([, later, options, next]) =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const said: Array<string> = []
      const first = join(fs.realpathSync(directory), FIRST)
      yield* (yield* opened(directory)).append([callAt(0, "1")])
      fs.appendFileSync(first, '{"v":1,"time":"1970')
      yield* TestClock.adjust(later)
      for (const id of ["2", "3"]) {
        const sink = yield* opened(directory, { ...options, say: (sentence) => void said.push(sentence) })
        yield* sink.append([callAt(0, id)])
      }
      expect(said).toEqual([
        `${first} ended in the midst of a line, whose writer was stopped; the line was closed off`
      ])
      expect(fs.readFileSync(first, "utf8")).toMatch(/970\n$/)
      expect(fs.readdirSync(directory).sort()).toContain(next)
      expect(yield* idsIn(directory)).toEqual(["1", "2", "3"])
    })
  )

  it.scoped("are begun anew where the one before cannot be looked into", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      fs.mkdirSync(join(directory, FIRST))
      yield* TestClock.adjust("1 day")
      yield* (yield* opened(directory)).append([callAt(0, "1")])
      expect(fs.readdirSync(directory).sort()).toEqual([FIRST, "1970-01-02.jsonl"])
    })
  )

  it.scoped("lose no entry to a line that somebody did not end in the same millisecond", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const sink = yield* opened(directory)
      yield* sink.append([callAt(0, "1")])
      fs.appendFileSync(join(directory, FIRST), '{"v":1,"time":"1970')
      yield* sink.append([callAt(0, "2"), callAt(0, "3")])
      expect(yield* idsIn(directory)).toEqual(["1", "2", "3"])
    })
  )

  it.scoped.runIf(process.platform === "linux")("are closed with the layer", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const sink = yield* Effect.scoped(
        Effect.tap(opened(directory), (open) => open.append([callAt(0, "1")]))
      )
      expect((yield* Effect.flip(sink.append([callAt(0, "2")]))).message).toMatch(
        /^AUDIT_UNWRITABLE: .*closed/
      )
      const held = fs.readdirSync("/proc/self/fd").map((fd) => targetOf(`/proc/self/fd/${fd}`))
      expect(held.some((path) => path.startsWith(directory))).toBe(false)
    })
  )
})

describe("a disk that is full", () => {
  it.scoped.each([
    ["ENOSPC", "there is no space left; free some"],
    ["EDQUOT", "the quota of this user is used up"],
    ["EROFS", "the file system is read-only"],
    ["EWEIRD", "look at the directory and its disk"]
  ] as const)("is told in words, with what the system calls it: %s", ([code, words]) =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const disk = new Disk()
      disk.code = code
      const sink = yield* opened(directory, {}, disk)
      yield* sink.append([callAt(0, "1")])
      for (const room of [0, 1, 200]) {
        disk.room = room
        const { message } = yield* Effect.flip(sink.append([callAt(0, "2"), callAt(0, "3")]))
        expect(message).toMatch(/^AUDIT_UNWRITABLE: .*1970-01-01\.jsonl cannot be written: /)
        expect(message).toContain(words)
        expect(message).toContain(`(${code})`)
      }
      expect(yield* idsIn(directory)).toEqual(["1"])
    })
  )

  it.scoped("leaves what others wrote behind a part of a batch as it is, and takes the part away", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const disk = new Disk()
      const other = yield* opened(directory, { say: () => {} })
      const clock = yield* Effect.clock
      const sink = yield* opened(
        directory,
        {},
        {
          ...disk,
          write: (fd, bytes) => {
            const count = disk.write(fd, bytes)
            if (count < bytes.length) {
              Effect.runSync(Effect.withClock(other.append([callAt(0, "theirs")]), clock))
            }
            return count
          }
        }
      )
      yield* sink.append([callAt(0, "1")])
      disk.room = 300
      yield* Effect.flip(sink.append([callAt(0, "2"), callAt(0, "3")]))
      disk.room = Number.POSITIVE_INFINITY
      yield* sink.append([callAt(0, "2")])
      expect(yield* idsIn(directory)).toEqual(["1", "theirs", "2"])
    }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
  )

  it.scoped("that cannot even be written over leaves whole lines, and says so", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const disk = new Disk()
      const sink = yield* opened(directory, {}, { ...disk, writeAt: () => 0 })
      yield* sink.append([callAt(0, "1")])
      disk.room = 300
      const { message } = yield* Effect.flip(sink.append([callAt(0, "2"), callAt(0, "3")]))
      expect(message).toMatch(/a part of it was written, and will be there twice$/)
      disk.room = Number.POSITIVE_INFINITY
      yield* sink.append([callAt(0, "2"), callAt(0, "3")])
      expect(yield* idsIn(directory)).toEqual(["1", "2", "2", "3"])
    }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
  )
})

describe("fsync", () => {
  it.scoped(
    "brings the file, and the directory of a new one, to the disk before an entry counts as kept",
    () =>
      Effect.gen(function* () {
        const asked = yield* Queue.unbounded<{ readonly what: string; readonly done: () => void }>()
        const on = {
          ...system,
          sync: (fd: number, done: (error: Error | null) => void) => {
            const what = fs.fstatSync(fd).isDirectory() ? "directory" : "file"
            asked.unsafeOffer({ what, done: () => done(null) })
          }
        }
        const sink = yield* opened(yield* scratch, { fsync: true }, on)
        const add = Effect.fork(sink.append([callAt(0, "1")]))
        const first = yield* add
        const file = yield* Queue.take(asked)
        expect(file.what).toBe("file")
        // Those that come meanwhile wait for the next one, and share it.
        const others = yield* Effect.replicateEffect(add, 5)
        yield* Effect.yieldNow()
        expect(yield* Queue.size(asked)).toBe(0)
        file.done()
        const directory = yield* Queue.take(asked)
        expect(directory.what).toBe("directory")
        expect(yield* Fiber.poll(first)).toEqual(Option.none())
        directory.done()
        yield* Fiber.join(first)
        const next = yield* Queue.take(asked)
        expect(next.what).toBe("file")
        for (const other of others) expect(yield* Fiber.poll(other)).toEqual(Option.none())
        next.done()
        yield* Fiber.joinAll(others)
        expect(yield* Queue.size(asked)).toBe(0)
      })
  )

  it.scoped("that fails is a failure", () =>
    Effect.gen(function* () {
      const sink = yield* opened(
        yield* scratch,
        { fsync: true },
        {
          ...system,
          sync: (_, done) => done(Object.assign(new Error("EIO"), { code: "EIO" }))
        }
      )
      expect((yield* Effect.flip(sink.append([callAt(0, "1")]))).message).toMatch(
        /^AUDIT_UNWRITABLE: .*the disk did not take it.*\(EIO\)$/
      )
    })
  )
})

/**
 * The threat: a directory that others write to as well. Links that lead out of it, directories that are swapped while
 * they are used, files that never end or are no text; and an index that does not notice.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import type { RecordsBackend } from "../../../src/capabilities/records/RecordsBackend.js"
import type { RecordsError } from "../../../src/capabilities/records/RecordsOperations.js"
import * as Owner from "../../../src/layers/node/disk/Owner.js"
import * as NodeRecords from "../../../src/layers/node/records/NodeRecords.js"
import { times } from "../../deep.js"
import { all, permit, scratch } from "./scratch.js"

const said = (operation: Effect.Effect<unknown, RecordsError>) =>
  Effect.match(operation, { onFailure: (error) => error.message, onSuccess: () => "success" })

const write = (directory: string, path: string, content: string | Uint8Array = "text") => {
  fs.mkdirSync(join(directory, path, ".."), { recursive: true })
  fs.writeFileSync(join(directory, path), content)
}

/** A directory with records beside one that nobody may reach through it. */
const beside = Effect.map(scratch, (above) => {
  const [directory, outside] = [join(above, "records"), join(above, "outside")]
  write(outside, "secret.md", "outside word")
  write(directory, "notes/a.md", "inside word")
  return { above, directory, outside, records: NodeRecords.make({ directory }) }
})

const ids = (records: RecordsBackend.Service) =>
  Effect.map(records.list({}, all(records)), (found) => found.map(({ id }) => id))

const found = (records: RecordsBackend.Service, query: string) =>
  Effect.map(records.search({ query }, all(records)), (summaries) => summaries.map(({ id }) => id))

const turnOfTheLoop = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

describe("links below the directory", () => {
  it.scoped("are followed by no operation, and say nothing of where they lead", () =>
    Effect.gen(function* () {
      const { directory, outside, records } = yield* beside
      fs.symlinkSync(outside, join(directory, "dir"))
      fs.symlinkSync(join(outside, "secret.md"), join(directory, "linked.md"))
      fs.symlinkSync(join(outside, "none.md"), join(directory, "dangling.md"))
      for (const [id, other] of [
        ["dir/secret", "dir/none"],
        ["linked", "dangling"]
      ] as const) {
        const [one, two] = [yield* permit(records, id), yield* permit(records, other)]
        const operations = (given: RecordsBackend.Permit, name: string) => [
          records.head(name),
          records.read(given),
          records.replace({ before: given, after: given }, { text: "x", revision: "0" }),
          records.remove(given),
          records.links(given, all(records))
        ]
        const there = yield* Effect.forEach(operations(one, id), said)
        const nowhere = yield* Effect.forEach(operations(two, other), said)
        expect(there.map((text) => text.replaceAll(id, "ID"))).toEqual(
          nowhere.map((text) => text.replaceAll(other, "ID"))
        )
        expect(there.filter((text) => !text.startsWith("RECORD_INVALID: a symbolic link"))).toEqual([])
      }
      expect(yield* said(records.create(yield* permit(records, "dir/new"), "x"))).toMatch(
        /^RECORD_INVALID: a symbolic link/
      )
      expect(yield* said(records.create(yield* permit(records, "dir/deep/new"), "x"))).toMatch(
        /^RECORD_INVALID: a symbolic link/
      )
      expect(yield* said(records.create(yield* permit(records, "dangling"), "x"))).toMatch(/^RECORD_EXISTS/)
      expect(fs.readdirSync(outside)).toEqual(["secret.md"])
      expect(yield* ids(records)).toEqual(["notes/a"])
      expect(yield* found(records, "word")).toEqual(["notes/a"])
    })
  )

  it.scoped("are not followed for the locks and the trash either", () =>
    Effect.gen(function* () {
      const { directory, outside, records } = yield* beside
      fs.symlinkSync(outside, join(directory, ".trash"))
      expect(yield* said(records.remove(yield* permit(records, "notes/a")))).not.toBe("success")
      fs.rmSync(join(directory, ".lock"), { recursive: true, force: true })
      fs.symlinkSync(outside, join(directory, ".lock"))
      expect(yield* said(records.create(yield* permit(records, "new"), "x"))).not.toBe("success")
      expect(fs.readdirSync(outside)).toEqual(["secret.md"])
      expect(yield* ids(records)).toEqual(["notes/a"])
    })
  )

  it.scoped("are followed once for the directory itself", () =>
    Effect.gen(function* () {
      const { above, directory, outside } = yield* beside
      const link = join(above, "link")
      fs.symlinkSync(directory, link)
      const records = NodeRecords.make({ directory: link })
      expect(yield* ids(records)).toEqual(["notes/a"])
      fs.unlinkSync(link)
      fs.symlinkSync(outside, link)
      expect(yield* ids(records)).toEqual(["notes/a"])
      yield* records.create(yield* permit(records, "b"), "x")
      expect(fs.existsSync(join(directory, "b.md"))).toBe(true)
    })
  )

  it.scopedLive("lead nowhere when a directory is swapped for one at any moment", () =>
    Effect.gen(function* () {
      const { directory, outside, records } = yield* beside
      const [notes, aside] = [join(directory, "notes"), join(directory, "aside")]
      write(outside, "a.md", "outside word")
      let swaps = 0
      // Between two swaps there is time for much, for a little, or for nothing.
      const forSome = (turns: number) => Effect.repeatN(turnOfTheLoop, turns)
      const swapping = yield* Effect.fork(
        Effect.forever(
          Effect.gen(function* () {
            fs.renameSync(notes, aside)
            fs.symlinkSync(outside, notes)
            yield* forSome(swaps % 3)
            fs.unlinkSync(notes)
            fs.renameSync(aside, notes)
            yield* forSome((swaps++ * 7) % 60)
          })
        )
      )
      const given = yield* permit(records, "notes/a")
      let [reads, writes] = [0, 0]
      for (let i = 0; i < times(40); i++) {
        const read = yield* Effect.either(records.read(given))
        if (read._tag === "Right") {
          expect(read.right.text).not.toContain("outside")
          reads++
          const { revision } = read.right
          const replaced = yield* Effect.either(
            records.replace({ before: given, after: given }, { text: `inside ${i}`, revision })
          )
          if (replaced._tag === "Right") writes++
        }
        yield* Effect.ignore(records.create(yield* permit(records, `notes/n${i}`), "inside"))
        if (i % 10 === 0) expect(yield* found(records, "outside")).toEqual([])
      }
      yield* Fiber.interrupt(swapping)
      expect(fs.readdirSync(outside).sort()).toEqual(["a.md", "secret.md"])
      expect(fs.readFileSync(join(outside, "a.md"), "utf8")).toBe("outside word")
      expect(reads).toBeGreaterThan(0)
      expect(writes).toBeGreaterThan(0)
    })
  )
})

describe("a look at many files", () => {
  it.scopedLive("reads none through a directory that was swapped for a link in its midst", () =>
    Effect.gen(function* () {
      const { directory, outside, records } = yield* beside
      const [notes, aside] = [join(directory, "notes"), join(directory, "aside")]
      for (let i = 0; i < 1000; i++) {
        write(directory, `notes/n${i}.md`, "inside word")
        write(outside, `n${i}.md`, "outside word")
      }
      for (let round = 0; round < times(2); round++) {
        const looking = yield* Effect.fork(found(records, "outside"))
        yield* turnOfTheLoop
        fs.renameSync(notes, aside)
        fs.symlinkSync(outside, notes)
        expect(yield* Fiber.join(looking)).toEqual([])
        fs.unlinkSync(notes)
        fs.renameSync(aside, notes)
        // What was missed is made up for, and everything is to be read anew in the next round.
        expect(yield* ids(records)).toHaveLength(1001)
        for (let i = 0; i < 1000; i++) write(directory, `notes/n${i}.md`, `inside word ${round}`)
      }
    })
  )
})

describe("files that are no records", () => {
  it.scoped("are left out, and are not waited for", () =>
    Effect.gen(function* () {
      const { directory, records } = yield* beside
      execFileSync("mkfifo", [join(directory, "pipe.md")])
      write(directory, "large.md", "x".repeat(1024 * 1024 + 1))
      write(directory, "bytes.md", Buffer.from([0x77, 0x6f, 0x72, 0x64, 0xff]))
      write(directory, "open.md", "---\nclass: agent\npassword: hunter2: x\n---\nword")
      write(directory, "twice.md", "---\nclass: note\nclass: agent\n---\nword")
      fs.mkdirSync(join(directory, "folder.md"))
      const expected = [
        ["pipe", "not a regular file"],
        ["large", "larger than"],
        ["bytes", "not UTF-8"],
        ["open", "at line 3"],
        ["twice", "at line 3"],
        ["folder", "not a regular file"]
      ] as const
      for (const [id, part] of expected) {
        const message = yield* said(records.head(id))
        expect(message).toMatch(/^RECORD_INVALID: /)
        expect(message).toContain(part)
        expect(message).not.toContain("hunter2")
        const given = yield* permit(records, id)
        expect(yield* said(records.read(given))).toBe(message)
        expect(yield* said(records.links(given, all(records)))).toBe(message)
        expect(yield* said(records.remove(given))).toBe(message)
        expect(yield* said(records.create(given, "x"))).toMatch(/^RECORD_EXISTS/)
      }
      expect(yield* ids(records)).toEqual(["notes/a"])
      expect(yield* found(records, "word")).toEqual(["notes/a"])
    })
  )

  it.scoped("are those whose names could be no ids", () =>
    Effect.gen(function* () {
      const { directory, records } = yield* beside
      for (const path of [
        ".git/a.md",
        ".trash/a.md",
        "a:b.md",
        "UPPER.MD",
        "a.txt",
        "b..md",
        ".md",
        "c .md",
        "d.md.md",
        "line\nbreak.md",
        ".hidden.md"
      ]) {
        write(directory, path, "word")
      }
      expect(yield* ids(records)).toEqual(["notes/a"])
      expect(yield* found(records, "word")).toEqual(["notes/a"])
    })
  )

  it.scoped("stand in the way of directories", () =>
    Effect.gen(function* () {
      const { directory, records } = yield* beside
      write(directory, "plain", "x")
      expect(yield* said(records.head("plain/a"))).toBe("RECORD_NOT_FOUND: there is no record plain/a")
      expect(yield* said(records.create(yield* permit(records, "plain/a"), "x"))).toMatch(
        /^RECORD_INVALID: a file stands where/
      )
    })
  )
})

describe("edits by others", () => {
  it.scoped("are seen by the next question, even those that hide", () =>
    Effect.gen(function* () {
      const { directory, records } = yield* beside
      const path = join(directory, "notes/a.md")
      const long = new Date("2001-01-01")
      for (let i = 0; i < 40; i++) {
        const word = `word${String(i).padStart(3, "0")}`
        fs.writeFileSync(path, word)
        fs.utimesSync(path, long, long)
        expect(yield* found(records, word)).toEqual(["notes/a"])
        expect(yield* found(records, `word${String(i - 1).padStart(3, "0")}`)).toEqual([])
      }
      fs.renameSync(path, join(directory, "notes/b.md"))
      expect(yield* ids(records)).toEqual(["notes/b"])
      fs.rmSync(join(directory, "notes"), { recursive: true })
      expect(yield* ids(records)).toEqual([])
      fs.rmSync(directory, { recursive: true })
      expect(yield* ids(records)).toEqual([])
      yield* records.create(yield* permit(records, "notes/a"), "back")
      expect(yield* found(records, "back")).toEqual(["notes/a"])
    })
  )

  it.scoped("are not overwritten by whoever read before them", () =>
    Effect.gen(function* () {
      const { directory, records } = yield* beside
      const given = yield* permit(records, "notes/a")
      const { revision } = yield* records.read(given)
      write(directory, "notes/a.md", "---\nowner: me\n---\ninside word")
      const message = yield* said(records.replace({ before: given, after: given }, { text: "x", revision }))
      expect(message).toMatch(
        /^RECORD_CHANGED: notes\/a was changed \('owner' added\): it is at revision [0-9a-f]{16} by now/
      )
    })
  )
})

describe("what lies in the directory", () => {
  it.scoped("is made by the first write, and by no question", () =>
    Effect.gen(function* () {
      const directory = join(yield* scratch, "not/yet")
      const records = NodeRecords.make({ directory })
      expect([yield* ids(records), yield* found(records, "x")]).toEqual([[], []])
      expect(yield* said(records.head("a"))).toMatch(/^RECORD_NOT_FOUND/)
      expect(yield* said(records.remove(yield* permit(records, "a")))).toMatch(/^RECORD_NOT_FOUND/)
      expect(fs.existsSync(directory)).toBe(false)
      yield* records.create(yield* permit(records, "deep/er/a"), "x")
      expect(fs.readFileSync(join(directory, "deep/er/a.md"), "utf8")).toBe("x")
      expect(fs.readdirSync(join(directory, ".lock"))).toEqual([])
    })
  )

  it.scoped("goes to the trash when it is removed, each time under a name of its own", () =>
    Effect.gen(function* () {
      const { directory, records } = yield* beside
      const given = yield* permit(records, "notes/a")
      yield* records.remove(given)
      yield* records.create(given, "second")
      yield* records.remove(given)
      const trash = join(directory, ".trash/notes")
      const names = fs.readdirSync(trash)
      expect(names.filter((name) => /^a\.19700101T000000000Z\.[0-9a-f]{12}\.md$/.test(name))).toHaveLength(2)
      const texts = names.map((name) => fs.readFileSync(join(trash, name), "utf8"))
      expect(texts.sort()).toEqual(["inside word", "second"])
      expect(fs.existsSync(join(directory, "notes/a.md"))).toBe(false)
    })
  )

  it.scoped("keeps its permissions, and stays as it is when nobody may write it", () =>
    Effect.gen(function* () {
      const { directory, records } = yield* beside
      const path = join(directory, "notes/a.md")
      const given = yield* permit(records, "notes/a")
      fs.chmodSync(path, 0o640)
      const { revision } = yield* records.read(given)
      const next = yield* records.replace({ before: given, after: given }, { text: "next", revision })
      expect(fs.statSync(path).mode & 0o777).toBe(0o640)
      fs.chmodSync(path, 0o440)
      const change = { text: "more", revision: next.revision }
      expect(yield* said(records.replace({ before: given, after: given }, change))).toMatch(
        /^RECORDS_FAILED: the operating system/
      )
      expect(fs.readFileSync(path, "utf8")).toBe("next")
    })
  )

  it.scoped("is cleared of what dead writers left, and nobody waits for them", () =>
    Effect.gen(function* () {
      const { directory, records } = yield* beside
      const given = yield* permit(records, "notes/a")
      const dead = execFileSync(
        process.execPath,
        ["--import", "tsx", join(import.meta.dirname, "owner.ts")],
        {
          encoding: "utf8"
        }
      )
      write(directory, `notes/.${dead}.tmp`)
      write(directory, "notes/.mine.tmp")
      write(directory, `notes/.${Owner.name()}.tmp`)
      const key = createHash("sha256").update("notes/a").digest("hex").slice(0, 24)
      write(directory, `.lock/${key}.${dead}`)
      const { revision } = yield* records.read(given)
      yield* records.replace({ before: given, after: given }, { text: "next", revision })
      const left = fs.readdirSync(join(directory, "notes"))
      expect(left).toHaveLength(3)
      expect(left).toContain(".mine.tmp")
      expect(left).not.toContain(`.${dead}.tmp`)
      expect(fs.readdirSync(join(directory, ".lock"))).toEqual([])
    })
  )

  it.scopedLive("can be left in the middle of a look at it", () =>
    Effect.gen(function* () {
      const { directory, records } = yield* beside
      for (let i = 0; i < 1000; i++) fs.writeFileSync(join(directory, `n${i}.md`), `word ${i}`)
      const looking = yield* Effect.fork(records.list({}, all(records)))
      yield* turnOfTheLoop
      expect(Exit.isInterrupted(yield* Fiber.interrupt(looking))).toBe(true)
      expect(yield* ids(records)).toHaveLength(1001)
    })
  )
})

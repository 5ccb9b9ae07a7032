/** A sentence for each file that cannot be used, with what to do; and nothing is changed in it. */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { failed } from "../../../src/layers/node/storage/failure.js"
import { programOf } from "../../program.js"
import { scratch } from "./scratch.js"
import { storeIn } from "./session.js"
import { connected, fileOf } from "./sqlite.js"

/** What a read and a write are told, when both are told the same. */
const told = (directory: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* storeIn(directory)
      const read = yield* Effect.flip(store.get({ key: "k" }))
      const write = yield* Effect.flip(store.set({ key: "k", value: "v" }))
      expect(write.message).toBe(read.message)
      expect(read.message).not.toContain(directory)
      return read.message
    })
  )

/** A file as somebody else would have made it. */
const made = (directory: string, sql: string) =>
  Effect.scoped(Effect.map(connected(fileOf(directory)), (connection) => connection.exec(sql)))

describe("NodeStorage refuses", () => {
  it.scoped("what is no database, and opens once it is gone", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      for (const content of ["not a database ".repeat(1000), "short", "x".repeat(100)]) {
        writeFileSync(fileOf(directory), content)
        expect(yield* told(directory)).toBe(
          "STORAGE_FAILED: the file of the store is not a database: it is damaged, or of another program; restore it from a copy, or move it away"
        )
        expect(readFileSync(fileOf(directory), "utf8")).toBe(content)
      }
      rmSync(fileOf(directory))
      const store = yield* storeIn(directory)
      yield* store.set({ key: "k", value: "v" })
      expect(yield* store.get({ key: "k" })).toBe("v")
    })
  )

  it.scoped("a file that is damaged", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* storeIn(directory)
          for (let i = 0; i < 20; i++) yield* store.set({ key: `k${i}`, value: "x".repeat(2000) })
        })
      )
      const bytes = readFileSync(fileOf(directory))
      writeFileSync(fileOf(directory), bytes.fill(0x5a, 4096))
      expect(yield* told(directory)).toBe(
        "STORAGE_FAILED: the file of the store is damaged; restore it from a copy, or move it away"
      )
    })
  )

  it.scoped("the database of another program, and leaves it as it is", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const sentence =
        "STORAGE_FAILED: the file of the store is the database of another program; name a directory of its own for the store"
      for (const sql of ["CREATE TABLE theirs (a)", "PRAGMA application_id = 7"]) {
        rmSync(fileOf(directory), { force: true })
        yield* made(directory, sql)
        const before = readFileSync(fileOf(directory))
        expect(yield* told(directory)).toBe(sentence)
        expect(readFileSync(fileOf(directory)).equals(before)).toBe(true)
      }
    })
  )

  it.scoped("a store of a newer version", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      yield* Effect.scoped(Effect.flatMap(storeIn(directory), (store) => store.set({ key: "k", value: "v" })))
      yield* made(directory, "PRAGMA user_version = 2")
      expect(yield* told(directory)).toBe(
        "STORAGE_FAILED: the store was written by a newer version of bailiwick; use that version, or name another directory"
      )
      yield* made(directory, "PRAGMA user_version = 0")
      expect(yield* told(directory)).toContain("the file of the store is damaged")
    })
  )

  it.scoped("a store of the old kind, by name, and makes nothing beside it", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      writeFileSync(join(directory, "data.mdb"), "old")
      writeFileSync(join(directory, "lock.mdb"), "")
      expect(yield* told(directory)).toBe(
        "STORAGE_FAILED: the directory holds a store of an earlier kind (data.mdb), which this version does not read; move data.mdb and lock.mdb away, or name another directory"
      )
      expect(readdirSync(directory).sort()).toEqual(["data.mdb", "lock.mdb"])
      for (const name of ["data.mdb", "lock.mdb"]) rmSync(join(directory, name))
      yield* (yield* storeIn(directory)).set({ key: "k", value: "v" })
    })
  )

  it.scoped("a link in the place of its file, and what is no file", () =>
    Effect.gen(function* () {
      const elsewhere = join(yield* scratch, "elsewhere")
      const sentence =
        "STORAGE_FAILED: the file of the store is a link or no regular file; put a regular file there, or nothing"
      writeFileSync(elsewhere, "")
      const linked = yield* scratch
      symlinkSync(elsewhere, fileOf(linked))
      expect(yield* told(linked)).toBe(sentence)
      expect(readFileSync(elsewhere, "utf8")).toBe("")
      const dangling = yield* scratch
      symlinkSync(`${elsewhere}-not-there`, fileOf(dangling))
      expect(yield* told(dangling)).toBe(sentence)
      const folder = yield* scratch
      mkdirSync(fileOf(folder))
      expect(yield* told(folder)).toBe(sentence)
    })
  )

  it.scoped("a directory that others may write into: a journal of theirs would be played back", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      for (const mode of [0o770, 0o707, 0o777]) {
        chmodSync(directory, mode)
        expect(yield* told(directory)).toBe(
          "STORAGE_FAILED: others may write into the directory of the store; take that from them (chmod go-w), or name another directory"
        )
      }
      expect(readdirSync(directory)).toEqual([])
    })
  )

  it.scoped("a directory that this user may not use", () =>
    Effect.gen(function* () {
      const directory = join(yield* scratch, "store")
      mkdirSync(directory)
      const sentence =
        "this user may not open the store; make its directory readable and writable for this user alone"
      if (process.getuid?.() !== 0) {
        chmodSync(directory, 0)
        expect(yield* told(directory)).toBe(`STORAGE_FAILED: ${sentence}`)
        chmodSync(directory, 0o700)
        return
      }
      // Root may do everything: somebody else has to try.
      const program = yield* Effect.promise(() => programOf(join(import.meta.dirname, "writer.ts")))
      chmodSync(join(directory, ".."), 0o755)
      chmodSync(directory, 0o700)
      chownSync(directory, 0, 0)
      const job = JSON.stringify({ job: "fill", namespace: "n" })
      const said = execFileSync(process.execPath, [program, directory, job, "65534"], { encoding: "utf8" })
      expect(said).toBe(`STORAGE_FAILED: ${sentence}\nnothing was written\n`)
    })
  )

  it("in words of its own what the system or SQLite answered, and never a path", () => {
    const answer = (cause: object) => failed(Object.assign(new Error("/secret/path"), cause)).message
    expect(answer({ errcode: 13 })).toContain("there is no space left")
    expect(answer({ rawCode: 8 })).toContain("this user may not write the store")
    expect(answer({ rawCode: 778 })).toContain("the disk did not take the write")
    expect(answer({ rawCode: 14 })).toContain("cannot be opened or written")
    expect(answer({ code: "EROFS" })).toContain("a read-only file system")
    expect(answer({ code: "EDQUOT" })).toContain("there is no space left")
    expect(answer({ code: "ERR_MODULE_NOT_FOUND" })).toContain("the package libsql is missing")
    expect(answer({ rawCode: 1 })).toContain("could not be read or written")
    for (const code of [1, 7, 8, 10, 11, 13, 14, 26])
      expect(answer({ rawCode: code })).not.toContain("/secret")
  })
})

/** SQLite comes from Node or from a package: which of the two nobody notices. */
import { execFileSync } from "node:child_process"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { builtin, hasBuiltin, isQuiet } from "../../../src/layers/node/storage/builtin.js"
import type { Open } from "../../../src/layers/node/storage/connection.js"
import { libsql } from "../../../src/layers/node/storage/libsql.js"
import { programOf } from "../../program.js"
import { scratch } from "./scratch.js"
import { storeIn } from "./session.js"
import { fileOf } from "./sqlite.js"

const here = hasBuiltin(process.versions.node)

/** Only one of them in a process, so the other is tried in another. */
const drivers: ReadonlyArray<readonly [name: string, load: () => Promise<Open>]> = here
  ? [["node:sqlite", async () => builtin()]]
  : [["libsql", libsql]]

describe("the SQLite of Node", () => {
  it("is used where it is loaded without a warning, and nowhere else", () => {
    const quiet = ["24.15.0", "24.21.0", "25.7.0", "25.9.0", "26.0.0", "30.1.2"]
    const loud = [
      "20.19.0",
      "20.20.2",
      "22.5.0",
      "22.13.0",
      "22.99.0",
      "23.11.0",
      "24.0.0",
      "24.14.9",
      "25.6.9"
    ]
    expect(quiet.filter(isQuiet)).toEqual(quiet)
    expect(loud.filter(isQuiet)).toEqual([])
  })

  it("prints nothing where it is used, and is not loaded where it would", () => {
    const script = `const s = process.getBuiltinModule?.("node:sqlite"); new s.DatabaseSync(":memory:").close()`
    if (!here) return expect(isQuiet(process.versions.node)).toBe(false)
    const said = execFileSync(process.execPath, [
      "-e",
      `process.on("warning", (w) => console.log(w.name)); ${script}`
    ])
    expect(said.toString()).toBe("")
  })
})

for (const [name, load] of drivers) {
  describe(name, () => {
    it.scoped("takes and gives text, bytes, numbers and nothing, as they are", () =>
      Effect.gen(function* () {
        const open = yield* Effect.promise(load)
        const connection = open(join(yield* scratch, "a.db"))
        connection.exec("CREATE TABLE t (a ANY) STRICT")
        const values = [
          "",
          "\u00e9",
          0,
          1_700_000_000_000,
          new Uint8Array([0, 1, 255]),
          new Uint8Array(),
          null
        ]
        for (const value of values) {
          const back = connection.writing(({ first, run }) => {
            run("DELETE FROM t", [])
            expect(run("INSERT INTO t VALUES (?)", [value])).toBe(1)
            return first("SELECT a FROM t", [])?.[0]
          })
          expect(value instanceof Uint8Array ? [...(back as Uint8Array)] : back).toEqual(
            value instanceof Uint8Array ? [...value] : value
          )
        }
        connection.close()
      })
    )

    it.scoped("undoes a transaction that fails, and uses its statements again", () =>
      Effect.gen(function* () {
        const open = yield* Effect.promise(load)
        const connection = open(join(yield* scratch, "a.db"))
        connection.exec("CREATE TABLE t (a TEXT UNIQUE) STRICT")
        const insert = (value: string) =>
          connection.writing(({ run }) => run("INSERT INTO t VALUES (?)", [value]))
        insert("a")
        expect(() => insert("a")).toThrow()
        expect(() =>
          connection.writing(({ run }) => {
            run("INSERT INTO t VALUES (?)", ["undone"])
            throw new Error("of the program")
          })
        ).toThrow("of the program")
        insert("b")
        expect(connection.reading(({ all }) => all("SELECT a FROM t ORDER BY a", []))).toEqual([["a"], ["b"]])
        connection.close()
        expect(() => insert("c")).toThrow(/clos|not open/)
        expect(() => connection.exec("SELECT 1")).toThrow(/clos|not open/)
      })
    )
  })
}

describe("the package", () => {
  const program = Effect.promise(() => programOf(join(import.meta.dirname, "idle.ts")))
  const said = (file: string, directory: string) =>
    execFileSync(process.execPath, [file, directory], { encoding: "utf8" }).trim().split("\n")

  it.scoped("is not loaded before the store is used, and never where Node has one of its own", () =>
    Effect.gen(function* () {
      expect(said(yield* program, yield* scratch)).toEqual(["before: false", `after: ${!here}`])
    })
  )

  it.scoped("is missed in words, and by nobody who stores nothing", () =>
    Effect.gen(function* () {
      const elsewhere = yield* scratch
      copyFileSync(yield* program, join(elsewhere, "idle.mjs"))
      expect(said(join(elsewhere, "idle.mjs"), join(elsewhere, "store"))).toEqual([
        "before: false",
        here
          ? "after: false"
          : "STORAGE_FAILED: the package libsql is missing or not built for this platform; install it, or use Node 24.15 or newer, which needs none"
      ])
    })
  )
})

/** Where Node has SQLite both are tried; elsewhere the package stands for both. */
const others = here ? ["libsql", "node:sqlite"] : ["libsql"]

describe("the file", () => {
  it.scoped("is read and written by either, in turns", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const program = yield* Effect.promise(() => programOf(join(import.meta.dirname, "reader.ts")))
      const store = yield* storeIn(directory)
      yield* store.set({ key: "a", value: "of the layer" })
      const seen = [["a", "of the layer"]]
      for (const driver of others) {
        const said = execFileSync(process.execPath, [program, driver, fileOf(directory), driver], {
          encoding: "utf8"
        })
        expect(JSON.parse(said)).toEqual({ seen, integrity: "ok" })
        seen.push([driver, driver])
        seen.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1))
        expect(yield* store.get({ key: driver })).toBe(driver)
      }
      yield* store.set({ key: "a", value: "again" })
      expect(yield* store.list({ prefix: "" })).toEqual(seen.map(([key]) => key))
    })
  )
})

/** The cases about what is read, listed and looked at. */
import { Effect } from "effect"
import { bytesFrom, contents, must, mustBytes, mustRefuse } from "./contract.js"
import { type Definition, define } from "./filesCase.js"

const names: ReadonlyArray<string> = [
  "plain",
  "with blank",
  ".hidden",
  "-rf",
  "toString",
  "__proto__",
  "a'b\"c$d`e",
  "back\\slash",
  "\u00e9\u{1f600}\u6771",
  "%2e%2e",
  "~"
]

const contentsKept: ReadonlyArray<Definition> = [
  define("files", "bytes are read as they were written, whatever they are", ({ read, stat, write }) =>
    Effect.gen(function* () {
      for (const [index, content] of contents.entries()) {
        yield* write("a", content)
        yield* mustBytes(`content ${index}`, yield* read("a"), content)
        const { kind, modifiedMillis, size } = yield* stat("a")
        yield* must(`stat of content ${index}`, [kind, size], ["file", content.length])
        yield* must("the time is whole milliseconds", Number.isSafeInteger(modifiedMillis), true)
      }
    })
  ),
  define("files", "a file is the one of its name, whatever characters that has", ({ list, text, write }) =>
    Effect.gen(function* () {
      for (const name of names) yield* write(name, `content of ${name}`)
      for (const name of names) yield* must(name, yield* text(name), `content of ${name}`)
      yield* must("list", yield* list(""), [...names].sort())
    })
  ),
  define("files", "bytes that are handed over are nobody else's", ({ read, write }) =>
    Effect.gen(function* () {
      const given = bytesFrom(1, 100)
      yield* write("a", given)
      given.fill(9)
      const first = yield* read("a")
      yield* mustBytes("after the writer changed its array", first, bytesFrom(1, 100))
      first.fill(9)
      yield* mustBytes("after a reader changed its array", yield* read("a"), bytesFrom(1, 100))
    })
  ),
  define("files", "a view of an array is written, and not the array around it", ({ read, write }) =>
    Effect.gen(function* () {
      yield* write("a", bytesFrom(0, 1000).subarray(10, 20))
      yield* mustBytes("content", yield* read("a"), bytesFrom(70, 10))
    })
  )
]

const ranges: ReadonlyArray<Definition> = [
  define("files", "a range is that part of a file, as far as there is one", ({ read, write }) =>
    Effect.gen(function* () {
      const content = bytesFrom(5, 200_000)
      yield* write("a", content)
      const parts = [
        { offset: 3 },
        { length: 3 },
        { offset: 0, length: 0 },
        { offset: 199_990, length: 100 },
        { offset: 100_000, length: 70_000 },
        { offset: 200_000 },
        { offset: 200_001, length: 1 },
        { length: Number.MAX_SAFE_INTEGER }
      ]
      for (const { length = Number.MAX_SAFE_INTEGER, offset = 0, ...rest } of parts) {
        const wanted = content.slice(offset, offset + length)
        yield* mustBytes(`range ${offset}+${length}`, yield* read("a", { offset, length, ...rest }), wanted)
      }
      yield* mustBytes("from an offset on", yield* read("a", { offset: 199_999 }), content.slice(-1))
      yield* write("empty", "")
      yield* mustBytes("of nothing", yield* read("empty", { length: 10 }), new Uint8Array(0))
    })
  ),
  define("queries", "a range of numbers that are none is refused", ({ read, write }) =>
    Effect.gen(function* () {
      yield* write("a", "0123456789")
      for (const range of [{ offset: -1 }, { length: 1.5 }, { offset: Number.NaN }, { length: -1 }]) {
        yield* mustRefuse(JSON.stringify(range), read("a", range), "FILES_FAILED")
      }
    })
  )
]

const looking: ReadonlyArray<Definition> = [
  define("files", "a listing has the names of the children, in order, and no others", (bench) =>
    Effect.gen(function* () {
      const { list, mkdir, write } = bench
      yield* must("of an empty directory", yield* list(""), [])
      yield* mkdir("d/e", true)
      yield* mkdir("dd")
      for (const name of ["b", "a", "B", "\u{1f600}", "\uffee", ".x", "d/inner", "d/e/inner"]) {
        yield* write(name, "")
      }
      yield* must("of the top", yield* list(""), [".x", "B", "a", "b", "d", "dd", "\u{1f600}", "\uffee"])
      yield* must("of one below", yield* list("d"), ["e", "inner"])
    })
  ),
  define("files", "a directory is told from a file", ({ mkdir, stat, write }) =>
    Effect.gen(function* () {
      yield* mkdir("d")
      yield* write("d/f", "12345")
      const { kind, size } = yield* stat("d")
      yield* must("stat of a directory", [kind, size], ["directory", 0])
      yield* must("stat of a file", (yield* stat("d/f")).kind, "file")
    })
  ),
  define("files", "what is not there is not found, by any operation", (bench) =>
    Effect.gen(function* () {
      for (const name of ["none", "no/such/place"]) {
        yield* mustRefuse("read", bench.read(name), "NOT_FOUND")
        yield* mustRefuse("list", bench.list(name), "NOT_FOUND")
        yield* mustRefuse("stat", bench.stat(name), "NOT_FOUND")
        yield* mustRefuse("remove", bench.remove(name), "NOT_FOUND")
        yield* mustRefuse("remove with all below", bench.remove(name, true), "NOT_FOUND")
        yield* mustRefuse("search", bench.search(name, { pattern: "x" }), "NOT_FOUND")
      }
      yield* must("list", yield* bench.list(""), [])
    })
  ),
  define("files", "a file is not read as a directory, nor a directory as a file", (bench) =>
    Effect.gen(function* () {
      yield* bench.mkdir("d")
      yield* bench.write("f", "x")
      yield* mustRefuse("read of a directory", bench.read("d"), "NOT_A_FILE")
      yield* mustRefuse("list of a file", bench.list("f"), "NOT_A_DIRECTORY")
      // That there is nothing below a file is true as well.
      const below = ["NOT_A_DIRECTORY", "NOT_FOUND"]
      yield* mustRefuse("read below a file", bench.read("f/x"), below)
      yield* mustRefuse("stat below a file", bench.stat("f/x"), below)
      yield* mustRefuse("list below a file", bench.list("f/x/y"), below)
    })
  )
]

export const reading: ReadonlyArray<Definition> = [...contentsKept, ...ranges, ...looking]

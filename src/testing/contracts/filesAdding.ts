/** The cases about what is added to files, about files that must be new, and about listings that tell kinds. */
import { Effect } from "effect"
import { bytesFrom, code, contents, must, mustBytes, mustRefuse } from "./contract.js"
import { type Definition, define } from "./filesCase.js"

const appending: ReadonlyArray<Definition> = [
  define("files", "what is appended follows what was there, byte for byte", ({ append, list, read, write }) =>
    Effect.gen(function* () {
      yield* append("a", new Uint8Array(0))
      yield* mustBytes("an empty append makes the file", yield* read("a"), new Uint8Array(0))
      const [whole, given] = [contents.flatMap((one) => [...one]), bytesFrom(1, 100)]
      for (const one of contents) yield* append("a", one)
      yield* mustBytes("all of it", yield* read("a"), Uint8Array.from(whole))
      yield* write("b", "before ")
      yield* append("b", given.subarray(10, 20))
      given.fill(9)
      yield* mustBytes("after text", (yield* read("b")).subarray(7), bytesFrom(71, 10))
      yield* must("list", yield* list(""), ["a", "b"])
    })
  ),
  define("files", "two who append at once do not mix", ({ append, read }) =>
    Effect.gen(function* () {
      const [length, count] = [10_000, 40]
      yield* Effect.forEach(
        Array.from({ length: count }),
        (_, index) => append("a", new Uint8Array(length).fill(index)),
        { concurrency: "unbounded", discard: true }
      )
      const bytes = yield* read("a")
      const pieces = Array.from({ length: count }, (_, at) => bytes.subarray(at * length, (at + 1) * length))
      yield* must("size", bytes.length, length * count)
      yield* must("whole pieces", pieces.filter((one) => one.some((byte) => byte !== one[0])).length, 0)
      yield* must("each once", new Set(pieces.map((one) => one[0])).size, count)
    })
  ),
  define("files", "what cannot be appended to is refused, and changes nothing", (bench) =>
    Effect.gen(function* () {
      yield* bench.mkdir("d")
      yield* bench.write("d/f", "kept")
      for (const operation of [bench.append, bench.create]) {
        yield* mustRefuse("where nothing is above", operation("none/f", "x"), "NOT_FOUND")
        yield* mustRefuse("below a file", operation("d/f/x", "x"), "NOT_A_DIRECTORY")
      }
      yield* mustRefuse("a directory", bench.append("d", "x"), "NOT_A_FILE")
      yield* must("list", [yield* bench.list(""), yield* bench.text("d/f")], [["d"], "kept"])
    })
  ),
  define("limits", "more than one append takes is refused, and what was there stays", (bench) =>
    Effect.gen(function* () {
      const large = new Uint8Array(bench.limits.writeBytes + 1)
      yield* bench.write("a", "kept")
      yield* mustRefuse("append", bench.append("a", large), "LIMIT_EXCEEDED")
      yield* mustRefuse("create", bench.create("b", large), "LIMIT_EXCEEDED")
      yield* must("content", [yield* bench.list(""), yield* bench.text("a")], [["a"], "kept"])
    })
  )
]

const creating: ReadonlyArray<Definition> = [
  define("files", "a file is created where nothing is, and nowhere else", (bench) =>
    Effect.gen(function* () {
      yield* bench.create("a", "first")
      yield* mustRefuse("again", bench.create("a", "second"), "ALREADY_EXISTS")
      yield* bench.mkdir("d")
      yield* mustRefuse("where a directory is", bench.create("d", "x"), "ALREADY_EXISTS")
      yield* must("content", [yield* bench.list(""), yield* bench.text("a")], [["a", "d"], "first"])
      yield* bench.remove("a")
      yield* bench.create("a", "third")
      yield* must("after it was removed", yield* bench.text("a"), "third")
    })
  ),
  define("files", "of many who create the same file, one does, and it is whole", (bench) =>
    Effect.gen(function* () {
      const made = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => `${index}`.repeat(1000)),
        (content) => Effect.map(code(bench.create("a", content)), (answer) => ({ answer, content })),
        { concurrency: "unbounded" }
      )
      const winners = made.filter(({ answer }) => answer === "success")
      yield* must("winners", winners.length, 1)
      const others = new Set(made.map(({ answer }) => answer))
      yield* must("what the others hear", [...others].sort(), ["ALREADY_EXISTS", "success"])
      yield* must("whose it is", yield* bench.text("a"), winners[0]?.content)
      yield* must("list", yield* bench.list(""), ["a"])
    })
  ),
  define("links", "a link is something that is there, wherever it leads", (bench) =>
    Effect.gen(function* () {
      yield* bench.write("f", "kept")
      yield* bench.link("none", "dangling")
      yield* bench.link("f", "leading")
      for (const name of ["dangling", "leading"]) {
        yield* mustRefuse(name, bench.create(name, "x"), "ALREADY_EXISTS")
      }
      yield* must("what was made", yield* bench.list(""), ["dangling", "f", "leading"])
      yield* bench.append("leading", "!")
      yield* bench.append("dangling", "made")
      yield* must(
        "appended through links",
        [yield* bench.text("f"), yield* bench.text("none")],
        ["kept!", "made"]
      )
    })
  )
]

const telling: ReadonlyArray<Definition> = [
  define("files", "a listing with kinds has the same names in the same order", (bench) =>
    Effect.gen(function* () {
      yield* must("of an empty directory", yield* bench.kinds(""), [])
      yield* bench.mkdir("d/inner", true)
      for (const name of ["b", "B", ".x", "d/f"]) yield* bench.write(name, "")
      yield* must("of the top", yield* bench.kinds(""), [".x: file", "B: file", "b: file", "d: directory"])
      yield* must("of one below", yield* bench.kinds("d"), ["f: file", "inner: directory"])
      yield* mustRefuse("of a file", bench.kinds("b"), "NOT_A_DIRECTORY")
      yield* mustRefuse("of nothing", bench.kinds("none"), "NOT_FOUND")
    })
  ),
  define("files", "of what may not be read a listing tells the name alone, and nobody hears of it", (bench) =>
    Effect.gen(function* () {
      yield* bench.mkdir("shut")
      yield* bench.write("open", "")
      const narrow = bench.holding({ read: ["", "open"] })
      yield* must("kinds", yield* narrow.kinds(""), ["open: file", "shut: unreachable"])
      yield* must("refusals heard", narrow.heard().length, 0)
    })
  ),
  define(
    "links",
    "a link that leads out of reach does not fail a listing, and is told from one that does not",
    (bench) =>
      Effect.gen(function* () {
        for (const name of ["in", "out"]) yield* bench.mkdir(name)
        yield* bench.write("in/f", "")
        yield* bench.write("out/f", "")
        const links = {
          a: "f",
          b: "none",
          c: "../out/f",
          d: "../out",
          e: bench.path("out/none"),
          g: "../in/c"
        }
        for (const [name, target] of Object.entries(links)) yield* bench.link(target, `in/${name}`)
        yield* bench.link("h", "in/h")
        const inside = bench.holding({ read: ["in/"] })
        yield* must("kinds", yield* inside.kinds("in"), [
          "a: link",
          "b: link",
          "c: unreachable",
          "d: unreachable",
          "e: unreachable",
          "f: file",
          "g: unreachable",
          "h: unreachable"
        ])
        yield* must("refusals heard", inside.heard().length, 0)
      })
  ),
  define("links", "nothing is appended or created through a link that leads out of reach", (bench) =>
    Effect.gen(function* () {
      for (const name of ["in", "out"]) yield* bench.mkdir(name)
      yield* bench.write("out/f", "kept")
      yield* bench.link("../out/f", "in/file")
      yield* bench.link("../out/made", "in/missing")
      yield* bench.link("../out", "in/directory")
      const inside = bench.holding({ write: ["in/"] })
      for (const name of ["in/file", "in/missing", "in/directory/f", "in/directory/made"]) {
        yield* mustRefuse(`append to ${name}`, inside.append(name, "x"), "PATH_NOT_REACHABLE")
      }
      yield* mustRefuse("create", inside.create("in/directory/made", "x"), "PATH_NOT_REACHABLE")
      yield* must("what is outside", [yield* bench.list("out"), yield* bench.text("out/f")], [["f"], "kept"])
    })
  )
]

export const adding: ReadonlyArray<Definition> = [...appending, ...creating, ...telling]

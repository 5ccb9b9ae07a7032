/** The cases about what is moved: to move is to delete here, to write there, and to read where that can be read. */
import { Effect } from "effect"
import { FilesError } from "../../capabilities/files/FilesOperations.js"
import { code, must, mustRefuse } from "./contract.js"
import { type Bench, type Definition, define } from "./filesCase.js"

const tree = (bench: Bench) =>
  Effect.gen(function* () {
    yield* bench.mkdir("d/e", true)
    for (const name of ["d/f", "d/e/g", "dd", "f"]) yield* bench.write(name, name)
  })

const names: ReadonlyArray<Definition> = [
  define("files", "what is moved is there under its new name, and not under the old one", (bench) =>
    Effect.gen(function* () {
      yield* tree(bench)
      yield* bench.rename("f", "g")
      yield* bench.rename("g", "d/e/h")
      yield* bench.rename("d", "moved")
      yield* must("list", yield* bench.list(""), ["dd", "moved"])
      yield* must("below", yield* bench.list("moved/e"), ["g", "h"])
      const texts = yield* Effect.forEach(["moved/f", "moved/e/g", "moved/e/h", "dd"], bench.text)
      yield* must("contents", texts, ["d/f", "d/e/g", "f", "dd"])
      yield* bench.rename("dd", "dd")
      yield* must("to where it is", yield* bench.text("dd"), "dd")
    })
  ),
  define("files", "a file takes the place of a file where that is asked for, and of nothing else", (bench) =>
    Effect.gen(function* () {
      yield* tree(bench)
      yield* mustRefuse("not asked for", bench.rename("f", "dd", { replace: false }), "ALREADY_EXISTS")
      yield* must("both are there", [yield* bench.text("f"), yield* bench.text("dd")], ["f", "dd"])
      yield* mustRefuse("a directory", bench.rename("f", "d"), ["NOT_A_FILE", "ALREADY_EXISTS"])
      yield* bench.mkdir("empty")
      yield* mustRefuse("an empty directory", bench.rename("d", "empty"), "ALREADY_EXISTS")
      yield* mustRefuse("a file by a directory", bench.rename("d", "f"), "ALREADY_EXISTS")
      yield* bench.rename("f", "dd")
      yield* bench.rename("dd", "new", { replace: false })
      yield* must("list", [yield* bench.list(""), yield* bench.text("new")], [["d", "empty", "new"], "f"])
    })
  ),
  define("files", "what cannot be moved is refused, and changes nothing", (bench) =>
    Effect.gen(function* () {
      yield* tree(bench)
      yield* mustRefuse("nothing", bench.rename("none", "x"), "NOT_FOUND")
      yield* mustRefuse("to where nothing is above", bench.rename("f", "none/x"), "NOT_FOUND")
      yield* mustRefuse("below a file", bench.rename("f", "dd/x"), "NOT_A_DIRECTORY")
      yield* mustRefuse("into itself", bench.rename("d", "d/e/d"), "FILES_FAILED")
      yield* must("list", yield* bench.list(""), ["d", "dd", "f"])
      yield* must("below", [yield* bench.list("d"), yield* bench.list("d/e")], [["e", "f"], ["g"]])
    })
  ),
  define("files", "of many who move to the same new name, one does", (bench) =>
    Effect.gen(function* () {
      const all = Array.from({ length: 12 }, (_, index) => `f${index}`)
      for (const name of all) yield* bench.write(name, name)
      const answers = yield* Effect.forEach(
        all,
        (name) => code(bench.rename(name, "new", { replace: false })),
        { concurrency: "unbounded" }
      )
      yield* must("winners", answers.filter((answer) => answer === "success").length, 1)
      yield* must("the others are where they were", (yield* bench.list("")).length, all.length)
      const winner = all[answers.indexOf("success")]
      yield* must("whose it is", yield* bench.text("new"), winner)
    })
  ),
  define("files", "of many who move the same file, one does", (bench) =>
    Effect.gen(function* () {
      yield* bench.write("f", "f")
      const answers = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, index) => `g${index}`),
        (name) => code(bench.rename("f", name)),
        { concurrency: "unbounded" }
      )
      yield* must("answers", [...answers].sort(), [...Array(11).fill("NOT_FOUND"), "success"])
      yield* must("list", (yield* bench.list("")).length, 1)
    })
  )
]

const authority: ReadonlyArray<Definition> = [
  define("files", "what may not be read is not moved to where it may be", (bench) =>
    Effect.gen(function* () {
      for (const name of ["shut", "open"]) yield* bench.mkdir(name)
      for (const name of ["shut/f", "shut/g"]) yield* bench.write(name, "kept")
      const both = { write: ["shut/", "open/"], delete: ["shut/", "open/"] }
      const reader = bench.holding({ ...both, read: ["open/"] })
      yield* mustRefuse("to read it there", reader.rename("shut/f", "open/f"), "PATH_NOT_REACHABLE")
      yield* must(
        "it is where it was",
        [yield* bench.list("open"), yield* bench.text("shut/f")],
        [[], "kept"]
      )
      const blind = bench.holding(both)
      yield* blind.rename("shut/f", "open/f")
      yield* reader.rename("open/f", "shut/f")
      yield* bench.holding({ ...both, read: ["shut/", "open/"] }).rename("shut/g", "open/g")
      yield* must("at the end", [yield* bench.list("open"), yield* bench.list("shut")], [["g"], ["f"]])
    })
  ),
  define("files", "a directory is moved where each part of it may be, at both ends", (bench) =>
    Effect.gen(function* () {
      yield* bench.mkdir("d/e", true)
      for (const name of ["d/f", "d/e/g"]) yield* bench.write(name, "kept")
      const all = ["d/", "to/"]
      const refused = (held: Parameters<Bench["holding"]>[0]) =>
        mustRefuse(JSON.stringify(held), bench.holding(held).rename("d", "to"), "PATH_NOT_REACHABLE")
      yield* refused({ write: all, delete: ["d", "d/f", "d/e"] })
      yield* refused({ write: ["to", "to/f", "to/e"], delete: all })
      yield* refused({ write: all, delete: all, read: ["d", "d/f", "d/e", "to/"] })
      yield* must("nothing moved", [yield* bench.list(""), yield* bench.text("d/e/g")], [["d"], "kept"])
      yield* bench.holding({ write: all, delete: all }).rename("d", "to")
      yield* must("moved", [yield* bench.list(""), yield* bench.text("to/e/g")], [["to"], "kept"])
    })
  ),
  define("files", "what is asked before a directory is moved is asked of directories alone", (bench) =>
    Effect.gen(function* () {
      yield* tree(bench)
      const asked: Array<string> = []
      const directory = (from: string, to: string) => {
        asked.push(from, to)
        return new FilesError({ code: "PATH_NOT_REACHABLE", detail: "not all of it" })
      }
      yield* bench.rename("f", "g", { directory })
      yield* mustRefuse("a directory", bench.rename("d", "e", { directory }), "PATH_NOT_REACHABLE")
      yield* must("list", yield* bench.list(""), ["d", "dd", "g"])
      yield* must("what was asked", asked, [bench.path("d"), bench.path("e")])
    })
  )
]

const links: ReadonlyArray<Definition> = [
  define("links", "a link is moved only together with what it leads to", (bench) =>
    Effect.gen(function* () {
      yield* bench.mkdir("d/e", true)
      yield* bench.write("d/f", "kept")
      yield* bench.link("../f", "d/e/l")
      yield* bench.link("d/f", "l")
      yield* mustRefuse("a link", bench.rename("l", "m"), "NOT_A_FILE")
      yield* bench.rename("d", "to")
      yield* must("what it leads to", yield* bench.text("to/e/l"), "kept")
      yield* bench.link("../../l", "to/e/out")
      yield* mustRefuse("one that leads out", bench.rename("to", "d"), "NOT_A_FILE")
      yield* bench.remove("to/e/out")
      yield* bench.link(bench.path("to/f"), "to/absolute")
      yield* mustRefuse("one that names its place", bench.rename("to", "d"), "NOT_A_FILE")
      yield* must("list", yield* bench.list(""), ["l", "to"])
    })
  ),
  define(
    "links",
    "nothing is moved through a link that leads out of reach, from there or to there",
    (bench) =>
      Effect.gen(function* () {
        for (const name of ["in", "out"]) yield* bench.mkdir(name)
        for (const name of ["in/f", "out/f"]) yield* bench.write(name, name)
        yield* bench.link("../out", "in/directory")
        yield* bench.link("../out/f", "in/file")
        const inside = bench.holding({ read: ["in/"], write: ["in/"], delete: ["in/"] })
        yield* mustRefuse("from there", inside.rename("in/directory/f", "in/g"), "PATH_NOT_REACHABLE")
        yield* mustRefuse("to there", inside.rename("in/f", "in/directory/g"), "PATH_NOT_REACHABLE")
        yield* mustRefuse("onto what is there", inside.rename("in/f", "in/directory/f"), "PATH_NOT_REACHABLE")
        yield* inside.rename("in/f", "in/file")
        yield* must("the link is replaced itself", yield* bench.text("in/file"), "in/f")
        yield* must(
          "what is outside",
          [yield* bench.list("out"), yield* bench.text("out/f")],
          [["f"], "out/f"]
        )
      })
  ),
  define("links", "a link on the way to what is permitted is followed", (bench) =>
    Effect.gen(function* () {
      for (const name of ["a", "b"]) yield* bench.mkdir(name)
      yield* bench.write("a/f", "kept")
      yield* bench.link("a", "la")
      yield* bench.link("b", "lb")
      yield* bench.rename("la/f", "lb/g")
      yield* must("moved", [yield* bench.list("a"), yield* bench.text("b/g")], [[], "kept"])
    })
  )
]

export const moving: ReadonlyArray<Definition> = [...names, ...authority, ...links]

/** The cases about what is written, made and removed. */
import { Effect } from "effect"
import { must, mustRefuse } from "./contract.js"
import { type Definition, define } from "./filesCase.js"

const SECRET = "hunter2"

const writing: ReadonlyArray<Definition> = [
  define("files", "a write takes the place of all that was there", ({ list, text, write }) =>
    Effect.gen(function* () {
      for (const content of ["a long first version", "short", ""]) {
        yield* write("a", content)
        yield* must("content", yield* text("a"), content)
      }
      yield* must("list", yield* list(""), ["a"])
    })
  ),
  define("files", "what cannot be written is refused, changes nothing and is not repeated", (bench) =>
    Effect.gen(function* () {
      yield* bench.mkdir("d")
      yield* bench.write("d/f", "kept")
      const refused = (name: string, code: string) =>
        mustRefuse(`write to ${name}`, bench.write(name, SECRET), code, [SECRET])
      yield* refused("d", "NOT_A_FILE")
      yield* refused("none/f", "NOT_FOUND")
      yield* refused("d/f/x", "NOT_A_DIRECTORY")
      yield* must("list", yield* bench.list(""), ["d"])
      yield* must("list of the directory", yield* bench.list("d"), ["f"])
      yield* must("content", yield* bench.text("d/f"), "kept")
    })
  )
]

const making: ReadonlyArray<Definition> = [
  define("files", "a directory is made once, in one that is there", (bench) =>
    Effect.gen(function* () {
      yield* bench.mkdir("d")
      yield* bench.write("f", "x")
      yield* mustRefuse("again", bench.mkdir("d"), "ALREADY_EXISTS")
      yield* mustRefuse("where a file is", bench.mkdir("f"), "ALREADY_EXISTS")
      yield* mustRefuse("where nothing is above", bench.mkdir("none/d"), "NOT_FOUND")
      yield* mustRefuse("below a file", bench.mkdir("f/d"), "NOT_A_DIRECTORY")
      yield* must("list", yield* bench.list(""), ["d", "f"])
    })
  ),
  define("files", "a directory is made with those that are missing above it", (bench) =>
    Effect.gen(function* () {
      yield* bench.mkdir("a/b/c", true)
      yield* bench.mkdir("a/b/c", true)
      yield* bench.mkdir("a/b/d", true)
      yield* must("list", yield* bench.list("a/b"), ["c", "d"])
      yield* bench.write("a/f", "kept")
      yield* mustRefuse("where a file is", bench.mkdir("a/f", true), "ALREADY_EXISTS")
      yield* must("the file", yield* bench.text("a/f"), "kept")
    })
  ),
  define("files", "no directory is made below a file, however deep", (bench) =>
    Effect.gen(function* () {
      yield* bench.write("f", "kept")
      yield* mustRefuse("below", bench.mkdir("f/d", true), "NOT_A_DIRECTORY")
      yield* mustRefuse("deep below", bench.mkdir("f/d/e", true), "NOT_A_DIRECTORY")
      yield* must("the file", yield* bench.text("f"), "kept")
    })
  ),
  define("files", "a directory that is made on the way needs a permit of its own", (bench) =>
    Effect.gen(function* () {
      const narrow = bench.holding({ write: ["a/b/"] })
      yield* mustRefuse("where one is missing", narrow.mkdir("a/b/c", true), "PATH_NOT_REACHABLE")
      yield* must("list", yield* bench.list(""), [])
      yield* must("refusals heard", narrow.heard().length, 1)
      yield* bench.mkdir("a")
      yield* narrow.mkdir("a/b/c", true)
      yield* must("list", yield* bench.list("a/b"), ["c"])
    })
  )
]

const removing: ReadonlyArray<Definition> = [
  define("files", "what is removed is gone, and what is beside it stays", (bench) =>
    Effect.gen(function* () {
      yield* bench.mkdir("d/e", true)
      for (const name of ["d.txt", "dd", "d/f", "d/e/f"]) yield* bench.write(name, "x")
      yield* bench.remove("d/f")
      yield* mustRefuse("a directory that is not empty", bench.remove("d"), "FILES_FAILED")
      yield* must("what is in it", yield* bench.list("d/e"), ["f"])
      yield* bench.remove("d", true)
      yield* must("list", yield* bench.list(""), ["d.txt", "dd"])
      yield* bench.mkdir("empty")
      yield* bench.remove("empty")
      yield* bench.remove("d.txt", true)
      yield* must("list at the end", yield* bench.list(""), ["dd"])
    })
  ),
  define("files", "a directory that holds what may not be deleted stays whole", (bench) =>
    Effect.gen(function* () {
      yield* bench.mkdir("d/shut", true)
      for (const name of ["d/open", "d/shut/f"]) yield* bench.write(name, "kept")
      const narrow = bench.holding({ delete: ["d", "d/open"] })
      yield* mustRefuse("remove", narrow.remove("d", true), "PATH_NOT_REACHABLE")
      yield* must("what is permitted", yield* bench.text("d/open"), "kept")
      yield* must("what is not", yield* bench.text("d/shut/f"), "kept")
      yield* must("refusals heard", narrow.heard().length, 1)
    })
  )
]

const limits: ReadonlyArray<Definition> = [
  define("limits", "more than one read gives is refused whole, and given in parts", (bench) =>
    Effect.gen(function* () {
      const { readBytes } = bench.limits
      yield* bench.write("large", new Uint8Array(readBytes + 1))
      yield* bench.write("fits", new Uint8Array(readBytes))
      yield* mustRefuse("read", bench.read("large"), "LIMIT_EXCEEDED")
      const whole = { length: readBytes + 1 }
      yield* mustRefuse("read of that many", bench.read("large", whole), "LIMIT_EXCEEDED")
      yield* must("the first part", (yield* bench.read("large", { length: readBytes })).length, readBytes)
      yield* must("the rest", (yield* bench.read("large", { offset: readBytes })).length, 1)
      yield* must("what just fits", (yield* bench.read("fits")).length, readBytes)
    })
  ),
  define("limits", "more than one write takes is refused, and the old content stays", (bench) =>
    Effect.gen(function* () {
      const { writeBytes } = bench.limits
      yield* bench.write("a", "kept")
      const large = new Uint8Array(writeBytes + 1)
      yield* mustRefuse("write", bench.write("a", large), "LIMIT_EXCEEDED")
      yield* must("content", yield* bench.text("a"), "kept")
      yield* must("list", yield* bench.list(""), ["a"])
      yield* bench.write("a", large.subarray(1))
      yield* must("what just fits", (yield* bench.stat("a")).size, writeBytes)
    })
  )
]

export const changing: ReadonlyArray<Definition> = [...writing, ...making, ...removing, ...limits]

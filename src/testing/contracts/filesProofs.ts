/** The cases about proofs and links: what is touched is what was permitted, and nothing that it leads to. */
import { Effect } from "effect"
import type { FilesError } from "../../capabilities/files/FilesOperations.js"
import * as Request from "../../policy/lattice/Request.js"
import { must, mustRefuse, utf8 } from "./contract.js"
import { type Bench, type Definition, define } from "./filesCase.js"
import { mustTakeOwnProofsOnly, permitsFor } from "./permits.js"

const SECRET = "hunter2"

const proofs: ReadonlyArray<Definition> = [
  define("files", "a proof for another backend, or what only looks like one, is not taken", (bench) =>
    Effect.gen(function* () {
      const { backend } = bench
      yield* bench.write("kept", "kept")
      const [reading, writing] = [yield* bench.proof("read", "kept"), yield* bench.proof("write", "kept")]
      yield* mustTakeOwnProofsOnly("readBytes", reading, (proof) => backend.readBytes(proof, {}))
      yield* mustTakeOwnProofsOnly("entries of a directory", yield* bench.proof("read", ""), backend.entries)
      yield* mustTakeOwnProofsOnly("appendBytes", writing, (proof) =>
        backend.appendBytes(proof, utf8("other"))
      )
      const missing = yield* bench.proof("write", "made")
      yield* mustTakeOwnProofsOnly("createBytes", missing, (proof) => backend.createBytes(proof, utf8("x")))
      const moving = { replace: true, directory: () => Effect.void }
      const removing = yield* bench.proof("delete", "kept")
      yield* mustTakeOwnProofsOnly("rename from", removing, (from) =>
        backend.rename({ from, to: missing }, moving)
      )
      yield* mustTakeOwnProofsOnly("rename to", missing, (to) =>
        backend.rename({ from: removing, to }, moving)
      )
      yield* mustTakeOwnProofsOnly("stat", reading, backend.stat)
      yield* mustTakeOwnProofsOnly("search", reading, (proof) => backend.search(proof, { pattern: "." }))
      yield* mustTakeOwnProofsOnly("writeBytes", writing, (proof) => backend.writeBytes(proof, utf8("other")))
      yield* mustTakeOwnProofsOnly("remove", removing, (proof) => backend.remove(proof, { recursive: false }))
      yield* must("text", yield* bench.text("kept"), "kept")
    })
  ),
  define("files", "the path is that of the proof, whatever else is given", (bench) =>
    Effect.gen(function* () {
      yield* bench.write("asked", "asked")
      yield* bench.write("other", SECRET)
      const proof = yield* bench.proof("read", "asked")
      // An object from elsewhere may hold more than its type says.
      const more = { path: bench.path("other") }
      const read = yield* bench.backend.readBytes(proof, { ...more, offset: 0 })
      yield* must("bytes", [...read], [...utf8("asked")])
      const query = { ...more, pattern: "." }
      const { matches } = yield* bench.backend.search(proof, query)
      yield* must("search", matches, [{ path: bench.path("asked"), line: 1, text: "asked" }])
      const [writing, removing] = [yield* bench.proof("write", "made"), yield* bench.proof("delete", "made")]
      const options = { ...more, recursive: true }
      yield* bench.backend.mkdir(writing, options)
      yield* bench.backend.remove(removing, options)
      yield* must("list", yield* bench.list(""), ["asked", "other"])
    })
  ),
  define("files", "an operation takes the proof of its own verb, and no other", (bench) =>
    Effect.gen(function* () {
      yield* bench.mkdir("d")
      yield* bench.write("d/f", "kept")
      const { backend } = bench
      const refused = (expected: string, operation: Effect.Effect<unknown, FilesError>) =>
        mustRefuse(expected, operation, "PATH_NOT_REACHABLE")
      for (const verb of ["read", "write", "delete"] as const) {
        const [file, directory] = [yield* bench.proof(verb, "d/f"), yield* bench.proof(verb, "d")]
        if (verb !== "write") {
          yield* refused(`writeBytes by ${verb}`, backend.writeBytes(file, utf8("new")))
          yield* refused(`appendBytes by ${verb}`, backend.appendBytes(file, utf8("new")))
          yield* refused(`createBytes by ${verb}`, backend.createBytes(file, utf8("new")))
          yield* refused(`mkdir by ${verb}`, backend.mkdir(directory, { recursive: true }))
        }
        if (verb !== "read") {
          yield* refused(`readBytes by ${verb}`, backend.readBytes(file, {}))
          yield* refused(`stat by ${verb}`, backend.stat(file))
          yield* refused(`list by ${verb}`, backend.list(directory))
          yield* refused(`entries by ${verb}`, backend.entries(directory))
          yield* refused(`search by ${verb}`, backend.search(directory, { pattern: "." }))
        }
        if (verb !== "delete") {
          yield* refused(`remove by ${verb}`, backend.remove(directory, { recursive: true }))
        }
        const [to, from] = [yield* bench.proof("write", "new"), yield* bench.proof("delete", "d/f")]
        const moving = { replace: true, directory: () => Effect.void }
        if (verb !== "delete")
          yield* refused(`rename from by ${verb}`, backend.rename({ from: file, to }, moving))
        if (verb !== "write")
          yield* refused(`rename to by ${verb}`, backend.rename({ from, to: file }, moving))
      }
      yield* must("the file", yield* bench.text("d/f"), "kept")
    })
  ),
  define("files", "a proof of something else opens no file", ({ backend }) =>
    Effect.gen(function* () {
      const session = { storage: { use: ["session"] } }
      const proof = yield* permitsFor(backend).ask(session, Request.storage("session"))
      yield* mustRefuse("list", backend.list(proof), "PATH_NOT_REACHABLE")
      yield* mustRefuse("stat", backend.stat(proof), "PATH_NOT_REACHABLE")
    })
  )
]

/** A directory that may be used beside one that may not. */
const apart = (bench: Bench) =>
  Effect.gen(function* () {
    for (const name of ["in", "out"]) yield* bench.mkdir(name)
    yield* bench.write("in/f", "inside")
    yield* bench.write("out/f", SECRET)
    return bench.holding({ read: ["in/"], write: ["in/"], delete: ["in/"] })
  })

const links: ReadonlyArray<Definition> = [
  define("links", "a link to what is permitted is followed", (bench) =>
    Effect.gen(function* () {
      const inside = yield* apart(bench)
      yield* bench.mkdir("in/d")
      yield* bench.link(bench.path("in/f"), "in/file")
      yield* bench.link("d", "in/directory")
      yield* bench.link("made", "in/nowhere")
      yield* must("read", yield* inside.text("in/file"), "inside")
      yield* inside.write("in/file", "changed")
      yield* must("what it leads to", yield* bench.text("in/f"), "changed")
      yield* inside.write("in/directory/new", "x")
      yield* must("list", yield* inside.list("in/directory"), ["new"])
      yield* must("stat", (yield* inside.stat("in/directory")).kind, "directory")
      yield* inside.write("in/nowhere", "made")
      yield* must("what was made", yield* bench.text("in/made"), "made")
      yield* inside.mkdir("in/directory/more/below", true)
      yield* must("directories", yield* bench.list("in/d"), ["more", "new"])
    })
  ),
  define("links", "a link to what is not permitted leads nowhere, at the end or on the way", (bench) =>
    Effect.gen(function* () {
      const inside = yield* apart(bench)
      yield* bench.link(bench.path("out/f"), "in/file")
      yield* bench.link("../out", "in/directory")
      yield* bench.link("../out/none", "in/missing")
      const refused = (operation: Effect.Effect<unknown, FilesError>) =>
        mustRefuse("a link out", operation, "PATH_NOT_REACHABLE", [SECRET, bench.path("out")])
      for (const name of ["in/file", "in/directory/f", "in/missing", "in/directory/none"]) {
        yield* refused(inside.read(name))
        yield* refused(inside.stat(name))
        yield* refused(inside.search(name, { pattern: "." }))
        yield* refused(inside.write(name, "changed"))
        yield* refused(inside.mkdir(`${name}/x`, true))
      }
      yield* refused(inside.list("in/directory"))
      yield* refused(inside.remove("in/directory/f"))
      yield* must("what is outside", [yield* bench.list("out"), yield* bench.text("out/f")], [["f"], SECRET])
    })
  ),
  define("links", "a link out says the same whether it leads to something or not", (bench) =>
    Effect.gen(function* () {
      const inside = yield* apart(bench)
      yield* bench.link(bench.path("out/f"), "in/a1")
      yield* bench.link(bench.path("out/none"), "in/a2")
      const said = (name: string) =>
        Effect.map(Effect.flip(inside.read(name)), (error) => error.message.replaceAll(name, "NAME"))
      yield* must("messages", yield* Effect.orDie(said("in/a1")), yield* Effect.orDie(said("in/a2")))
    })
  ),
  define(
    "links",
    "where a link leads is asked with the verb of the operation, and a refusal is heard once",
    (bench) =>
      Effect.gen(function* () {
        yield* apart(bench)
        yield* bench.link(bench.path("out/f"), "in/file")
        const reader = bench.holding({ read: ["in/", "out/"], write: ["in/"] })
        yield* must("read", yield* reader.text("in/file"), SECRET)
        yield* must("heard of the read", reader.heard().length, 0)
        yield* mustRefuse("write", reader.write("in/file", "changed"), "PATH_NOT_REACHABLE")
        yield* must("heard of the write", reader.heard().length, 1)
        yield* must("what it leads to", yield* bench.text("out/f"), SECRET)
      })
  ),
  define("links", "a link is removed, and not what it leads to", (bench) =>
    Effect.gen(function* () {
      const inside = yield* apart(bench)
      yield* bench.mkdir("in/d")
      yield* bench.link(bench.path("out"), "in/directory")
      yield* bench.link(bench.path("out/f"), "in/d/file")
      yield* inside.remove("in/directory")
      yield* inside.remove("in/d", true)
      yield* must("what is inside", yield* bench.list("in"), ["f"])
      yield* must("what is outside", yield* bench.text("out/f"), SECRET)
    })
  ),
  define("links", "a search does not follow links", (bench) =>
    Effect.gen(function* () {
      const inside = yield* apart(bench)
      yield* bench.link(bench.path("out"), "in/directory")
      yield* bench.link(bench.path("out/f"), "in/file")
      const { matches } = yield* inside.search("in", { pattern: "." })
      yield* must("matches", matches, [{ path: bench.path("in/f"), line: 1, text: "inside" }])
    })
  ),
  define("links", "a loop of links is refused", (bench) =>
    Effect.gen(function* () {
      yield* bench.link("b", "a")
      yield* bench.link("a", "b")
      yield* mustRefuse("read", bench.read("a"), "PATH_NOT_REACHABLE")
      yield* mustRefuse("write", bench.write("a/x", "x"), "PATH_NOT_REACHABLE")
      yield* mustRefuse("list", bench.list("b"), "PATH_NOT_REACHABLE")
    })
  )
]

export const permitted: ReadonlyArray<Definition> = [...proofs, ...links]

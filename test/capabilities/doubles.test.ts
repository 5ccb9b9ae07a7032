import { describe, expect, it } from "@effect/vitest"
import { Cause, Chunk, Effect, Exit, Redacted, Stream } from "effect"
import { Agents } from "../../src/capabilities/agents/Agents.js"
import { Attachments } from "../../src/capabilities/attachments/Attachments.js"
import type { Attachment } from "../../src/capabilities/attachments/AttachmentsOperations.js"
import { Files } from "../../src/capabilities/files/Files.js"
import { Process } from "../../src/capabilities/process/Process.js"
import { Records } from "../../src/capabilities/records/Records.js"
import { Secrets } from "../../src/capabilities/secrets/Secrets.js"
import { Storage } from "../../src/capabilities/storage/Storage.js"

describe("Secrets.mock", () => {
  it.effect("answers with values that do not print", () =>
    Effect.gen(function* () {
      const value = yield* Secrets.get("K")
      expect(Redacted.value(value)).toBe("v")
      expect(String(value)).toBe("<redacted>")
      const missing = yield* Effect.flip(Secrets.get("toString"))
      expect(missing.message).toBe("SECRET_NOT_FOUND: the mock holds no secret toString")
    }).pipe(Effect.provide(Secrets.mock({ K: "v" })))
  )
})

describe("Process.mock", () => {
  it.effect("answers with text, a result or an effect", () =>
    Effect.gen(function* () {
      expect(yield* Process.spawn("git", ["status"])).toEqual({
        exitCode: 0,
        signal: null,
        stdout: "git status",
        stderr: "",
        truncated: false
      })
      expect((yield* Process.shell("exit 3")).exitCode).toBe(3)
      const events = yield* Stream.runCollect(Process.stream("rg", ["x"], { stdin: "in" }))
      expect(Chunk.toReadonlyArray(events).map(({ _tag }) => _tag)).toEqual(["Stdout", "Stderr", "Exit"])
    }).pipe(
      Effect.provide(
        Process.mock((binary, args, options) => {
          if (binary === "git") return `git ${args.join(" ")}`
          if (binary === "sh") return { exitCode: 3 }
          return Effect.succeed({ stdout: new TextDecoder().decode(options.stdin as Uint8Array) })
        })
      )
    )
  )
})

describe("Attachments.mock", () => {
  const mock = Attachments.mock([
    { type: "image", filename: "a.png" },
    { type: "file", content: "text", path: "/cache/b.txt" }
  ])

  it.effect("lists by kind, opens and reads", () =>
    Effect.gen(function* () {
      expect((yield* Attachments.list()).map(({ ref }) => ref)).toEqual(["att-0", "att-1"])
      const [image] = yield* Attachments.list("image")
      expect(image?.filename).toBe("a.png")
      expect(yield* Attachments.open(image as Attachment)).toBe("/attachments/att-0")
      expect(yield* Attachments.openByRef("att-1")).toBe("/cache/b.txt")
      expect(yield* Attachments.read("att-1")).toEqual(new TextEncoder().encode("text"))
      expect((yield* Effect.flip(Attachments.openByRef("/etc/passwd"))).code).toBe("ATTACHMENT_NOT_FOUND")
    }).pipe(Effect.provide(mock))
  )

  it.effect("refuses an attachment that is not the turn's own", () =>
    Effect.gen(function* () {
      const [image] = yield* Attachments.list("image")
      const forged = { ...(image as Attachment), url: "file:///etc/passwd" }
      expect((yield* Effect.flip(Attachments.open(forged))).code).toBe("ATTACHMENT_MISMATCH")
    }).pipe(Effect.provide(mock))
  )

  it.effect("reads them as files, beside what an outer Files reaches", () =>
    Effect.gen(function* () {
      const read = (path: string) => Files.read(path)
      expect(yield* read("/cache/b.txt").pipe(Effect.provide(mock))).toBe("text")
      const both = Effect.all([read("/cache/b.txt"), read("/data/c")])
      const outer = Files.mock({ "/data/c": "c" })
      expect(yield* both.pipe(Effect.provide(mock), Effect.provide(outer))).toEqual(["text", "c"])
    })
  )
})

describe("Records.mock", () => {
  it.effect("searches, lists, links and changes", () =>
    Effect.gen(function* () {
      expect((yield* Records.search({ query: "rain" })).map(({ id }) => id)).toEqual(["a"])
      expect((yield* Records.search({ query: "rain", limit: 1 })).length).toBe(1)
      expect((yield* Records.list({ class: "note" })).map(({ id }) => id)).toEqual(["a"])
      expect(yield* Records.list({ tag: "x" })).toEqual([{ id: "a", class: "note", title: "Weather" }])
      expect(yield* Records.links("a")).toEqual(["b"])
      expect(yield* Records.backlinks("b")).toEqual(["a"])
      const made = yield* Records.create({ id: "c", body: "new" })
      expect((yield* Effect.flip(Records.create({ id: "c" }))).code).toBe("RECORD_EXISTS")
      const changed = yield* Records.update({ id: "c", body: "newer", revision: made.revision })
      expect(changed.body).toBe("newer")
      const late = yield* Effect.flip(Records.update({ id: "c", body: "lost", revision: made.revision }))
      expect(late.code).toBe("RECORD_CHANGED")
      yield* Records.delete("c")
      expect((yield* Effect.flip(Records.get("c"))).code).toBe("RECORD_NOT_FOUND")
    }).pipe(
      Effect.provide(
        Records.mock([
          {
            id: "a",
            class: "note",
            frontMatter: { title: "Weather", tags: ["x"] },
            body: "rain, see [[b|there]]"
          },
          { id: "b" }
        ])
      )
    )
  )
})

describe("Agents.mock", () => {
  it.effect("makes, changes, grants and deletes", () =>
    Effect.gen(function* () {
      yield* Agents.create({ id: "b", body: "hello" })
      expect((yield* Effect.flip(Agents.create({ id: "b" }))).code).toBe("AGENT_EXISTS")
      expect((yield* Agents.update({ id: "b", body: "bye" })).body).toBe("bye")
      const granted = yield* Agents.grant({ agent: "a", grants: ["net.get", "records.read"] })
      expect(granted.grants).toEqual(["records.read", "net.get"])
      yield* Agents.delete("b")
      expect((yield* Effect.flip(Agents.update({ id: "b" }))).code).toBe("AGENT_NOT_FOUND")
    }).pipe(Effect.provide(Agents.mock([{ id: "a", grants: ["records.read"] }])))
  )
})

describe("layerTest", () => {
  const sentence = (method: string) => `${method} was called, but the layerTest in use does not implement it`
  const died = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.map(Effect.exit(effect), (exit) =>
      Exit.isFailure(exit) ? Cause.pretty(exit.cause).split("\n")[0] : "nothing"
    )

  it.effect("gives what it is given, and what it lacks dies with a sentence that names it", () =>
    Effect.gen(function* () {
      expect(
        yield* Effect.provide(Process.shell("true"), Process.layerTest({ shell: () => Effect.succeed(done) }))
      ).toBe(done)
      const lacking = [
        died(Effect.provide(Process.spawn("git", []), Process.layerTest({}))),
        died(Effect.provide(Attachments.list(), Attachments.layerTest({}))),
        died(Effect.provide(Records.get("a"), Records.layerTest({}))),
        died(Effect.provide(Agents.delete("a"), Agents.layerTest({}))),
        died(Effect.provide(Storage.get("k"), Storage.layerTest({}))),
        died(Effect.provide(Stream.runCount(Process.stream("git", [])), Process.layerTest({})))
      ]
      expect(yield* Effect.all(lacking)).toEqual(
        [
          "Process.spawn",
          "Attachments.list",
          "Records.get",
          "Agents.delete",
          "Storage.get",
          "Process.stream"
        ].map((method) => `RuntimeException: ${sentence(method)}`)
      )
    })
  )

  const done = { exitCode: 0, signal: null, stdout: "", stderr: "", truncated: false }
})

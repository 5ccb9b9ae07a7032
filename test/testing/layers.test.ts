/**
 * Threat: a memory layer that is kinder than the real thing, so that a test passes what an agent is refused. The
 * ids in brackets name the conformance and attack cases.
 */
import { describe, expect, it } from "@effect/vitest"
import { Agents, Attachments, Authority, Files, Network, Process, Records, Secrets, Storage } from "bailiwick"
import {
  TestAgents,
  TestAttachments,
  TestFiles,
  TestNetwork,
  TestProcess,
  TestRecords,
  TestSecrets,
  TestStorage
} from "bailiwick/testing"
import { Chunk, Effect, Exit, Option, Redacted, Schema, Stream, TestClock } from "effect"
import * as MemoryRecords from "../../src/capabilities/records/MemoryRecords.js"
import * as ScopedRecords from "../../src/capabilities/records/ScopedRecords.js"
import { holder } from "../../src/policy/gate/Asking.js"
import { recordsAround } from "../recordsAround.js"

const authority = (encoded: Authority.Encoded) => Schema.decodeSync(Authority.FromJson)(encoded)

const code = <E extends { readonly code: string }, A, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => error.code)

describe("a network in memory", () => {
  it.effect("[C1, C2, N77] lets through what is permitted, and nothing else reaches the handler", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const layer = TestNetwork.layerMemory(
        authority({ network: { get: ["api.example.com"] } }),
        (url, request) => {
          asked.push(`${request.method} ${url}`)
          return "fine"
        }
      )
      yield* Effect.gen(function* () {
        expect(yield* Network.get("https://api.example.com/v1")).toBe("fine")
        const evil = yield* Effect.flip(Network.get("https://evil.com"))
        expect(evil.message).toBe("HOST_NOT_ALLOWED: evil.com is not in the declared allowedHosts")
        expect(evil.denial?.remedy).toBe("net.get{hosts=[evil.com]}")
        expect(yield* code(Network.delete("https://api.example.com/v1"))).toBe("METHOD_NOT_ALLOWED")
        expect(yield* code(Network.request("TRACE", "https://api.example.com/"))).toBe("METHOD_NOT_ALLOWED")
        const other: string = "ftp://api.example.com/"
        expect(yield* code(Network.get(other))).toBe("URL_INVALID")
        expect(yield* code(Stream.runCollect(Network.stream("https://evil.com/x")))).toBe("HOST_NOT_ALLOWED")
        expect(Chunk.size(yield* Stream.runCollect(Network.stream("https://api.example.com/s")))).toBe(1)
      }).pipe(Effect.provide(layer))
      expect(asked).toEqual(["GET https://api.example.com/v1", "GET https://api.example.com/s"])
    })
  )

  it.effect("that records notes requests as plain data", () =>
    Effect.gen(function* () {
      const { calls, layer } = TestNetwork.recording(() => ({ status: 201, json: { id: 1 } }))
      yield* Network.post("https://a.com/items", "x", { headers: { accept: "text/plain" } }).pipe(
        Effect.provide(layer)
      )
      expect(yield* calls).toEqual([
        {
          operation: "request",
          payload: {
            method: "POST",
            url: "https://a.com/items",
            headers: { accept: "text/plain" },
            body: new TextEncoder().encode("x")
          }
        }
      ])
    })
  )
})

describe("secrets in memory", () => {
  it.effect("[F2, F3, F9] are given only where held, and refusals do not repeat the ref", () =>
    Effect.gen(function* () {
      expect(Redacted.value(yield* Secrets.get("A"))).toBe("1")
      const refused = yield* Effect.flip(Secrets.get("sk_live_not_a_name"))
      expect(refused.code).toBe("SECRET_NOT_DECLARED")
      expect(`${refused.message} ${JSON.stringify(refused)}`).not.toContain("sk_live")
      const odd: string = "A/../B"
      expect(yield* code(Secrets.get(odd))).toBe("SECRET_REF_INVALID")
    }).pipe(
      Effect.provide(TestSecrets.layerMemory(authority({ secrets: { read: ["A"] } }), { A: "1", B: "2" }))
    )
  )

  it.effect("that record note refs, not values", () =>
    Effect.gen(function* () {
      const { calls, layer } = TestSecrets.recording({ A: "hunter2" })
      yield* Secrets.get("A").pipe(Effect.provide(layer))
      expect(yield* calls).toEqual([{ operation: "get", payload: { ref: "A" } }])
    })
  )
})

describe("storage in memory", () => {
  const held = authority({ storage: { use: ["session"] } })
  const session = { scope: "session" } as const

  it.effect("[G8, G9, G10] keeps what is set, and forgets what is deleted", () =>
    Effect.gen(function* () {
      expect(yield* Storage.get("k")).toEqual(Option.none())
      yield* Storage.set("k", "1")
      yield* Storage.set("k", "2")
      expect(yield* Storage.get("k")).toEqual(Option.some("2"))
      yield* Storage.delete("k")
      yield* Storage.delete("k")
      expect(yield* Storage.get("k")).toEqual(Option.none())
    }).pipe(Effect.provide(TestStorage.layerMemory(held, session)))
  )

  it.effect("[G16, K12, K14] lets entries expire by the clock of the test", () =>
    Effect.gen(function* () {
      yield* Storage.set("short", "x", { ttlSeconds: 60 })
      yield* Effect.flip(Storage.set("gone", "x", { ttlSeconds: -5 }))
      yield* Effect.flip(Storage.set("blink", "x", { ttlSeconds: 0.0001 }))
      yield* Storage.set("long", "x")
      expect(yield* Storage.list()).toEqual(["long", "short"])
      yield* TestClock.adjust("1 minute")
      expect(yield* Storage.list()).toEqual(["long"])
      expect(yield* Storage.get("short")).toEqual(Option.none())
      yield* TestClock.adjust("1 hour")
      expect(yield* Storage.list()).toEqual([])
    }).pipe(Effect.provide(TestStorage.layerMemory(held, { ...session, ttlSecondsDefault: 3600 })))
  )

  it.effect("[K08] lists by prefix, with regard to case", () =>
    Effect.gen(function* () {
      expect(yield* Storage.list("foo")).toEqual(["foo", "foo/1"])
    }).pipe(Effect.provide(TestStorage.layerMemory(held, session, { foo: "1", "foo/1": "2", Foo: "3" })))
  )

  it.effect("of a scope that is not held answers nothing", () =>
    Effect.gen(function* () {
      expect(yield* code(Storage.get("k"))).toBe("SCOPE_NOT_ALLOWED")
      expect(yield* code(Storage.update("k", () => Option.some("x")))).toBe("SCOPE_NOT_ALLOWED")
    }).pipe(Effect.provide(TestStorage.layerMemory(held, { scope: "personality" }, { k: "v" })))
  )

  it.effect("starts afresh with every build of the layer", () =>
    Effect.gen(function* () {
      const layer = Storage.mock()
      yield* Storage.set("k", "v").pipe(Effect.provide(layer))
      expect(yield* Storage.get("k").pipe(Effect.provide(layer))).toEqual(Option.none())
    })
  )
})

describe("files in memory", () => {
  const files = { "/data/f": "content", "/database/x": "secret", "/etc/x": "root" }
  const layer = TestFiles.layerMemory(
    authority({ files: { read: ["/data/"], write: ["/out/", "/data/w"], delete: ["/out/"] } }),
    { ...files, "/out/old": "" },
    { workdir: "/data", home: "/out" }
  )

  it.effect("[I1, I2, I5, I8, I9] are reached where the authority reaches, by each verb apart", () =>
    Effect.gen(function* () {
      expect(yield* Files.read("/data/f")).toBe("content")
      const refused = yield* Effect.flip(Files.read("/etc/x"))
      expect(refused.message).toBe("PATH_NOT_REACHABLE: read not permitted for /etc/x")
      expect(yield* code(Files.read("/database/x"))).toBe("PATH_NOT_REACHABLE")
      expect(yield* code(Files.read("/out/old"))).toBe("PATH_NOT_REACHABLE")
      const climbing: string = "/data/../etc/x"
      expect(yield* code(Files.read(climbing))).toBe("PATH_NOT_REACHABLE")
      yield* Files.write("/data/w", "new")
      expect(yield* code(Files.remove("/data/w"))).toBe("PATH_NOT_REACHABLE")
      yield* Files.remove("/out/old")
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "[I6, F46] exists, list and stat ask to read, and answer alike for what is and is not there",
    () =>
      Effect.gen(function* () {
        expect(yield* Files.exists("/data/none")).toBe(false)
        expect(yield* Files.list("/data")).toEqual(["f"])
        expect((yield* Files.stat("/data/f")).kind).toBe("file")
        const [there, absent] = yield* Effect.all([
          Effect.flip(Files.exists("/etc/x")),
          Effect.flip(Files.exists("/etc/none"))
        ])
        expect(there.code).toBe(absent.code)
        expect(yield* code(Files.mkdir("/data/d"))).toBe("PATH_NOT_REACHABLE")
      }).pipe(Effect.provide(layer))
  )

  it.effect("[I11, H19] start at the working directory, and '~' at home", () =>
    Effect.gen(function* () {
      expect(yield* Files.read("f")).toBe("content")
      yield* Files.write("~/note", "hello")
      yield* Files.remove("/out/note")
      expect(yield* code(Files.remove("~/note"))).toBe("NOT_FOUND")
    }).pipe(Effect.provide(layer))
  )

  it.effect("keep bytes as they are", () =>
    Effect.gen(function* () {
      const bytes = new Uint8Array([0xff, 0xfe, 0x00, 0x80])
      yield* Files.write("/data/w", bytes)
      bytes.fill(0)
      expect(yield* Files.readBytes("/data/w")).toEqual(new Uint8Array([0xff, 0xfe, 0x00, 0x80]))
    }).pipe(Effect.provide(layer))
  )
})

describe("an operation that acts on more than it names", () => {
  it.effect("is refused unless all of that is held", () =>
    Effect.gen(function* () {
      expect(yield* code(Files.remove("/data/x", { recursive: true }))).toBe("PATH_NOT_REACHABLE")
      expect(yield* code(Files.mkdir("/a/b/c/d", { recursive: true }))).toBe("PATH_NOT_REACHABLE")
      yield* Files.mkdir("/data/x/d/e", { recursive: true })
      yield* Files.remove("/tmp/x", { recursive: true })
    }).pipe(
      Effect.provide(
        TestFiles.layerMemory(
          authority({ files: { delete: ["/data/*", "/tmp/"], write: ["/a/b/c/", "/data/x/d/"] } }),
          { "/data/x/secret": "", "/tmp/x/y": "" }
        )
      )
    )
  )
})

describe("what was checked is what runs", () => {
  it.effect("even when the caller changes it in between", () =>
    Effect.gen(function* () {
      const args = ["log"]
      const process = yield* Process
      const spawned = process.spawn("git", args)
      args.splice(0, 1, "push", "--force")
      expect((yield* spawned).stdout).toBe("git log")
    }).pipe(
      Effect.provide(
        TestProcess.layerMemory(
          authority({ process: { exec: [{ argv: "git log", in: "/" }] } }),
          (binary, given) => [binary, ...given].join(" ")
        )
      )
    )
  )

  it.effect("in the one spelling that was asked about", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const network = TestNetwork.layerMemory(
        authority({ network: { get: ["ok.com"] } }),
        (url, { method }) => {
          seen.push(`${method} ${url}`)
          return ""
        }
      )
      const odd: string = " ht\ntps:\\\\OK.com\\x\t "
      yield* Network.request("get", odd).pipe(Effect.provide(network))
      expect(seen).toEqual(["GET https://ok.com/x"])
    })
  )
})

describe("processes in memory", () => {
  const layer = TestProcess.layerMemory(
    authority({ process: { exec: [{ argv: "echo:*", in: "/work" }] } }),
    (binary, args) => [binary, ...args].join(" "),
    { workdir: "/work" }
  )

  it.effect("[K1, K2, K15, I34] run what is permitted, where it is permitted", () =>
    Effect.gen(function* () {
      expect((yield* Process.spawn("echo", ["hello"])).stdout).toBe("echo hello")
      const refused = yield* Effect.flip(Process.spawn("rm", ["-rf"]))
      expect(refused.message).toBe("BINARY_NOT_ALLOWED: rm is not in the declared allowedBinaries")
      expect((yield* Effect.flip(Process.spawn("echo", [], { cwd: "/etc" }))).message).toBe(
        "CWD_NOT_REACHABLE: echo may not run in /etc"
      )
      expect(yield* code(Process.spawn("echo", [], { cwd: "/work/.." }))).toBe("CWD_NOT_REACHABLE")
      expect(yield* code(Process.shell("echo hi"))).toBe("SHELL_NOT_ALLOWED")
      const events = yield* Stream.runCollect(Process.stream("echo", ["x"]))
      expect(Chunk.toReadonlyArray(events).map(({ _tag }) => _tag)).toEqual(["Stdout", "Stderr", "Exit"])
    }).pipe(Effect.provide(layer))
  )
})

describe("attachments in memory", () => {
  const layer = TestAttachments.layerMemory(authority({ attachments: { read: ["image"] } }), [
    { type: "image", mimeType: "image/png", content: "pixels" },
    { type: "file", mimeType: "application/pdf", content: "pages" }
  ])

  it.effect("[M1, M3, M4, M6, M10, A01, A02] of kinds that are not held are not to be seen", () =>
    Effect.gen(function* () {
      const listed = yield* Attachments.list()
      expect(listed.map(({ ref }) => ref)).toEqual(["att-0"])
      expect(yield* Attachments.openByRef("att-0")).toBe("/attachments/att-0")
      expect((yield* Effect.flip(Attachments.openByRef("att-1"))).message).toBe(
        'ATTACHMENT_NOT_FOUND: No attachment with ref "att-1"'
      )
      expect(yield* code(Attachments.openByRef("/etc/passwd"))).toBe("ATTACHMENT_NOT_FOUND")
      expect(yield* code(Attachments.list("file"))).toBe("KIND_NOT_ALLOWED")
      expect(yield* code(Attachments.read("att-1"))).toBe("ATTACHMENT_NOT_FOUND")
      const pixels: string = yield* Attachments.openByRef("att-0")
      expect(yield* Files.read(pixels)).toBe("pixels")
      const beside: string = "/attachments/att-1"
      expect(yield* code(Files.read(beside))).toBe("PATH_NOT_REACHABLE")
      const above: string = "/attachments"
      expect(yield* code(Files.list(above))).toBe("PATH_NOT_REACHABLE")
      const [image] = listed
      if (image === undefined) throw new Error("no image")
      expect(yield* code(Attachments.open({ ...image, url: "file:///etc/passwd" }))).toBe(
        "ATTACHMENT_MISMATCH"
      )
    }).pipe(Effect.provide(layer))
  )
})

describe("attachments and files in memory", () => {
  it.effect("[M13] reach both: the attachments of this turn, and what is declared beside them", () =>
    Effect.gen(function* () {
      const [path, beside, other]: ReadonlyArray<string> = ["/attachments/att-0", "/data/c", "/etc/x"]
      expect(yield* Files.read(path ?? "")).toBe("pixels")
      expect(yield* Files.read(beside ?? "")).toBe("c")
      expect(yield* code(Files.read(other ?? ""))).toBe("PATH_NOT_REACHABLE")
      expect(yield* code(Files.write(path ?? "", ""))).toBe("PATH_NOT_REACHABLE")
    }).pipe(
      Effect.provide(
        TestAttachments.layerMemory(
          authority({ attachments: { read: ["image"] }, files: { read: ["/data/"] } }),
          [{ type: "image", content: "pixels" }],
          { "/data/c": "c", "/etc/x": "x" }
        )
      )
    )
  )
})

describe("records in memory", () => {
  const drafts = [
    { id: "notes/a", class: "note", body: "see [[secrets/b]] and [[notes/c]]" },
    { id: "secrets/b", class: "secret", body: "see [[notes/a]]" },
    { id: "notes/c", class: "note", body: "apples" }
  ]
  const layer = TestRecords.layerMemory(
    authority({
      records: { read: [{ class: "note", path: "**" }], update: [{ class: "note", path: "notes/a" }] }
    }),
    drafts
  )

  it.effect("[K18, K19, K22] are reached by class and path, and leave no trace where they are not", () =>
    Effect.gen(function* () {
      expect((yield* Records.get("notes/a")).class).toBe("note")
      const [hidden, absent] = yield* Effect.all([
        Effect.flip(Records.get("secrets/b")),
        Effect.flip(Records.get("secrets/c"))
      ])
      expect(hidden.code).toBe("RECORD_NOT_REACHABLE")
      expect(JSON.stringify(hidden).replaceAll("secrets/b", "secrets/c")).toBe(JSON.stringify(absent))
      expect((yield* Records.list()).map(({ id }) => id)).toEqual(["notes/a", "notes/c"])
      expect(yield* Records.search({ query: "see" })).toHaveLength(1)
      expect(yield* Records.links("notes/a")).toEqual(["notes/c"])
      expect(yield* Records.backlinks("notes/a")).toEqual([])
      expect(yield* code(Records.update({ id: "notes/c", body: "" }))).toBe("RECORD_NOT_REACHABLE")
      expect((yield* Records.update({ id: "notes/a", body: "x" })).body).toBe("x")
      expect(yield* code(Records.create({ id: "notes/d", class: "note" }))).toBe("RECORD_NOT_REACHABLE")
      expect(yield* code(Records.delete("notes/a"))).toBe("RECORD_NOT_REACHABLE")
    }).pipe(Effect.provide(layer))
  )
})

describe("records and agents", () => {
  it.effect("reach the store with known ids and keys only, and what is hidden is not felt", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const spy = MemoryRecords.make([
        { id: "a/1", text: "---\nclass: diary\n---\npin 1234" },
        { id: "b/1", text: "---\nclass: note\n---\npin 1234" }
      ])
      const operations = ScopedRecords.scoped(
        holder({
          authority: authority({
            records: { read: [{ class: "note", path: "**" }], update: [{ class: "note", path: "**" }] }
          })
        }),
        recordsAround(spy, ({ head }) => ({
          head: (id) =>
            Effect.zipRight(
              Effect.sync(() => asked.push(id)),
              head(id)
            )
        }))
      )
      expect(yield* code(operations.get({ id: "../../etc/passwd" }))).toBe("RECORD_INVALID")
      expect(yield* code(operations.delete({ id: "b/1" }))).toBe("RECORD_NOT_REACHABLE")
      // Who may read a record is told by its class what is lacking; what is no id is not looked for.
      expect(asked).toEqual(["b/1"])
      expect(yield* operations.search({ query: "pin 1234", limit: 1 })).toEqual([
        { id: "b/1", class: "note" }
      ])
      const forged = { id: "b/1", body: "x", class: "diary" }
      expect((yield* operations.update(forged)).class).toBe("note")
    })
  )

  it.effect("[K8, K9, K11] to write an agent's authority is to grant", () =>
    Effect.gen(function* () {
      expect(yield* code(Agents.create({ id: "agents/b", frontMatter: { sandbox: "/" } }))).toBe(
        "AGENT_NOT_REACHABLE"
      )
      expect(yield* code(Agents.update({ id: "agents/a", frontMatter: { access: "rw" } }))).toBe(
        "AGENT_NOT_REACHABLE"
      )
      const forged = { id: "agents/c", grants: ["proc.eval"] }
      expect((yield* Agents.create(forged)).grants).toEqual([])
    }).pipe(
      Effect.provide(
        TestAgents.layerMemory(authority({ agents: { create: ["**"], update: ["**"] } }), [
          { id: "agents/a" }
        ])
      )
    )
  )

  it.effect("[M18, A03] give copies: what a tool does to them stays with it", () =>
    Effect.gen(function* () {
      const files = TestFiles.layerMemory(authority({ files: { read: ["/"] } }), { "/f": "abc" })
      yield* Effect.gen(function* () {
        const bytes = yield* Files.readBytes("/f")
        bytes.fill(88)
        expect(yield* Files.read("/f")).toBe("abc")
      }).pipe(Effect.provide(files))
      const attachments = TestAttachments.layerMemory(authority({ attachments: { read: ["image"] } }), [
        { type: "file", content: "secret" },
        { type: "image", content: "pixels" }
      ])
      yield* Effect.gen(function* () {
        const [image] = yield* Attachments.list()
        Object.assign(image ?? {}, { ref: "att-0" })
        expect(yield* code(Attachments.read("att-0"))).toBe("ATTACHMENT_NOT_FOUND")
      }).pipe(Effect.provide(attachments))
    })
  )
})

describe("agents in memory", () => {
  it.effect("[K14, K15] are reached by id and verb", () =>
    Effect.gen(function* () {
      const { calls, layer: recorded } = TestAgents.recording([{ id: "agents/a" }])
      yield* Agents.grant({ agent: "agents/a", grants: ["records.read"] }).pipe(Effect.provide(recorded))
      expect((yield* calls).map(({ operation }) => operation)).toEqual(["grant"])
      const layer = TestAgents.layerMemory(authority({ agents: { grant: ["agents/a"] } }), [
        { id: "agents/a" },
        { id: "agents/b" }
      ])
      yield* Effect.gen(function* () {
        expect((yield* Agents.grant({ agent: "agents/a", grants: ["net.get"] })).grants).toEqual([
          "records.read",
          "net.get"
        ])
        expect(yield* code(Agents.grant({ agent: "agents/b", grants: [] }))).toBe("AGENT_NOT_REACHABLE")
        expect(yield* code(Agents.delete("agents/a"))).toBe("AGENT_NOT_REACHABLE")
        expect(Exit.isFailure(yield* Effect.exit(Agents.delete("../a")))).toBe(true)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("are not shown to those who may change them and not read them", () =>
    Effect.gen(function* () {
      const told = { id: "agents/a", frontMatter: { title: "A", note: "private" }, body: "You keep secrets." }
      const changed = (json: Authority.Encoded) =>
        Agents.update({ id: "agents/a", frontMatter: { title: "B" } }).pipe(
          Effect.provide(TestAgents.layerMemory(authority(json), [told]))
        )
      expect(yield* changed({ agents: { update: ["agents/a"] } })).toMatchObject({
        frontMatter: { title: "B" },
        body: ""
      })
      expect(
        yield* changed({
          agents: { update: ["agents/a"] },
          records: { read: [{ class: "agent", path: "**" }] }
        })
      ).toMatchObject({ frontMatter: { title: "B", note: "private" }, body: "You keep secrets." })
    })
  )
})

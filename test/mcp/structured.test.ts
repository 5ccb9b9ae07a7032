/**
 * Structured answers, as the official client checks them. Threat: it throws away an answer that is not exactly what the
 * list promised, and whoever asked hears of a broken server.
 */
import { describe, expect, it } from "@effect/vitest"
import { Builtin, RecordsBackend, Registry, Secrets, Tool, type Turn } from "bailiwick"
import { Context, Effect, Logger, Schema } from "effect"
import * as MemoryRecords from "../../src/capabilities/records/MemoryRecords.js"
import { attached, everything, turnOf, world } from "../registry/support.js"
import { type Connected, connected } from "./connected.js"

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const services = world({
  files: { "/work/a.md": "apples", "/work/dot.png": Buffer.from(PNG, "base64") },
  secrets: { TOKEN: "hunter2hunter2" },
  respond: () => "<p>hello</p>",
  spawn: () => "out"
}).pipe(
  Context.add(
    RecordsBackend,
    MemoryRecords.make(
      [
        { id: "notes/today", text: "---\nclass: note\ntitle: Today\ntags: [a]\n---\nBuy milk.\n" },
        { id: "agents/scout", text: "---\nclass: agent\ncapabilities: []\n---\nLook.\n" }
      ],
      {}
    )
  )
)

const there = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.provide(services), Effect.provide(Logger.remove(Logger.defaultLogger)))

const open = (registry: Registry.Registry, turn: Turn.Turn) =>
  Effect.tap(connected({ serves: Effect.succeed({ registry, turn }) }), ({ client }) =>
    Effect.promise(() => client.listTools())
  )

const call = ({ client }: Connected, name: string, args: object = {}) =>
  Effect.promise(() => client.callTool({ name, arguments: { ...args } }))

/** A call of each built-in tool that answers. */
const calls: ReadonlyArray<readonly [string, object]> = [
  ["read_file", { path: "/work/a.md" }],
  ["write_file", { path: "/work/b.md", content: "b" }],
  ["list_files", { path: "/work" }],
  ["search_files", { path: "/work", pattern: "apple" }],
  ["delete_file", { path: "/work/b.md" }],
  ["web_fetch", { url: "https://example.com/" }],
  ["run_command", { command: "echo" }],
  ["run_shell", { script: "echo" }],
  ["kv_set", { key: "k", value: "v" }],
  ["kv_get", { key: "k" }],
  ["kv_list", {}],
  ["kv_delete", { key: "k" }],
  ["list_attachments", {}],
  ["search_records", { query: "milk" }],
  ["get_record", { id: "notes/today" }],
  ["list_records", {}],
  ["create_record", { id: "notes/new", class: "note", body: "b" }],
  ["update_record", { id: "notes/new", body: "c" }],
  ["delete_record", { id: "notes/new" }],
  ["grant_capability", { agent: "agents/scout", grants: ["records.read"] }]
]

const answering = <A, I>(name: string, success: Schema.Schema<A, I>, value: A) =>
  Tool.make({
    name,
    description: "Answers",
    parameters: Schema.Struct({}),
    success,
    capabilities: {},
    execute: () => Effect.succeed(value)
  })

describe("structured answers", () => {
  it.scopedLive(
    "of every built-in tool that says what it answers with pass the official client's check",
    () =>
      there(
        Effect.gen(function* () {
          const client = yield* open(
            Registry.make(...Builtin.builtins),
            turnOf(everything, { attachments: [attached("att-0", "image", "/work/dot.png")] })
          )
          const answered = new Set<string>()
          for (const [name, args] of calls) {
            const answer = yield* call(client, name, args)
            expect([name, answer.isError, answer.content]).toEqual([name, undefined, answer.content])
            if (answer.structuredContent !== undefined) answered.add(name)
          }
          const promised = Builtin.builtins.filter(({ success }) => success !== undefined)
          // What is attached cannot be read from this memory.
          expect(promised.map(({ name }) => name).filter((name) => !answered.has(name))).toEqual([
            "read_attachment"
          ])
        })
      )
  )

  it.scopedLive("that are no object stand under value", () =>
    there(
      Effect.gen(function* () {
        const registry = Registry.make(
          answering("a_list", Schema.Array(Schema.String), ["a", "b"]),
          answering("nothing", Schema.Void, undefined),
          answering("either", Schema.Union(Schema.Struct({ a: Schema.Number }), Schema.Null), { a: 1 }),
          answering("whatever", Schema.Unknown, { any: ["thing"] })
        )
        const client = yield* open(registry, turnOf())
        expect((yield* call(client, "a_list")).structuredContent).toEqual({ value: ["a", "b"] })
        expect((yield* call(client, "nothing")).structuredContent).toEqual({ value: null })
        expect((yield* call(client, "either")).structuredContent).toEqual({ value: { a: 1 } })
        expect((yield* call(client, "whatever")).structuredContent).toEqual({ value: { any: ["thing"] } })
      })
    )
  )

  it.scopedLive("are encoded, also where one schema refers to itself or is used twice", () =>
    there(
      Effect.gen(function* () {
        interface Tree {
          readonly at: Date
          readonly below: ReadonlyArray<Tree>
        }
        interface Written {
          readonly at: string
          readonly below: ReadonlyArray<Written>
        }
        const Tree: Schema.Schema<Tree, Written> = Schema.Struct({
          at: Schema.Date,
          below: Schema.Array(Schema.suspend((): Schema.Schema<Tree, Written> => Tree))
        }).annotations({ identifier: "Tree" })
        const value = { at: new Date(0), below: [{ at: new Date(1), below: [] }] }
        const client = yield* open(
          Registry.make(
            answering("tree", Tree, value),
            answering("twice", Schema.Struct({ a: Schema.Unknown, b: Schema.Unknown }), { a: 1, b: [2] })
          ),
          turnOf()
        )
        expect((yield* call(client, "tree")).structuredContent).toEqual({
          at: "1970-01-01T00:00:00.000Z",
          below: [{ at: "1970-01-01T00:00:00.001Z", below: [] }]
        })
        expect((yield* call(client, "twice")).structuredContent).toEqual({ a: 1, b: [2] })
      })
    )
  )

  it.scopedLive("that were cut keep their structure, and say that they were cut", () =>
    there(
      Effect.gen(function* () {
        const long = answering("long", Schema.Struct({ text: Schema.String }), { text: "x".repeat(5000) })
        const client = yield* open(Registry.make(long), turnOf(everything, { budget: 1000 }))
        const answer = yield* call(client, "long")
        expect(answer.isError).toBeUndefined()
        expect(answer._meta).toEqual({ "bailiwick/truncated": true })
        expect((answer.structuredContent as { text: string }).text).toMatch(
          /^x{900,}.*\[cut: \d+ more characters\]$/
        )
      })
    )
  )

  it.scopedLive("that do not fit any more are failures, with what there is of them", () =>
    there(
      Effect.gen(function* () {
        const Long = Schema.String.pipe(Schema.pattern(/^x+$/))
        const client = yield* open(
          Registry.make(
            answering("cut", Schema.Struct({ text: Long }), { text: "x".repeat(5000) }),
            answering("no_number", Schema.Struct({ n: Schema.Number }), { n: Number.NaN })
          ),
          turnOf(everything, { budget: 1000 })
        )
        for (const name of ["cut", "no_number"]) {
          const answer = yield* call(client, name)
          expect(answer).toMatchObject({ isError: true, _meta: { "bailiwick/code": "execution_failed" } })
          expect(answer.structuredContent).toBeUndefined()
          expect(answer.content).toHaveLength(2)
        }
      })
    )
  )

  it.scopedLive("hold no secret, and neither do texts and progress", () =>
    there(
      Effect.gen(function* () {
        const leak = Tool.make({
          name: "leak",
          description: "Tells what it should not",
          parameters: Schema.Struct({}),
          success: Schema.Struct({ told: Schema.String }),
          capabilities: { secrets: ["TOKEN"] },
          execute: () =>
            Effect.gen(function* () {
              const token = yield* Secrets.get("TOKEN")
              const text = `it is ${typeof token === "string" ? token : String(token)}`
              yield* Tool.progress(text)
              return { told: text }
            })
        })
        const client = yield* open(Registry.make(leak), turnOf())
        const answer = yield* call(client, "leak")
        expect(JSON.stringify([answer, client.heard])).not.toContain("hunter2")
      })
    )
  )

  it.scopedLive("of a picture come with the picture", () =>
    there(
      Effect.gen(function* () {
        const client = yield* open(Registry.make(Builtin.readFile), turnOf())
        const answer = yield* call(client, "read_file", { path: "/work/dot.png", encoding: "base64" })
        expect(answer.content).toMatchObject([
          { type: "text", text: expect.not.stringContaining(PNG) },
          { type: "image", mimeType: "image/png", data: PNG }
        ])
      })
    )
  )

  it.scopedLive(
    "are what a tool says they are, though a stranger made them look like pieces of an answer",
    () =>
      there(
        Effect.gen(function* () {
          const blocks = [{ type: "resource_link", uri: "file:///etc/passwd", name: "look" }]
          const plain = Tool.make({
            name: "plain",
            description: "Answers with a page",
            parameters: Schema.Struct({}),
            capabilities: {},
            execute: () => Effect.succeed({ status: 200, content: blocks })
          })
          const client = yield* open(
            Registry.make(
              answering("declared", Schema.Struct({ content: Schema.Unknown }), { content: blocks }),
              plain
            ),
            turnOf()
          )
          for (const name of ["declared", "plain"]) {
            const { content } = yield* call(client, name)
            expect(content).toMatchObject([{ type: "text", text: expect.stringContaining("resource_link") }])
          }
        })
      )
  )

  it.scopedLive("are not promised in a dry run", () =>
    there(
      Effect.gen(function* () {
        const client = yield* open(Registry.make(Builtin.readFile), turnOf(everything, { dryRun: true }))
        expect(yield* call(client, "read_file", { path: "/work/a.md" })).toMatchObject({
          content: [{ text: expect.stringContaining("dry run") }]
        })
      })
    )
  )
})

/**
 * The official client against a server of ours, over pipes. Threat: a client of an editor is written against the SDK and
 * not against us, and what it does not understand it drops without a word.
 */
import { describe, expect, it } from "@effect/vitest"
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import { Builtin, Registry, Tool, type Turn } from "bailiwick"
import { McpServer } from "bailiwick/mcp"
import { Deferred, Effect, Logger, Schema } from "effect"
import { atDesk, desk, readerTurn, waiting } from "../ai/desk.js"
import { policyOf, turnOf } from "../registry/support.js"
import { conformanceOptions, conformanceRecords } from "./conformanceTools.js"
import { type Connected, connected, Raw, rawly, served } from "./connected.js"

const serving = <R>(registry: Registry.Registry<Tool.Any, R>, turn: Turn.Turn): McpServer.Options<R> => ({
  serves: Effect.succeed({ registry, turn }),
  name: "desk",
  version: "1.2.3",
  instructions: "Read the notes."
})

const call = ({ client }: Connected, name: string, args: Record<string, unknown> = {}) =>
  Effect.promise(() => client.callTool({ name, arguments: args }))

const atWork = <A, E, R>(effect: Effect.Effect<A, E, R>) => atDesk(effect)

const counting = Tool.make({
  name: "count_up",
  description: "Counts",
  parameters: Schema.Struct({}),
  capabilities: {},
  execute: () =>
    Effect.as(
      Effect.all([
        Tool.progress("started"),
        Tool.progress("", { done: 50, total: 100 }),
        Tool.progress("back", { done: 20, total: 100 }),
        Tool.progress("done", { done: 100, total: 100 })
      ]),
      "counted"
    )
})

describe("a server", () => {
  it.scopedLive("introduces itself to the official client, and answers a ping", () =>
    atWork(
      Effect.gen(function* () {
        const { client } = yield* connected(serving(desk, readerTurn()))
        expect(client.getServerVersion()).toMatchObject({ name: "desk", version: "1.2.3" })
        expect(client.getInstructions()).toBe("Read the notes.")
        expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true }, logging: {} })
        expect(yield* Effect.promise(() => client.ping())).toEqual({})
      })
    )
  )

  it.scopedLive("that could not introduce itself does so when it is asked again", () =>
    Effect.gen(function* () {
      let isServed = false
      const given = serving(Registry.make(), turnOf())
      const serves = Effect.suspend(() =>
        isServed ? given.serves : Effect.fail(new McpServer.Unserved({ detail: "mend it first" }))
      )
      const raw = new Raw(yield* served({ ...given, serves }))
      expect(yield* raw.initialize()).toMatchObject({ error: { message: "mend it first" } })
      raw.request("early", "tools/list")
      expect(yield* raw.answer("early")).toMatchObject({ error: { code: -32600 } })
      isServed = true
      raw.request("again", "initialize", { protocolVersion: "2025-06-18" })
      expect(yield* raw.answer("again")).toMatchObject({ result: { protocolVersion: "2025-06-18" } })
      raw.request("list", "tools/list")
      expect(yield* raw.answer("list")).toMatchObject({ result: { tools: [] } })
    })
  )

  it.scopedLive("answers the introduction even to who takes it back", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const given = serving(Registry.make(), turnOf())
      const raw = new Raw(
        yield* served({ ...given, serves: Effect.zipRight(Deferred.await(asked), given.serves) })
      )
      raw.request(1, "initialize", { protocolVersion: "2025-11-25" })
      raw.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })
      raw.request("ping", "ping")
      yield* raw.answer("ping")
      yield* Deferred.succeed(asked, undefined)
      expect(yield* raw.answer(1)).toMatchObject({ result: { protocolVersion: "2025-11-25" } })
    })
  )

  it.scopedLive.each(["2025-11-25", "2025-06-18"])("speaks revision %s", (revision) =>
    Effect.gen(function* () {
      const raw = new Raw(yield* served(serving(Registry.make(), turnOf())))
      expect(yield* raw.initialize(revision)).toMatchObject({ result: { protocolVersion: revision } })
    })
  )

  it.scopedLive("answers with its newest revision to whoever asks for one that it does not speak", () =>
    Effect.gen(function* () {
      const raw = new Raw(yield* served(serving(Registry.make(), turnOf())))
      expect(yield* raw.initialize("1999-01-01")).toMatchObject({
        result: { protocolVersion: "2025-11-25" }
      })
    })
  )

  it.scopedLive("answers nothing but pings before it is initialised, and initialises once", () =>
    Effect.gen(function* () {
      const raw = new Raw(yield* served(serving(Registry.make(), turnOf())))
      raw.request(1, "tools/list")
      raw.request(2, "ping")
      expect(yield* raw.answer(1)).toMatchObject({ error: { code: -32600 } })
      expect(yield* raw.answer(2)).toMatchObject({ result: {} })
      yield* raw.initialize()
      raw.request(3, "initialize", { protocolVersion: "2025-11-25" })
      raw.request(4, "tools/list")
      expect(yield* raw.answer(3)).toMatchObject({ error: { code: -32600 } })
      expect(yield* raw.answer(4)).toMatchObject({ result: { tools: [] } })
    })
  )

  it.scopedLive("lists what the turn offers, with hints of what each declares", () =>
    atWork(
      Effect.gen(function* () {
        const registry = Registry.make(...Builtin.builtins)
        const { client } = yield* connected(serving(registry, turnOf()))
        const { tools } = yield* Effect.promise(() => client.listTools())
        const hints = new Map(tools.map(({ annotations, name }) => [name, annotations]))
        expect(hints.get("read_file")).toEqual({
          title: "Read file",
          readOnlyHint: true,
          destructiveHint: false,
          openWorldHint: false
        })
        expect(hints.get("write_file")).toMatchObject({ readOnlyHint: false, destructiveHint: true })
        expect(hints.get("run_command")).toMatchObject({ readOnlyHint: false, openWorldHint: true })
        expect(hints.get("web_fetch")).toMatchObject({ readOnlyHint: false, openWorldHint: true })
        expect(tools.find(({ name }) => name === "read_file")).toMatchObject({
          title: "Read file",
          inputSchema: { type: "object", required: ["path"] },
          outputSchema: { type: "object" },
          _meta: { "bailiwick/untrusted": true }
        })
      })
    )
  )

  it.scopedLive("does not list what the policy does not offer", () =>
    atWork(
      Effect.gen(function* () {
        const registry = Registry.make(...Builtin.builtins)
        const turn = turnOf(
          policyOf({ files: { read: ["/notes/"] } }, { toolset: ["read_file", "write_file"] })
        )
        const { client } = yield* connected(serving(registry, turn))
        const { tools } = yield* Effect.promise(() => client.listTools())
        expect(tools.map(({ name }) => name)).toEqual(["read_file"])
      })
    )
  )

  it.scopedLive("lists by pages, each tool once, and knows a cursor of its own only", () =>
    atWork(
      Effect.gen(function* () {
        const registry = Registry.make(...Builtin.builtins)
        const { client } = yield* connected({ ...serving(registry, turnOf()), limits: { pageSize: 4 } })
        const names: Array<string> = []
        let pages = 0
        for (let cursor: string | undefined; ; ) {
          const page = yield* Effect.promise(() => client.listTools(cursor === undefined ? {} : { cursor }))
          expect(page.tools.length).toBeLessThanOrEqual(4)
          names.push(...page.tools.map(({ name }) => name))
          pages += 1
          if (page.nextCursor === undefined) break
          cursor = page.nextCursor
        }
        expect(pages).toBe(Math.ceil(names.length / 4))
        expect(names).toHaveLength(new Set(names).size)
        expect(names).toContain("grant_capability")
        for (const cursor of ["", "zzz", "toString", Buffer.from("no_tool").toString("base64url")]) {
          const refused = yield* Effect.tryPromise({
            try: () => client.listTools({ cursor }),
            catch: (error) => error as { readonly code: number }
          }).pipe(Effect.flip)
          expect(refused.code).toBe(-32602)
        }
      })
    )
  )

  it.scopedLive("calls a tool, and gives its answer as a text", () =>
    atWork(
      Effect.gen(function* () {
        const there = yield* connected(serving(desk, readerTurn()))
        const answer = yield* call(there, "read_note", { path: "a.md" })
        expect(answer.isError).toBeUndefined()
        expect(answer.content).toEqual([{ type: "text", text: "apples" }])
        expect(yield* call(there, "oddities")).toMatchObject({
          content: [{ type: "text", text: '{"bytes":"aGk=","map":[["a",1]],"set":[2]}' }]
        })
      })
    )
  )

  it.scopedLive("answers a refusal with isError, its words, and the denial", () =>
    atWork(
      Effect.gen(function* () {
        const there = yield* connected(serving(Registry.make(Builtin.readFile), readerTurn()))
        // The official client asks for structure of what has an outputSchema, unless it failed.
        yield* Effect.promise(() => there.client.listTools())
        const answer = yield* call(there, "read_file", { path: "/etc/passwd" })
        expect(answer).toMatchObject({
          isError: true,
          content: [
            { type: "text", text: "execution_failed: PATH_NOT_REACHABLE: read not permitted for /etc/passwd" }
          ],
          _meta: {
            "bailiwick/code": "execution_failed",
            "bailiwick/denial": {
              reason: "scope_violation",
              code: "PATH_NOT_REACHABLE",
              tool: "read_file",
              capability: "files.read"
            }
          }
        })
        expect(answer.structuredContent).toBeUndefined()
        expect(yield* call(there, "no_such_tool")).toMatchObject({
          isError: true,
          _meta: { "bailiwick/code": "not_available", "bailiwick/denial": { reason: "unknown_tool" } }
        })
        expect(yield* call(there, "read_file", { path: 7 })).toMatchObject({
          isError: true,
          _meta: { "bailiwick/code": "input_invalid" }
        })
      })
    )
  )

  it.scopedLive("logs refusals to the client, for as long as it wants to hear of them", () =>
    atWork(
      Effect.gen(function* () {
        const there = yield* connected(serving(Registry.make(Builtin.readFile), readerTurn()))
        yield* call(there, "read_file", { path: "/etc/passwd" })
        const heard = there.heard.filter(({ method }) => method === "notifications/message")
        expect(heard).toHaveLength(1)
        expect(heard[0]?.params).toMatchObject({
          level: "warning",
          logger: "bailiwick",
          data: { tool: "read_file", capability: "files.read", code: "PATH_NOT_REACHABLE" }
        })
        yield* Effect.promise(() => there.client.setLoggingLevel("error"))
        yield* call(there, "read_file", { path: "/etc/passwd" })
        expect(there.heard.filter(({ method }) => method === "notifications/message")).toHaveLength(1)
      })
    )
  )

  it.scopedLive("reports progress to whoever asks for it, only ever further", () =>
    atWork(
      Effect.gen(function* () {
        const { client } = yield* connected(serving(Registry.make(counting), turnOf()))
        const heard: Array<unknown> = []
        yield* Effect.promise(() =>
          client.callTool({ name: "count_up", arguments: {} }, undefined, {
            onprogress: (progress) => heard.push(progress)
          })
        )
        expect(heard).toEqual([
          { progress: 1, message: "started" },
          { progress: 50, total: 100 },
          { progress: 100, total: 100, message: "done" }
        ])
      })
    )
  )

  it.scopedLive("reports nothing to whoever does not ask, and each call's progress under its own token", () =>
    atWork(
      Effect.gen(function* () {
        const raw = yield* rawly(serving(Registry.make(counting), turnOf()))
        raw.request(1, "tools/call", { name: "count_up" })
        yield* raw.answer(1)
        expect(raw.heard.filter(({ method }) => method === "notifications/progress")).toEqual([])
        raw.request(2, "tools/call", { name: "count_up", _meta: { progressToken: "a" } })
        raw.request("2", "tools/call", { name: "count_up", _meta: { progressToken: "b" } })
        yield* raw.answer(2)
        yield* raw.answer("2")
        const tokens = raw.heard
          .filter(({ method }) => method === "notifications/progress")
          .map(({ params }) => (params as { progressToken: unknown }).progressToken)
        expect(tokens).toEqual(["a", "a", "a", "b", "b", "b"])
      })
    )
  )

  it.scopedLive("interrupts a call that is cancelled, and does not answer it", () =>
    atWork(
      Effect.gen(function* () {
        const { interrupted, started, wait } = yield* waiting
        const raw = yield* rawly(serving(Registry.make(wait), turnOf()))
        raw.request(7, "tools/call", { name: "wait" })
        yield* started
        raw.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } })
        yield* interrupted
        // The id is free again, and what comes under it is the answer to the new request.
        raw.request(7, "ping")
        raw.request(8, "ping")
        yield* raw.answer(8)
        expect(raw.heard.filter(({ id }) => id === 7)).toEqual([{ jsonrpc: "2.0", id: 7, result: {} }])
      })
    )
  )

  it.scopedLive("interrupts what the official client aborts", () =>
    atWork(
      Effect.gen(function* () {
        const { interrupted, started, wait } = yield* waiting
        const { client } = yield* connected(serving(Registry.make(wait), turnOf()))
        const abort = new AbortController()
        const calling = client
          .callTool({ name: "wait" }, undefined, { signal: abort.signal })
          .catch(() => "aborted")
        yield* started
        abort.abort("enough")
        yield* interrupted
        expect(yield* Effect.promise(() => calling)).toBe("aborted")
      })
    )
  )

  it.scopedLive("has a hundred calls in flight, and answers each", () =>
    atWork(
      Effect.gen(function* () {
        const all = yield* Deferred.make<void>()
        let here = 0
        const gather = Tool.make({
          name: "gather",
          description: "Waits for a hundred",
          parameters: Schema.Struct({ n: Schema.Int }),
          capabilities: {},
          execute: ({ n }) =>
            Effect.zipRight(
              Effect.suspend(() => (++here === 100 ? Deferred.succeed(all, undefined) : Deferred.await(all))),
              Effect.succeed(n)
            )
        })
        const there = yield* connected(serving(Registry.make(gather), turnOf()))
        const answers = yield* Effect.all(
          Array.from({ length: 100 }, (_, n) => call(there, "gather", { n })),
          { concurrency: "unbounded" }
        )
        expect(answers.map(({ content }) => content)).toEqual(
          answers.map((_, n) => [{ type: "text", text: String(n) }])
        )
      })
    )
  )

  it.scopedLive("refuses one request more than it takes at once, and an id that is in use", () =>
    atWork(
      Effect.gen(function* () {
        const { started, wait } = yield* waiting
        const raw = yield* rawly({ ...serving(Registry.make(wait), turnOf()), limits: { inFlight: 1 } })
        raw.request(1, "tools/call", { name: "wait" })
        yield* started
        raw.request(2, "tools/list")
        expect(yield* raw.answer(2)).toMatchObject({ error: { code: -32000 } })
        raw.request(1, "tools/list")
        expect(yield* raw.answer(1)).toMatchObject({ error: { code: -32600 } })
      })
    )
  )

  it.scopedLive(
    "holds a policy that was edited from the next request on, and says that lists have changed",
    () =>
      atWork(
        Effect.gen(function* () {
          const registry = Registry.make(Builtin.readFile, Builtin.writeFile)
          let turn = turnOf(policyOf({ files: { read: ["/notes/"] } }))
          const there = yield* connected({ serves: Effect.sync(() => ({ registry, turn })) })
          const changed = yield* Deferred.make<void>()
          there.client.setNotificationHandler(ToolListChangedNotificationSchema, () =>
            Effect.runSync(Effect.asVoid(Deferred.succeed(changed, undefined)))
          )
          expect(yield* call(there, "read_file", { path: "/notes/a.md" })).not.toHaveProperty("isError")
          turn = turnOf(policyOf({ files: { write: ["/notes/"] } }))
          yield* there.session.changed
          yield* Deferred.await(changed)
          const { tools } = yield* Effect.promise(() => there.client.listTools())
          expect(tools.map(({ name }) => name)).toEqual(["write_file"])
          expect(yield* call(there, "read_file", { path: "/notes/a.md" })).toMatchObject({ isError: true })
        })
      )
  )

  it.scopedLive("keeps two clients apart, though they share a turn and count their requests alike", () =>
    atWork(
      Effect.gen(function* () {
        const turn = readerTurn()
        const { interrupted, started, wait } = yield* waiting
        const options = serving(Registry.make(Builtin.readFile, counting, wait), turn)
        const [one, other] = [yield* rawly(options), yield* rawly(options)]
        other.request(1, "tools/call", { name: "wait", _meta: { progressToken: "mine" } })
        yield* started
        one.request(1, "tools/call", { name: "read_file", arguments: { path: "/etc/passwd" } })
        yield* one.answer(1)
        one.request(2, "tools/call", { name: "count_up", _meta: { progressToken: "mine" } })
        yield* one.answer(2)
        // A client cancels its own requests only.
        one.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })
        other.request(3, "ping")
        yield* other.answer(3)
        const heard = (raw: Raw) => raw.heard.flatMap(({ method }) => method ?? [])
        expect(heard(one)).toEqual([
          "notifications/message",
          "notifications/progress",
          "notifications/progress",
          "notifications/progress"
        ])
        expect(heard(other)).toEqual([])
        other.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })
        yield* interrupted
      })
    )
  )

  it.scopedLive("interrupts what runs when its session is closed, and takes nothing more", () =>
    atWork(
      Effect.gen(function* () {
        const { interrupted, started, wait } = yield* waiting
        const raw = yield* rawly(serving(Registry.make(wait), turnOf()))
        raw.request(1, "tools/call", { name: "wait" })
        yield* started
        yield* raw.server.session.close
        yield* interrupted
        const before = raw.heard.length
        yield* raw.server.session.receive({ jsonrpc: "2.0", id: 2, method: "ping" })
        expect(raw.heard).toHaveLength(before)
      })
    )
  )

  it.scopedLive("says which request a message belongs to, for whoever has a way for each", () =>
    atWork(
      Effect.gen(function* () {
        const sent: Array<readonly [string, unknown]> = []
        const options = serving(Registry.make(Builtin.readFile, counting), readerTurn())
        const session = yield* McpServer.session(options, (message, about) =>
          Effect.sync(() => sent.push(["method" in message ? message.method : `answer ${message.id}`, about]))
        )
        const answered = (id: number): Effect.Effect<void> =>
          sent.some(([what]) => what === `answer ${id}`)
            ? Effect.void
            : Effect.zipRight(
                Effect.yieldNow(),
                Effect.suspend(() => answered(id))
              )
        const ask = (id: number, method: string, params: object = {}) =>
          Effect.zipRight(
            session.receive({ jsonrpc: "2.0", id, method, params }),
            Effect.suspend(() => answered(id))
          )
        yield* ask(1, "initialize", { protocolVersion: "2025-11-25" })
        yield* session.receive({ jsonrpc: "2.0", method: "notifications/initialized" })
        yield* ask(2, "ping")
        yield* ask(3, "no/such/method")
        yield* ask(4, "tools/call", { name: "read_file", arguments: { path: "/etc/passwd" } })
        yield* ask(5, "tools/call", { name: "count_up", _meta: { progressToken: 9 } })
        yield* session.changed
        yield* session.receive([])
        expect(sent).toEqual([
          ["answer 1", 1],
          ["answer 2", 2],
          ["answer 3", 3],
          ["notifications/message", 4],
          ["answer 4", 4],
          ["notifications/progress", 5],
          ["notifications/progress", 5],
          ["notifications/progress", 5],
          ["answer 5", 5],
          ["notifications/tools/list_changed", undefined],
          ["answer null", undefined]
        ])
      })
    )
  )

  it.scopedLive("outlives an output that breaks after it has ended", () =>
    Effect.gen(function* () {
      const server = yield* served(serving(Registry.make(), turnOf()))
      server.input.end()
      yield* server.ended
      server.output.destroy(new Error("EPIPE"))
      yield* Effect.promise(() => new Promise((resolve) => server.output.once("close", resolve)))
    })
  )

  it.scopedLive("says nothing of a defect but that there was one", () =>
    atWork(
      Effect.gen(function* () {
        const raw = new Raw(
          yield* served({ serves: Effect.die(new Error("cannot read /home/ada/.secret at line 3")) })
        )
        raw.request(1, "initialize", { protocolVersion: "2025-11-25" })
        const { error } = (yield* raw.answer(1)) as { readonly error?: { readonly message: string } }
        expect(error).toEqual({
          code: -32603,
          message: "the server broke unexpectedly; its log has the details"
        })
      })
    )
  )

  it.scopedLive("answers what was asked before the input ended, and interrupts what does not end", () =>
    atWork(
      Effect.gen(function* () {
        const { interrupted, started, wait } = yield* waiting
        const raw = yield* rawly({
          ...serving(Registry.make(wait), turnOf()),
          limits: { grace: "10 millis" }
        })
        raw.request(1, "tools/call", { name: "wait" })
        yield* started
        raw.request(2, "tools/list")
        raw.server.input.end()
        yield* raw.server.ended
        yield* interrupted
        expect(raw.heard.filter(({ id }) => id === 1)).toEqual([])
        expect(raw.heard.filter(({ id }) => id === 2)).toHaveLength(1)
      })
    )
  )

  it.scopedLive("ends when nobody is there to answer", () =>
    atWork(
      Effect.gen(function* () {
        const { interrupted, started, wait } = yield* waiting
        const raw = yield* rawly(serving(Registry.make(wait), turnOf()))
        raw.request(1, "tools/call", { name: "wait" })
        yield* started
        raw.server.output.destroy()
        yield* raw.server.ended
        yield* interrupted
      })
    )
  )
})

describe("what the conformance checks ask for", () => {
  it.scopedLive("is served: pictures, sounds, resources, logs of tools, and a prompt", () =>
    Effect.gen(function* () {
      const there = yield* connected(conformanceOptions())
      const contents = (name: string) => Effect.map(call(there, name), ({ content }) => content)
      expect(yield* contents("test_image_content")).toMatchObject([{ type: "image", mimeType: "image/png" }])
      expect(yield* contents("test_audio_content")).toMatchObject([{ type: "audio", mimeType: "audio/wav" }])
      expect(yield* contents("test_embedded_resource")).toMatchObject([{ type: "resource" }])
      expect(yield* contents("test_multiple_content_types")).toHaveLength(3)
      expect(yield* call(there, "test_error_handling")).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining("intentionally returns an error") }]
      })
      yield* contents("test_tool_with_logging")
      const logged = there.heard.filter(({ method }) => method === "notifications/message")
      expect(logged.map(({ params }) => params)).toEqual(
        ["Tool execution started", "Tool processing data", "Tool execution completed"].map((data) => ({
          level: "info",
          logger: "tool",
          data
        }))
      )
      const { messages } = yield* Effect.promise(() => there.client.getPrompt({ name: "test_simple_prompt" }))
      expect(messages).toMatchObject([{ content: { text: "This is a simple prompt for testing.\n" } }])
      const { resources } = yield* Effect.promise(() => there.client.listResources())
      expect(resources).toHaveLength(1)
    }).pipe(Effect.provide(conformanceRecords), Effect.provide(Logger.remove(Logger.defaultLogger)))
  )

  it.scopedLive("is not told of what tools log, unless the host wants that", () =>
    Effect.gen(function* () {
      const there = yield* connected({ ...conformanceOptions(), toolLogs: false })
      yield* call(there, "test_tool_with_logging")
      expect(there.heard.filter(({ method }) => method === "notifications/message")).toEqual([])
    }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
  )
})

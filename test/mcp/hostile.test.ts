/**
 * Threat: what comes over the pipe is a stranger's. It may be no JSON, no UTF-8, too long, too deep, cut in the middle, or
 * not a message at all. None of it ends the server, and every request that can be told is answered exactly once.
 */
import { describe, expect, it } from "@effect/vitest"
import { Registry, Tool } from "bailiwick"
import { McpServer } from "bailiwick/mcp"
import { Effect, FastCheck, Logger, Schema } from "effect"
import { times } from "../deep.js"
import { turnOf } from "../registry/support.js"
import { type Raw, rawly } from "./connected.js"

const echo = Tool.make({
  name: "echo",
  description: "Says it again",
  parameters: Schema.Struct({ text: Schema.optional(Schema.Unknown) }),
  capabilities: {},
  execute: ({ text }) => Effect.succeed(text ?? null)
})

const options: McpServer.Options = {
  serves: Effect.succeed({ registry: Registry.make(echo), turn: turnOf() }),
  limits: { messageBytes: 4096 }
}

const quiet = Effect.provide(Logger.remove(Logger.defaultLogger))

let probes = 0

/** The server is there: it answers what comes next. */
const isThere = (raw: Raw) =>
  Effect.gen(function* () {
    const id = `probe ${++probes}`
    raw.request(id, "tools/call", { name: "echo", arguments: { text: id } })
    expect(yield* raw.answer(id)).toMatchObject({ result: { content: [{ text: id }] } })
  })

const unanswerable: ReadonlyArray<readonly [string, string | Uint8Array, number]> = [
  ["no JSON", "{", -32700],
  ["a word", "hello", -32700],
  ["no UTF-8", Uint8Array.of(0x22, 0xff, 0xfe, 0x22), -32700],
  ["a line that is too long", `"${"x".repeat(5000)}"`, -32600],
  ["a batch", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
  ["an empty batch", "[]", -32600],
  ["a number", "7", -32600],
  ["null", "null", -32600],
  ["another version", '{"jsonrpc":"1.0","method":"ping"}', -32600],
  ["an id that is no id", '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
  ["a fraction as id", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
  ["null as id", '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
  ["an id that is too large to be exact", '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', -32600]
]

const refused: ReadonlyArray<readonly [string, object, number]> = [
  ["a method that is no text", { method: 7 }, -32600],
  ["no method", {}, -32600],
  ["params that are a list", { method: "tools/call", params: [] }, -32600],
  ["params that are null", { method: "tools/list", params: null }, -32600],
  ["a method that nobody has", { method: "toString" }, -32601],
  ["another", { method: "completion/complete", params: {} }, -32601],
  ["sampling, which is the client's", { method: "sampling/createMessage", params: {} }, -32601],
  ["a call without a name", { method: "tools/call", params: {} }, -32602],
  ["a call of a number", { method: "tools/call", params: { name: 7 } }, -32602],
  ["arguments that are a list", { method: "tools/call", params: { name: "echo", arguments: [] } }, -32602],
  ["a level that is none", { method: "logging/setLevel", params: { level: "loud" } }, -32602],
  ["a cursor that is no text", { method: "tools/list", params: { cursor: 7 } }, -32602],
  ["a resource without an address", { method: "resources/read", params: {} }, -32602],
  ["a prompt that is not there", { method: "prompts/get", params: { name: "x" } }, -32602]
]

describe("a server that is sent anything", () => {
  it.scopedLive.each(unanswerable)("answers %s with an error of nobody's, and goes on", ([, line, code]) =>
    quiet(
      Effect.gen(function* () {
        const raw = yield* rawly(options)
        raw.line(line)
        expect(yield* raw.answer(null)).toMatchObject({ id: null, error: { code } })
        yield* isThere(raw)
        expect(raw.heard.filter(({ id }) => id === null)).toHaveLength(1)
      })
    )
  )

  it.scopedLive.each(refused)("answers %s with an error, and goes on", ([, message, code]) =>
    quiet(
      Effect.gen(function* () {
        const raw = yield* rawly(options)
        raw.say({ jsonrpc: "2.0", id: "bad", ...message })
        expect(yield* raw.answer("bad")).toMatchObject({ error: { code } })
        yield* isThere(raw)
      })
    )
  )

  it.scopedLive("does not follow what is nested without end", () =>
    quiet(
      Effect.gen(function* () {
        const raw = yield* rawly({ ...options, limits: { messageBytes: 1_000_000 } })
        const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`
        raw.line(
          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":${deep}}}}`
        )
        expect(yield* raw.answer(1)).toMatchObject({ error: { code: -32600 } })
        yield* isThere(raw)
      })
    )
  )

  it.scopedLive("says nothing to answers and notifications, whatever they hold", () =>
    quiet(
      Effect.gen(function* () {
        const raw = yield* rawly(options)
        const before = raw.heard.length
        raw.say({ jsonrpc: "2.0", id: 1, result: {} })
        raw.say({ jsonrpc: "2.0", id: 1, error: { code: 1, message: "no" } })
        raw.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99 } })
        raw.say({ jsonrpc: "2.0", method: "notifications/cancelled" })
        raw.say({ jsonrpc: "2.0", method: "notifications/never_heard_of", params: { a: 1 } })
        raw.line("")
        raw.line("  \r")
        yield* isThere(raw)
        expect(raw.heard).toHaveLength(before + 1)
      })
    )
  )

  it.scopedLive("takes a name of a prototype for no property", () =>
    quiet(
      Effect.gen(function* () {
        const raw = yield* rawly(options)
        raw.line('{"__proto__":{"jsonrpc":"2.0","id":5,"method":"ping"}}')
        expect(yield* raw.answer(null)).toMatchObject({ error: { code: -32600 } })
        raw.line('{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"__proto__":{"name":"echo"}}}')
        expect(yield* raw.answer(6)).toMatchObject({ error: { code: -32602 } })
        yield* isThere(raw)
      })
    )
  )

  it.scopedLive("reads messages that come in pieces, and several in one", () =>
    quiet(
      Effect.gen(function* () {
        const raw = yield* rawly(options)
        const text = [1, 2, 3]
          .map(
            (id) =>
              `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "echo", arguments: { text: "été 🦊" } } })}\n`
          )
          .join("")
        for (const byte of Buffer.from(text)) raw.server.input.write(Uint8Array.of(byte))
        for (const id of [1, 2, 3])
          expect(yield* raw.answer(id)).toMatchObject({ result: { content: [{ text: "été 🦊" }] } })
        raw.server.input.write(text.replaceAll(/"id":(\d)/g, '"id":1$1'))
        for (const id of [11, 12, 13]) yield* raw.answer(id)
      })
    )
  )

  it.live("answers every request whose id can be read exactly once, whatever else comes between", () =>
    Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(
          FastCheck.array(
            FastCheck.oneof(
              FastCheck.record({ kind: FastCheck.constant("json" as const), value: FastCheck.jsonValue() }),
              FastCheck.record({
                kind: FastCheck.constant("line" as const),
                value: FastCheck.oneof(
                  FastCheck.string(),
                  FastCheck.string({ unit: "binary" }),
                  FastCheck.uint8Array({ maxLength: 64 })
                )
              }),
              FastCheck.record({
                kind: FastCheck.constant("request" as const),
                method: FastCheck.oneof(
                  FastCheck.constantFrom(
                    "ping",
                    "tools/call",
                    "tools/list",
                    "resources/read",
                    "prompts/get",
                    "logging/setLevel"
                  ),
                  FastCheck.string()
                ),
                params: FastCheck.oneof(
                  FastCheck.jsonValue(),
                  FastCheck.record({ name: FastCheck.constant("echo"), arguments: FastCheck.jsonValue() })
                )
              })
            ),
            { maxLength: 30 }
          ),
          (said) =>
            Effect.runPromise(
              Effect.scoped(
                quiet(
                  Effect.gen(function* () {
                    const raw = yield* rawly(options)
                    const asked: Array<string> = []
                    for (const one of said) {
                      if (one.kind === "json") raw.say(one.value)
                      else if (one.kind === "line")
                        raw.line(
                          typeof one.value === "string"
                            ? one.value
                            : one.value.map((byte) => (byte === 10 ? 0 : byte))
                        )
                      else {
                        const id = `r${asked.length}`
                        asked.push(id)
                        raw.request(id, one.method, one.params as object)
                      }
                    }
                    yield* isThere(raw)
                    for (const id of asked) yield* raw.answer(id)
                    const answers = raw.heard.filter(({ method }) => method === undefined).map(({ id }) => id)
                    for (const id of asked) expect(answers.filter((one) => one === id)).toHaveLength(1)
                  })
                )
              )
            )
        ),
        { numRuns: times(60) }
      )
    )
  )

  it.scopedLive("does not read on while nobody reads its answers", () =>
    quiet(
      Effect.gen(function* () {
        const raw = yield* rawly({ ...options, limits: {} })
        raw.server.output.pause()
        const text = "x".repeat(20_000)
        for (let id = 1; id <= 50; id++) raw.request(id, "tools/call", { name: "echo", arguments: { text } })
        yield* Effect.yieldNow()
        yield* Effect.promise(() => new Promise((go) => setImmediate(go)))
        expect(raw.server.input.isPaused()).toBe(true)
        raw.server.output.resume()
        for (let id = 1; id <= 50; id++) yield* raw.answer(id)
        yield* isThere(raw)
      })
    )
  )

  it.scopedLive("takes what is not even data for no message", () =>
    quiet(
      Effect.gen(function* () {
        const sent: Array<unknown> = []
        const session = yield* McpServer.session(options, (message) => Effect.sync(() => sent.push(message)))
        const trap = new Proxy(
          {},
          {
            getOwnPropertyDescriptor: () => {
              throw new Error("trap")
            }
          }
        )
        const circle: Record<string, unknown> = { jsonrpc: "2.0", id: 1, method: "ping" }
        circle.params = circle
        for (const value of [trap, circle, undefined, Symbol("x"), () => 1, 1n]) yield* session.receive(value)
        expect(sent).toHaveLength(6)
        expect(sent.every((one) => (one as { error?: { code: number } }).error?.code === -32600)).toBe(true)
      })
    )
  )
})

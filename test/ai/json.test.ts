/** Threat: a provider's JSON is a stranger's. Whatever it holds is an answer to the model, and never an exception. */
import { describe, expect, it } from "@effect/vitest"
import { Registry, Tool } from "bailiwick"
import { Json } from "bailiwick/ai"
import { Effect, FastCheck, Schema } from "effect"
import { everything, turnOf } from "../registry/support.js"
import { atDesk, desk, everyBuiltin, meeting, readerTurn, waiting } from "./desk.js"

const call = (call_id: string, name: string, args: string) => ({
  type: "function_call",
  id: `fc_${call_id}`,
  call_id,
  name,
  arguments: args
})

const asOpenai = (...output: ReadonlyArray<unknown>) => ({ id: "resp_1", object: "response", output })

describe("a list of tools", () => {
  it.effect("has the menu, in the form of each provider", () =>
    atDesk(
      Effect.gen(function* () {
        const menu = (yield* desk.menu(readerTurn())).filter(({ name }) => name === "read_note")
        const parameters = {
          type: "object",
          required: ["path"],
          properties: { path: { type: "string" } },
          additionalProperties: false
        }
        const said = { name: "read_note", description: "Reads a note of the notebook" }
        expect(Json.openai(menu)).toEqual([{ type: "function", ...said, parameters, strict: false }])
        expect(Json.openaiChat(menu)).toEqual([{ type: "function", function: { ...said, parameters } }])
        expect(Json.anthropic(menu)).toEqual([{ ...said, input_schema: parameters }])
      })
    )
  )

  it.effect("has every built-in tool by a name that providers take, with one object of parameters", () =>
    Effect.sync(() => {
      const menu = [...everyBuiltin.tools.values()].map((tool) => itemOf(tool))
      expect(menu.length).toBeGreaterThan(20)
      for (const { input_schema, name } of Json.anthropic(menu)) {
        expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
        expect(input_schema.type, name).toBe("object")
        for (const key of ["$schema", "anyOf", "oneOf", "allOf", "$ref"])
          expect(input_schema).not.toHaveProperty(key)
      }
    })
  )

  it("has no tool with a name that providers refuse, because there is none", () => {
    for (const name of ["x".repeat(65), "a.b", "naïve", "a b", ""]) {
      expect(() => Tool.make({ ...plain, name })).toThrow("NAME_INVALID")
    }
  })

  it("shows a choice of objects as one object with what all of them have", () => {
    const Circle = Schema.Struct({ kind: Schema.Literal("circle"), radius: Schema.Number })
    const Square = Schema.Struct({ kind: Schema.Literal("square"), side: Schema.Number })
    const parameters = Schema.Union(Circle.annotations({ identifier: "Circle" }), Square)
    const [tool] = Json.anthropic([itemOf(Tool.make({ ...plain, name: "choice", parameters }))])
    expect(tool?.input_schema).toMatchObject({
      type: "object",
      required: ["kind"],
      properties: {
        kind: { enum: ["circle", "square"] },
        radius: { type: "number" },
        side: { type: "number" }
      },
      additionalProperties: false
    })
    expect(tool?.input_schema).not.toHaveProperty("anyOf")
  })
})

const plain = {
  description: "d",
  parameters: Schema.Struct({}),
  capabilities: {},
  execute: () => Effect.void
} as const

const itemOf = (tool: Tool.Any): Registry.Item => ({
  name: tool.name,
  description: tool.description,
  parameters: Tool.jsonSchema(tool),
  readOnly: tool.readOnly,
  outputIsUntrusted: tool.outputIsUntrusted,
  category: tool.category,
  surface: []
})

describe("what a response asks for", () => {
  it.effect("is answered in the form of OpenAI's responses, reasoning and texts left aside", () =>
    atDesk(
      Effect.gen(function* () {
        const response = asOpenai(
          { type: "reasoning", id: "rs_1", summary: [] },
          call("c1", "read_note", '{"path":"a.md"}'),
          { type: "message", role: "assistant", content: [] },
          call("c2", "read_note", '{"path":"/etc/passwd"}')
        )
        const { messages, results } = yield* Json.runOpenai(desk, readerTurn(), response)
        expect(messages).toEqual([
          { type: "function_call_output", call_id: "c1", output: "apples" },
          {
            type: "function_call_output",
            call_id: "c2",
            output: "execution_failed: PATH_NOT_REACHABLE: read not permitted for /etc/passwd"
          }
        ])
        // The program has the denial, and the model has not.
        expect(results[1]?.result).toMatchObject({ ok: false, denial: { remedy: "fs.read{in=/etc/passwd}" } })
        expect(JSON.stringify(messages)).not.toContain("remed")
        expect((yield* Json.runOpenai(desk, readerTurn(), response.output)).messages).toEqual(messages)
      })
    )
  )

  it.effect("is answered in the form of chat completions, of which the first choice counts", () =>
    atDesk(
      Effect.gen(function* () {
        const message = {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              id: "c1",
              type: "function",
              function: { name: "count_rows", arguments: '{"table":"t","since":"4"}' }
            },
            { id: "c2", type: "custom", custom: { name: "x", input: "" } }
          ]
        }
        const other = { ...message, tool_calls: [{ ...message.tool_calls[0], id: "other" }] }
        const response = {
          choices: [
            { index: 0, message },
            { index: 1, message: other }
          ]
        }
        const { messages } = yield* Json.runOpenaiChat(desk, readerTurn(), response)
        expect(messages).toEqual([{ role: "tool", tool_call_id: "c1", content: '{"rows":7}' }])
        expect((yield* Json.runOpenaiChat(desk, readerTurn(), message)).messages).toEqual(messages)
      })
    )
  )

  it.effect("is answered in the form of Anthropic, in one message", () =>
    atDesk(
      Effect.gen(function* () {
        const response = {
          role: "assistant",
          stop_reason: "tool_use",
          content: [
            { type: "text", text: "Let me see." },
            { type: "tool_use", id: "t1", name: "read_note", input: { path: "a.md" } },
            { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
            { type: "tool_use", id: "t2", name: "read_note", input: { path: 7 } }
          ]
        }
        const { messages } = yield* Json.runAnthropic(desk, readerTurn(), response)
        expect(messages).toEqual([
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "t1", content: "apples", is_error: false },
              {
                type: "tool_result",
                tool_use_id: "t2",
                content: expect.stringMatching(/^input_invalid: .*path/),
                is_error: true
              }
            ]
          }
        ])
      })
    )
  )

  it.effect("is nothing where there are no calls, or nothing that is a response", () =>
    atDesk(
      Effect.gen(function* () {
        const others = [
          undefined,
          null,
          7,
          "text",
          [],
          {},
          { output: 1 },
          { choices: [] },
          { content: [null, 1] }
        ]
        for (const response of others) {
          for (const run of [Json.runOpenai, Json.runOpenaiChat, Json.runAnthropic]) {
            expect(yield* run(desk, readerTurn(), response)).toEqual({ results: [], messages: [] })
          }
        }
      })
    )
  )

  it.effect("may be wrong in every way, and each call has an answer", () =>
    atDesk(
      Effect.gen(function* () {
        const { messages } = yield* Json.runOpenai(
          desk,
          readerTurn(),
          asOpenai(
            call("same", "read_note", '{"path": "a.m'),
            call("same", "read_note", '{"path":"a.md"}'),
            call("3", "no_such_tool", "{}"),
            call("4", "no_such_tool", "{"),
            call("5", "oddities", ""),
            call("6", "constructor", "{}"),
            call("7", "read_note", "null"),
            call("8", "read_note", '{"path":"a.md","__proto__":{"x":1}}'),
            { type: "function_call" }
          )
        )
        expect(messages.map(({ call_id }) => call_id)).toEqual([
          "same",
          "same",
          "3",
          "4",
          "5",
          "6",
          "7",
          "8",
          ""
        ])
        const notJson =
          "input_invalid: the arguments are not JSON; send one object with the parameters of the tool"
        const said = messages.map(({ output }) => output)
        expect(said.slice(0, 2)).toEqual([notJson, "apples"])
        for (const at of [2, 3, 5, 8]) expect(said[at]).toMatch(/^not_available: /)
        expect(said[4]).toBe('{"bytes":"aGk=","map":[["a",1]],"set":[2]}')
        for (const at of [6, 7]) expect(said[at]).toMatch(/^input_invalid: /)
      })
    )
  )

  it.effect("never throws, whatever the JSON", () =>
    atDesk(
      Effect.gen(function* () {
        const parts = FastCheck.sample(
          FastCheck.array(
            FastCheck.oneof(
              FastCheck.jsonValue(),
              FastCheck.record({
                type: FastCheck.constantFrom("function_call", "tool_use", "function"),
                call_id: FastCheck.jsonValue(),
                name: FastCheck.oneof(FastCheck.constant("oddities"), FastCheck.jsonValue()),
                arguments: FastCheck.oneof(FastCheck.json(), FastCheck.string(), FastCheck.jsonValue()),
                input: FastCheck.jsonValue()
              })
            )
          ),
          100
        )
        for (const given of parts) {
          for (const run of [Json.runOpenai, Json.runOpenaiChat, Json.runAnthropic]) {
            const { results } = yield* run(desk, readerTurn(), given)
            expect(results.length).toBeLessThanOrEqual(given.length)
          }
        }
      })
    )
  )

  it.effect("runs as one batch: side by side, and within one budget", () =>
    Effect.gen(function* () {
      const meet = yield* meeting
      const registry = Registry.make(meet, ...desk.tools.values())
      const turn = turnOf(everything, { budget: 400 })
      const { messages, results } = yield* Json.runOpenai(
        registry,
        turn,
        asOpenai(
          call("1", "meet", "{}"),
          call("2", "meet", "{}"),
          call("3", "lines", '{"count":100}'),
          call("4", "lines", '{"count":100}')
        )
      )
      expect(messages.slice(0, 2).map(({ output }) => output)).toEqual(["met", "met"])
      expect(results.slice(2).every(({ result }) => result.ok && result.truncated)).toBe(true)
      // A list that was cut does not say so by itself.
      expect(messages[3]?.output).toMatch(/\[cut: this is not all of the result\]$/)
      expect(messages.reduce((sum, { output }) => sum + output.length, 0)).toBeLessThan(700)
    })
  )

  it.live("is interrupted by a signal, and says so to the model", () =>
    Effect.gen(function* () {
      const { interrupted, started, wait } = yield* waiting
      const controller = new AbortController()
      const fiber = yield* Effect.fork(
        Json.runOpenai(Registry.make(wait), turnOf(everything), asOpenai(call("1", "wait", "")), {
          signal: controller.signal
        })
      )
      yield* started
      controller.abort()
      yield* interrupted
      const { messages } = yield* fiber
      expect(messages[0]?.output).toBe("interrupted: the call was interrupted")
    })
  )
})

/**
 * Threat: the loop of Vercel's SDK changes between versions, and a tool that fits one throws in another. So real
 * generations of all three run here, with the SDK's own mock models and without a network.
 */
import { describe, expect, it } from "@effect/vitest"
import * as ai5 from "ai5"
import { MockLanguageModelV2 } from "ai5/test"
import * as ai6 from "ai6"
import { MockLanguageModelV3 } from "ai6/test"
import * as ai7 from "ai7"
import { MockLanguageModelV4 } from "ai7/test"
import { Registry, type ToolResult } from "bailiwick"
import { AiSdk } from "bailiwick/ai"
import { Effect, Fiber } from "effect"
import { everything, turnOf } from "../registry/support.js"
import { atDesk, desk, everyBuiltin, readerTurn, waiting } from "./desk.js"

interface Said {
  readonly id: string
  readonly name: string
  readonly input: string
}

const finish = { unified: "stop", raw: "stop" } as const
const noUsage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 }
}

const contentOf = (said: ReadonlyArray<Said> | string) =>
  typeof said === "string"
    ? [{ type: "text" as const, text: said }]
    : said.map(({ id, input, name }) => ({
        type: "tool-call" as const,
        toolCallId: id,
        toolName: name,
        input
      }))

type Script = ReadonlyArray<ReadonlyArray<Said> | string>

/** What a version answered, in words that all three share. */
interface Run {
  readonly text: string
  readonly outputs: ReadonlyArray<unknown>
  /** The prompt of each request. */
  readonly prompts: ReadonlyArray<unknown>
  /** The tools of the first request. */
  readonly tools: ReadonlyArray<{ readonly name: string; readonly inputSchema: object }>
}

type Tools = Effect.Effect.Success<ReturnType<typeof toolsOf>>

const toolsOf = (turn = readerTurn()) => AiSdk.tools(desk, turn)

type Version = (script: Script, tools: Tools, abortSignal?: AbortSignal) => Promise<Run>

/** The second step has what the calls of the first answered. */
const steps = 3

const runOf = (
  result: {
    readonly text: string
    readonly steps: ReadonlyArray<{ readonly toolResults: ReadonlyArray<{ readonly output: unknown }> }>
  },
  requests: ReadonlyArray<{ readonly prompt: unknown; readonly tools?: unknown }>
): Run => ({
  text: result.text,
  outputs: result.steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output)),
  prompts: requests.map(({ prompt }) => prompt),
  tools: (requests[0]?.tools ?? []) as Run["tools"]
})

type Is<A, B> = [A] extends [never] ? 0 : [A] extends [B] ? 1 : 0

type Note = { readonly toolName: "read_note"; readonly dynamic?: false | undefined }

/** What the compiler knows of a call and of a result, in each version. */
type Known<Call, Result> = [
  Is<Extract<Call, Note>, { readonly input: { readonly path: string } }>,
  Is<Extract<Result, Note>, { readonly output: ToolResult.ToolResult<string> }>
]

const known: [1, 1] = [1, 1]

const five: Version = async (script, tools, abortSignal) => {
  const left = [...script]
  const model = new MockLanguageModelV2({
    doGenerate: async () => ({
      content: contentOf(left.shift() ?? ""),
      finishReason: "stop",
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      warnings: []
    })
  })
  const result = await ai5.generateText({
    model,
    prompt: "?",
    tools,
    stopWhen: ai5.stepCountIs(steps),
    ...(abortSignal === undefined ? {} : { abortSignal }),
    experimental_telemetry: { isEnabled: false }
  })
  known satisfies Known<(typeof result.toolCalls)[number], (typeof result.toolResults)[number]>
  return runOf(result, model.doGenerateCalls)
}

const six: Version = async (script, tools, abortSignal) => {
  const left = [...script]
  const model = new MockLanguageModelV3({
    doGenerate: async () => ({
      content: contentOf(left.shift() ?? ""),
      finishReason: finish,
      usage: noUsage,
      warnings: []
    })
  })
  const result = await ai6.generateText({
    model,
    prompt: "?",
    tools,
    stopWhen: ai6.stepCountIs(steps),
    ...(abortSignal === undefined ? {} : { abortSignal }),
    experimental_telemetry: { isEnabled: false }
  })
  known satisfies Known<(typeof result.toolCalls)[number], (typeof result.toolResults)[number]>
  return runOf(result, model.doGenerateCalls)
}

const seven: Version = async (script, tools, abortSignal) => {
  const left = [...script]
  const model = new MockLanguageModelV4({
    doGenerate: async () => ({
      content: contentOf(left.shift() ?? ""),
      finishReason: finish,
      usage: noUsage,
      warnings: []
    })
  })
  const result = await ai7.generateText({
    model,
    prompt: "?",
    tools,
    stopWhen: ai7.stepCountIs(steps),
    ...(abortSignal === undefined ? {} : { abortSignal }),
    telemetry: { isEnabled: false }
  })
  known satisfies Known<(typeof result.toolCalls)[number], (typeof result.toolResults)[number]>
  return runOf(result, model.doGenerateCalls)
}

for (const [name, run] of Object.entries({ five, six, seven })) {
  describe(`version ${name} of the AI SDK`, () => {
    it.effect("calls through the registry, and the model reads values and refusals", () =>
      Effect.gen(function* () {
        const turn = readerTurn()
        const tools = yield* toolsOf(turn)
        const script: Script = [
          [
            { id: "c1", name: "read_note", input: '{"path":"a.md"}' },
            { id: "c2", name: "read_note", input: '{"path":"/etc/passwd"}' },
            { id: "c3", name: "count_rows", input: '{"table":"t","since":"4"}' },
            { id: "c4", name: "read_note", input: '{"path":7}' }
          ],
          "Apples."
        ]
        const { outputs, prompts, text } = yield* Effect.promise(() => run(script, tools))
        expect(text).toBe("Apples.")
        const refused = "PATH_NOT_REACHABLE: read not permitted for /etc/passwd"
        expect(outputs).toMatchObject([
          { ok: true, value: "apples" },
          { ok: false, code: "execution_failed", error: refused },
          { ok: true, value: { rows: 7 } },
          { ok: false, code: "input_invalid" }
        ])
        expect(JSON.stringify(outputs)).not.toContain("remed")
        const told = (prompts[1] as ReadonlyArray<{ readonly content: unknown }>).at(-1)?.content
        expect(told).toMatchObject([
          { toolCallId: "c1", output: { type: "text", value: "apples" } },
          { toolCallId: "c2", output: { type: "error-text", value: `execution_failed: ${refused}` } },
          { toolCallId: "c3", output: { type: "text", value: '{"rows":7}' } },
          {
            toolCallId: "c4",
            output: { type: "error-text", value: expect.stringMatching(/^input_invalid: /) }
          }
        ])
        expect(turn.transcript.events.map(({ allowed }) => allowed)).toEqual([true, false])
      }).pipe(atDesk)
    )

    it.effect("tells the model of a name that no tool has, and of arguments that are no JSON", () =>
      Effect.gen(function* () {
        const tools = yield* toolsOf()
        const script: Script = [
          [
            { id: "c1", name: "no_such_tool", input: "{}" },
            { id: "c2", name: "constructor", input: "{}" },
            { id: "c3", name: "read_note", input: '{"path":' }
          ],
          "Sorry."
        ]
        const { prompts, text } = yield* Effect.promise(() => run(script, tools))
        expect(text).toBe("Sorry.")
        const told = (prompts[1] as ReadonlyArray<{ readonly content: unknown }>).at(-1)?.content
        expect(told).toMatchObject(
          ["c1", "c2", "c3"].map((id) => ({ toolCallId: id, output: { type: "error-text" } }))
        )
      }).pipe(atDesk)
    )

    it.effect("shows the model the parameters of the menu", () =>
      Effect.gen(function* () {
        const turn = turnOf(everything)
        const made = yield* AiSdk.tools(everyBuiltin, turn)
        const { tools } = yield* Effect.promise(() => run(["Hello."], made as never))
        const menu = yield* everyBuiltin.menu(turn)
        expect(tools.map(({ name }) => name).sort()).toEqual(menu.map(({ name }) => name).sort())
        for (const { name, parameters } of menu) {
          const { $schema: _, ...expected } = parameters
          expect(tools.find((tool) => tool.name === name)?.inputSchema, name).toEqual(expected)
        }
      }).pipe(atDesk)
    )

    it.live("interrupts a call by its abort signal, which is the fiber's own", () =>
      Effect.gen(function* () {
        const { interrupted, started, wait } = yield* waiting
        const tools = yield* AiSdk.tools(Registry.make(wait), turnOf(everything))
        const script: Script = [[{ id: "c1", name: "wait", input: "{}" }], "Done."]
        const loop = Effect.tryPromise((signal) => run(script, tools as never, signal))
        const fiber = yield* Effect.fork(loop)
        yield* started
        yield* Fiber.interrupt(fiber)
        yield* interrupted
      })
    )
  })
}

describe("streams of the AI SDK", () => {
  const parts = (said: ReadonlyArray<Said>) => [
    { type: "stream-start" as const, warnings: [] },
    ...contentOf(said).filter((part) => part.type === "tool-call")
  ]

  it.effect("have the results of the registry, in all versions", () =>
    Effect.gen(function* () {
      const said = [
        { id: "c1", name: "read_note", input: '{"path":"a.md"}' },
        { id: "c2", name: "read_note", input: '{"path":"/etc/passwd"}' }
      ]
      const streamOf = <P>(last: P) => ai5.simulateReadableStream({ chunks: [...parts(said), last] })
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
      const tools = yield* toolsOf()
      const five = ai5.streamText({
        model: new MockLanguageModelV2({
          doStream: async () => ({
            stream: streamOf({ type: "finish" as const, finishReason: "stop" as const, usage })
          })
        }),
        prompt: "?",
        tools
      })
      const doStream = async () => ({
        stream: streamOf({ type: "finish" as const, finishReason: finish, usage: noUsage })
      })
      const six = ai6.streamText({ model: new MockLanguageModelV3({ doStream }), prompt: "?", tools })
      const seven = ai7.streamText({ model: new MockLanguageModelV4({ doStream }), prompt: "?", tools })
      for (const { toolResults } of [five, six, seven]) {
        const results = yield* Effect.promise(() => toolResults)
        expect(results.map(({ output }) => (output as ToolResult.ToolResult).ok)).toEqual([true, false])
      }
    }).pipe(atDesk)
  )
})

it.effect("a result that came back from elsewhere is no result", () =>
  Effect.gen(function* () {
    const { read_note } = yield* toolsOf()
    for (const odd of [undefined, null, 7, "x", {}, { output: "x" }]) {
      expect(read_note.toModelOutput(odd)).toEqual({
        type: "error-text",
        value: "the result of this call cannot be read"
      })
    }
  }).pipe(atDesk)
)

/**
 * Threat: the loop of a framework goes around the registry, or one bad call ends a conversation. So real generations
 * run here, with a model that asks for what it should not.
 */
import { Tool as AiTool, Chat, LanguageModel, Prompt, Response, Toolkit } from "@effect/ai"
import { AnthropicTool } from "@effect/ai-anthropic"
import { describe, expect, it } from "@effect/vitest"
import { Files, Registry, Tool } from "bailiwick"
import { batch, merge, options, toolkit } from "bailiwick/ai/effect"
import { Chunk, Effect, Either, Fiber, Option, Schema, Stream, type Tracer } from "effect"
import { calls, layerScripted, type Script, type Shown } from "../../examples/ai/scripted.js"
import { everything, turnOf } from "../registry/support.js"
import { atDesk, Db, desk, everyBuiltin, meeting, readerTurn, waiting } from "./desk.js"

const prompt = "What is in my notes?"

/** With a model that follows the script. */
const scripted =
  (script: Script, heard: Array<Shown> = []) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    atDesk(Effect.provide(effect, layerScripted(script, heard)))

const refusal = {
  ok: false,
  code: "execution_failed",
  error: "PATH_NOT_REACHABLE: read not permitted for /etc/passwd"
}

describe("a toolkit of a turn", () => {
  it.effect("answers the calls of a generation through the registry, typed", () =>
    Effect.gen(function* () {
      const turn = readerTurn()
      const response = yield* LanguageModel.generateText({ prompt, toolkit: toolkit(desk, turn) })
      const [first, second] = response.toolResults
      if (first?.name !== "read_note" || first.isFailure) throw new Error("no note")
      const text: string = first.result
      expect(text).toBe("apples")
      if (second?.name !== "count_rows" || second.isFailure) throw new Error("no count")
      const rows: number = second.result.rows
      expect(rows).toBe(7)
      expect(response.toolResults.map(({ id }) => id)).toEqual(["c1", "c2"])
      // As the model wrote them, and not as the tool takes them.
      expect(response.toolCalls[1]?.params).toEqual({ table: "orders", since: "4" })
      expect(turn.transcript.events.map(({ asked }) => asked)).toEqual(["read /notes/a.md"])
    }).pipe(
      scripted([
        [
          calls("c1", "read_note", { path: "a.md" }),
          calls("c2", "count_rows", { table: "orders", since: "4" })
        ]
      ])
    )
  )

  it.effect("tells the model of a refusal and of bad arguments, and the generation goes on", () => {
    const heard: Array<Shown> = []
    return Effect.gen(function* () {
      const chat = yield* Chat.empty
      const kit = yield* toolkit(desk, readerTurn())
      const { toolResults } = yield* chat.generateText({ prompt, toolkit: kit })
      expect(toolResults.map(({ isFailure }) => isFailure)).toEqual([true, true, true])
      // The program has the denial.
      expect(toolResults[0]?.result).toMatchObject({
        ...refusal,
        denial: { remedy: "fs.read{in=/etc/passwd}" }
      })
      expect(toolResults[1]?.result).toMatchObject({ ok: false, code: "input_invalid" })
      expect(toolResults[2]?.result).toMatchObject({ ok: false, code: "input_invalid" })
      expect((yield* chat.generateText({ prompt: [], toolkit: kit })).text).toBe("I may not.")
      // The model has not.
      const told = heard[1]?.prompt.content.at(-1)
      expect(told).toMatchObject({ role: "tool", content: [{ isFailure: true, result: refusal }, {}, {}] })
      expect(JSON.stringify(told)).not.toContain("remed")
    }).pipe(
      scripted(
        [
          [
            calls("1", "read_note", { path: "/etc/passwd" }),
            calls("2", "read_note", { path: 7 }),
            calls("3", "read_note", "no object")
          ],
          "I may not."
        ],
        heard
      )
    )
  })

  it.effect("has what the turn offers, and nothing else", () =>
    Effect.gen(function* () {
      const { tools } = yield* toolkit(everyBuiltin, readerTurn())
      const menu = yield* everyBuiltin.menu(readerTurn())
      expect(Object.keys(tools)).toEqual(menu.map(({ name }) => name))
      expect(Object.keys(tools)).toContain("read_file")
      expect(Object.keys(tools)).not.toContain("write_file")
    }).pipe(atDesk)
  )

  it.effect("shows each built-in tool as the menu does", () =>
    Effect.gen(function* () {
      const turn = turnOf(everything)
      const { tools } = yield* toolkit(everyBuiltin, turn)
      const menu = yield* everyBuiltin.menu(turn)
      expect(menu).toHaveLength(everyBuiltin.tools.size)
      const shown: Record<string, AiTool.Any> = tools
      for (const { description, name, parameters, readOnly } of menu) {
        const tool = shown[name] as AiTool.Tool<string, never>
        const { $schema: _, ...expected } = parameters
        expect(AiTool.getJsonSchema(tool as never), name).toEqual(expected)
        expect(AiTool.getDescription(tool as never)).toBe(description)
        expect(tool.annotations.unsafeMap.get(AiTool.Readonly.key)).toBe(readOnly)
      }
    }).pipe(atDesk)
  )

  it.effect("cannot keep the library from failing a generation for a name that no tool has", () =>
    Effect.gen(function* () {
      const turn = readerTurn()
      const kit = yield* toolkit(desk, turn)
      // The handler answers in words.
      const answer = yield* kit.handle("no_such_tool" as "read_note", { path: "a.md" })
      expect(answer).toMatchObject({ isFailure: true, result: { code: "not_available" } })
      // The library decodes the message after that, and knows no such name: with or without running calls.
      const asked = { prompt, toolkit: kit }
      for (const generation of [
        LanguageModel.generateText(asked),
        LanguageModel.generateText({ ...asked, disableToolCallResolution: true }),
        Stream.runDrain(LanguageModel.streamText(asked))
      ]) {
        const failed = yield* Effect.flip(generation)
        expect(failed).toMatchObject({ _tag: "MalformedOutput" })
      }
    }).pipe(scripted([[calls("1", "no_such_tool", {})]]))
  )

  it.effect("serves a stream, results in place", () =>
    Effect.gen(function* () {
      const stream = LanguageModel.streamText({ prompt, toolkit: toolkit(desk, readerTurn()) })
      const parts = Chunk.toArray(yield* Stream.runCollect(stream))
      expect(parts.map(({ type }) => type)).toEqual([
        "text-start",
        "text-delta",
        "text-delta",
        "text-end",
        "tool-call",
        "tool-result",
        "tool-call",
        "tool-result"
      ])
      expect(parts[5]).toMatchObject({ id: "c1", isFailure: false, result: "apples" })
      expect(parts[7]).toMatchObject({ id: "c2", isFailure: true, encodedResult: refusal })
    }).pipe(
      scripted([
        [
          { type: "text", text: "I look." },
          calls("c1", "read_note", { path: "a.md" }),
          calls("c2", "read_note", { path: "/etc/passwd" })
        ]
      ])
    )
  )

  it.live("is interrupted with its generation, streamed or not", () =>
    Effect.gen(function* () {
      for (const streaming of [false, true]) {
        const { interrupted, started, wait } = yield* waiting
        const asked = { prompt, toolkit: toolkit(Registry.make(wait), turnOf(everything)) }
        const generation = streaming
          ? Stream.runDrain(LanguageModel.streamText(asked))
          : LanguageModel.generateText(asked)
        const fiber = yield* Effect.fork(generation)
        yield* started
        yield* Fiber.interrupt(fiber)
        yield* interrupted
      }
    }).pipe(scripted([[calls("1", "wait", {})]]))
  )

  it.effect("runs its calls with the services that it was made with, in the span of the caller", () =>
    Effect.gen(function* () {
      const kit = yield* Effect.withSpan(
        Effect.provideService(toolkit(desk, readerTurn()), Db, { count: () => 40 }),
        "made"
      )
      const spans: Array<Tracer.AnySpan> = []
      const seeing = Registry.make(
        Tool.make({
          name: "see",
          description: "d",
          parameters: Schema.Struct({}),
          capabilities: {},
          execute: () => Effect.map(Effect.currentSpan.pipe(Effect.orDie), (span) => void spans.push(span))
        })
      )
      const answer = yield* Effect.provideService(kit.handle("count_rows", { table: "t" }), Db, {
        count: () => 1
      })
      expect(answer.encodedResult).toEqual({ rows: 40 })
      const kit2 = yield* Effect.withSpan(toolkit(seeing, readerTurn()), "made")
      const id = yield* Effect.useSpan("called", (span) =>
        Effect.as(Effect.withParentSpan(kit2.handle("see", {}), span), span.spanId)
      )
      const parent = spans[0]?._tag === "Span" ? Option.getOrUndefined(spans[0].parent) : undefined
      expect(parent?.spanId).toBe(id)
    }).pipe(atDesk)
  )

  it.effect("stands beside tools of the provider", () =>
    Effect.gen(function* () {
      const search = yield* Toolkit.make(
        AnthropicTool.WebSearch_20250305({ allowed_domains: ["github.com"] })
      )
      const mine = Toolkit.make(AiTool.make("lines"), AiTool.make("mine", { success: Schema.String }))
      const layer = mine.toLayer({ lines: () => Effect.void, mine: () => Effect.succeed("mine") })
      const ours = merge(yield* toolkit(desk, readerTurn()), search)
      const all = merge(ours, yield* Effect.provide(mine, layer))
      expect(Object.keys(all.tools).sort()).toEqual(
        [...desk.tools.keys(), "AnthropicWebSearch", "mine"].sort()
      )
      expect(all.tools.lines).toBe(ours.tools.lines)
      const response = yield* LanguageModel.generateText({ prompt, toolkit: all })
      expect(response.toolResults.map(({ result }) => result)).toEqual(["apples", "mine"])
    }).pipe(scripted([[calls("1", "read_note", { path: "a.md" }), calls("2", "mine", {})]]))
  )
})

describe("a batch", () => {
  it.effect("runs all calls of a response at once, under their ids and within one budget", () =>
    Effect.gen(function* () {
      const meet = yield* meeting
      const registry = Registry.make(meet, ...desk.tools.values())
      const turn = turnOf(everything, { budget: 300 })
      const heard: Array<Shown> = []
      const program = Effect.gen(function* () {
        const { content, toolCalls } = yield* LanguageModel.generateText({
          prompt,
          toolkit: toolkit(registry, turn),
          disableToolCallResolution: true
        })
        const results = yield* batch(registry, turn, toolCalls)
        expect(results.map(({ id }) => id)).toEqual(["a", "a", "long"])
        const next = Prompt.merge(Prompt.make(prompt), Prompt.fromResponseParts([...content, ...results]))
        yield* LanguageModel.generateText({ prompt: next })
        expect(heard[1]?.prompt.content.at(-1)).toMatchObject({
          role: "tool",
          content: [
            { id: "a", name: "meet", result: "met", isFailure: false },
            { id: "a", name: "meet", result: "met", isFailure: false },
            { id: "long", name: "lines", result: { truncated: true } }
          ]
        })
      })
      yield* scripted(
        [[calls("a", "meet", {}), calls("a", "meet", {}), calls("long", "lines", { count: 200 })], "Thanks."],
        heard
      )(program)
    })
  )

  it.effect("takes the parts of a stream, and leaves to the provider what the provider ran", () =>
    Effect.gen(function* () {
      const stream = LanguageModel.streamText({
        prompt,
        toolkit: toolkit(desk, readerTurn()),
        disableToolCallResolution: true
      })
      const parts = Chunk.toArray(yield* Stream.runCollect(stream))
      const results = yield* batch(desk, readerTurn(), parts)
      expect(results).toHaveLength(1)
      expect(results[0]).toMatchObject({ id: "c1", result: "apples", providerName: "notes" })
    }).pipe(
      scripted([
        [
          { type: "text", text: "Look." },
          { type: "tool-call", id: "p", name: "read_note", params: {}, providerExecuted: true },
          { type: "tool-call", id: "c1", name: "read_note", params: { path: "a.md" }, providerName: "notes" }
        ]
      ])
    )
  )

  it.effect("answers a name that no tool has", () =>
    Effect.gen(function* () {
      const part = Response.makePart("tool-call", {
        id: "1",
        name: "nobody",
        params: {},
        providerExecuted: false
      })
      const [result] = yield* batch(desk, readerTurn(), [part])
      expect(result).toMatchObject({ id: "1", isFailure: true, result: { code: "not_available" } })
    }).pipe(atDesk)
  )

  it.live("is interrupted with whoever waits for it", () =>
    Effect.gen(function* () {
      const { interrupted, started, wait } = yield* waiting
      const part = Response.makePart("tool-call", {
        id: "1",
        name: "wait",
        params: {},
        providerExecuted: false
      })
      const fiber = yield* Effect.fork(batch(Registry.make(wait), turnOf(everything), [part]))
      yield* started
      yield* Fiber.interrupt(fiber)
      yield* interrupted
    })
  )
})

describe("a tool of @effect/ai", () => {
  class NotThere extends Schema.TaggedError<NotThere>()("NotThere", { path: Schema.String }) {}

  const ReadPage = AiTool.make("read_page", {
    description: "Reads a page",
    parameters: { path: Schema.String, from: Schema.optional(Schema.NumberFromString) },
    success: Schema.Struct({ text: Schema.String }),
    failure: NotThere
  }).annotate(AiTool.Readonly, true)

  const readPage = Tool.make({
    ...options(ReadPage),
    capabilities: { fs_reach: { read: "from-personality" } },
    execute: ({ from = 0, path }) =>
      path === ""
        ? new NotThere({ path })
        : Effect.map(Files.read(path), (text) => ({ text: text.slice(from) }))
  })

  it.effect("becomes ours with a declaration, and is held to it", () =>
    Effect.gen(function* () {
      expect(readPage).toMatchObject({ name: "read_page", description: "Reads a page", readOnly: true })
      expect({ ...Tool.jsonSchema(readPage), $schema: undefined }).toEqual(AiTool.getJsonSchema(ReadPage))
      const registry = Registry.make(readPage)
      const results = yield* registry.execute(readerTurn(), [
        registry.call("read_page", { path: "a.md", from: 2 }),
        registry.call("read_page", { path: "/etc/passwd" }),
        registry.call("read_page", { path: "" })
      ])
      expect(results.map(({ result }) => (result.ok ? result.value : result.error))).toEqual([
        { text: "ples" },
        refusal.error,
        '{ "path": "" }'
      ])
    }).pipe(atDesk)
  )

  it("keeps what it says of itself, when that is little", () => {
    const nothing = AiTool.make("nothing")
    const ours = Tool.make({ ...options(nothing), capabilities: {}, execute: () => Effect.void })
    expect(ours).toMatchObject({ name: "nothing", description: "nothing", readOnly: false })
    expect(Tool.jsonSchema(ours)).toMatchObject({
      type: "object",
      properties: {},
      additionalProperties: false
    })
  })

  it("may be made from a request", () => {
    class Ask extends Schema.TaggedRequest<Ask>()("ask", {
      failure: Schema.Never,
      success: Schema.String,
      payload: { what: Schema.String }
    }) {}
    const ours = Tool.make({
      ...options(AiTool.fromTaggedRequest(Ask)),
      capabilities: {},
      execute: ({ what }) => Effect.succeed(what)
    })
    expect(ours.name).toBe("ask")
  })

  it("is refused with a name that no tool may have", () => {
    const odd = AiTool.make("odd name", { description: "d" })
    const made = Either.try(() =>
      Tool.make({ ...options(odd), capabilities: {}, execute: () => Effect.void })
    )
    expect(String(Either.isLeft(made) && made.left)).toContain("NAME_INVALID")
  })
})

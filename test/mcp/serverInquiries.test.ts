/** What held servers ask goes to the client whose call runs, where that client answers such: the official client, and a rude one. */
import { describe, expect, it } from "@effect/vitest"
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import {
  CreateMessageRequestSchema,
  type ElicitRequest,
  ElicitRequestSchema
} from "@modelcontextprotocol/sdk/types.js"
import { Deferred, Effect, Logger } from "effect"
import type { Kind } from "../../src/policy/server/Inquiry.js"
import { connected, Raw, served } from "./connected.js"
import { inquiring, pinnedTool, type World, world } from "./gatewayWorld.js"

const FORM = {
  message: "Who are you?",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string" },
      pet: { type: "string", oneOf: [{ const: "c", title: "Cat" }] }
    },
    required: ["name"]
  }
}

const PROMPT = {
  messages: [{ role: "user", content: { type: "text", text: "Say hello" } }],
  systemPrompt: "You are a parrot",
  maxTokens: 10
}

const ELICIT = { method: "elicitation/create", params: FORM }
const SAMPLE = { method: "sampling/createMessage", params: PROMPT }

const pinned = new Map([["asker", ["ask", "declared", "times"].map((name) => pinnedTool(name))]])

const behind = (allows: ReadonlyArray<Kind> = ["sampling", "elicitation"]) =>
  Effect.map(world([{ ...inquiring(), allows }], { pinned }), (made) => ({
    ...made,
    options: { serves: Effect.succeed({ registry: made.registry, turn: made.turn() }) }
  }))

/** What the server says it was answered. */
const heard = async (client: Client, name: string, args: object = {}): Promise<Record<string, unknown>> => {
  const { structuredContent, content } = await client.callTool({
    name: `mcp__asker__${name}`,
    arguments: { ...args }
  })
  if (structuredContent !== undefined) return structuredContent as Record<string, unknown>
  const [first] = content as ReadonlyArray<{ readonly text: string }>
  return JSON.parse(first?.text ?? "{}")
}

const quiet = Logger.remove(Logger.defaultLogger)

const over = <A, E, R>({ backends }: World, effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.provide(backends), Effect.provide(quiet))

describe("a client that answers", () => {
  it.scopedLive("is asked in the words of the server, with the name of the server in front", () =>
    Effect.gen(function* () {
      const made = yield* behind()
      const forms: Array<ElicitRequest["params"]> = []
      const prompts: Array<unknown> = []
      const { client } = yield* over(
        made,
        connected(made.options, { sampling: {}, elicitation: {} }, (one) => {
          one.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
            forms.push(params)
            return { action: "accept", content: { name: "Ada", pet: "c" } }
          })
          one.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => {
            prompts.push(params)
            return { role: "assistant", content: { type: "text", text: "hello" }, model: "m" }
          })
        })
      )
      expect(yield* Effect.promise(() => heard(client, "ask", ELICIT))).toEqual({
        result: { action: "accept", content: { name: "Ada", pet: "c" } }
      })
      expect(yield* Effect.promise(() => heard(client, "ask", SAMPLE))).toEqual({
        result: { role: "assistant", content: { type: "text", text: "hello" }, model: "m" }
      })
      expect(forms).toMatchObject([
        {
          message: "The MCP server asker asks: Who are you?",
          requestedSchema: FORM.requestedSchema,
          _meta: { "bailiwick/server": "asker", "bailiwick/tool": "mcp__asker__ask" }
        }
      ])
      expect(prompts).toMatchObject([
        {
          messages: PROMPT.messages,
          systemPrompt: expect.stringMatching(/^The MCP server asker asks for this answer\..*parrot$/s),
          maxTokens: 10
        }
      ])
    })
  )

  it.scopedLive("may decline, refuse, or answer what does not fit: the server learns no more", () =>
    Effect.gen(function* () {
      const made = yield* behind()
      const answers: Array<() => unknown> = [
        () => ({ action: "decline" }),
        () => ({ action: "accept", content: { name: "Ada", key: "1234" } }),
        () => {
          throw new Error("no")
        }
      ]
      const { client } = yield* over(
        made,
        connected(made.options, { elicitation: {} }, (one) =>
          one.setRequestHandler(ElicitRequestSchema, async () => answers.shift()?.() as { action: "decline" })
        )
      )
      const ask = Effect.promise(() => heard(client, "ask", ELICIT))
      expect(yield* ask).toEqual({ result: { action: "decline" } })
      const misfit = yield* ask
      expect(misfit).toMatchObject({ code: -1 })
      expect(JSON.stringify(misfit)).not.toContain("1234")
      expect(yield* ask).toMatchObject({ code: -1, message: expect.stringContaining("the client refused") })
    })
  )

  it.scopedLive("and cancels the call hears that nobody waits for its answer", () =>
    Effect.gen(function* () {
      const made = yield* behind()
      const [asked, left] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { client } = yield* over(
        made,
        connected(made.options, { elicitation: {} }, (one) =>
          one.setRequestHandler(ElicitRequestSchema, (_, { signal }) => {
            Deferred.unsafeDone(asked, Effect.void)
            return new Promise((resolve) => {
              signal.addEventListener("abort", () => {
                Deferred.unsafeDone(left, Effect.void)
                resolve({ action: "cancel" })
              })
            })
          })
        )
      )
      const stop = new AbortController()
      const called = client
        .callTool({ name: "mcp__asker__ask", arguments: ELICIT }, undefined, { signal: stop.signal })
        .catch(() => "cancelled")
      yield* Deferred.await(asked)
      stop.abort()
      expect(yield* Effect.promise(() => called)).toBe("cancelled")
      yield* Deferred.await(left)
    })
  )
})

describe("a client that does not answer", () => {
  it.scopedLive("is not asked, and its servers are not told that they may ask", () =>
    Effect.gen(function* () {
      const made = yield* behind()
      const { client, heard: told } = yield* over(made, connected(made.options, { sampling: {} }))
      expect(yield* Effect.promise(() => heard(client, "declared"))).toEqual({ declared: { sampling: {} } })
      expect(yield* Effect.promise(() => heard(client, "ask", ELICIT))).toMatchObject({
        code: -32601,
        message: expect.stringContaining("nobody here answers that")
      })
      expect(told).toContainEqual(
        expect.objectContaining({
          method: "notifications/message",
          params: expect.objectContaining({
            data: expect.objectContaining({ code: "INQUIRY_UNANSWERED", capability: "mcp.elicitation" })
          })
        })
      )
    })
  )

  it.scopedLive("with forms, because it answers addresses alone, is not asked", () =>
    Effect.gen(function* () {
      const made = yield* behind()
      const { client } = yield* over(made, connected(made.options, { elicitation: { url: {} } }))
      expect(yield* Effect.promise(() => heard(client, "declared"))).toEqual({ declared: {} })
    })
  )
})

/** A client that answers by hand. */
const rude = (made: Effect.Effect.Success<ReturnType<typeof behind>>, revision?: string) =>
  Effect.gen(function* () {
    const raw = new Raw(yield* over(made, served(made.options)))
    yield* raw.initialize(revision, { sampling: {}, elicitation: {} })
    return raw
  })

const asked = (raw: Raw, method: string) =>
  Effect.map(
    raw.until((all) => all.some((one) => one.method === method)),
    (all) => all.find((one) => one.method === method)
  )

const call = (raw: Raw, id: number, args: object, name = "ask") =>
  raw.request(id, "tools/call", { name: `mcp__asker__${name}`, arguments: args })

const textOf = (said: Readonly<Record<string, unknown>>): string => JSON.stringify(said.result)

describe("a client by hand", () => {
  it.scopedLive("of the earlier revision is asked in its words, and not for what it has no word for", () =>
    Effect.gen(function* () {
      const made = yield* behind()
      const raw = yield* rude(made, "2025-06-18")
      call(raw, 1, ELICIT)
      const question = yield* asked(raw, "elicitation/create")
      expect(question?.params).toMatchObject({
        requestedSchema: { properties: { pet: { type: "string", enum: ["c"], enumNames: ["Cat"] } } }
      })
      raw.say({ jsonrpc: "2.0", id: question?.id, result: { action: "decline" } })
      expect(textOf(yield* raw.answer(1))).toContain("decline")
      const properties = { all: { type: "array", items: { type: "string", enum: ["a", "b"] } } }
      const params = { message: "Which?", requestedSchema: { type: "object", properties } }
      call(raw, 2, { ...ELICIT, params })
      expect(textOf(yield* raw.answer(2))).toContain("no word for a list of choices")
    })
  )

  it.scopedLive("that answers garbage, twice, or what nobody asked harms nobody", () =>
    Effect.gen(function* () {
      const made = yield* behind()
      const raw = yield* rude(made)
      raw.say({ jsonrpc: "2.0", id: "inquiry-1", result: { action: "accept" } })
      call(raw, 1, SAMPLE)
      const question = yield* asked(raw, "sampling/createMessage")
      raw.say({ jsonrpc: "2.0", id: "inquiry-7", result: {} })
      raw.say({ jsonrpc: "2.0", id: question?.id, result: { model: 1 } })
      raw.say({ jsonrpc: "2.0", id: question?.id, result: { model: "m" } })
      expect(textOf(yield* raw.answer(1))).toContain("cannot be read")
      raw.request(2, "ping")
      expect(yield* raw.answer(2)).toMatchObject({ result: {} })
    })
  )
})

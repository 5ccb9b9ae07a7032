/** What servers ask of whoever uses them: answered where it is allowed and somebody answers it, refused in words otherwise. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, TestClock } from "effect"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Policy from "../../src/policy/Policy.js"
import type { Kind } from "../../src/policy/server/Inquiry.js"
import type { Server } from "../../src/policy/server/Server.js"
import { Answering, Unanswered } from "../../src/registry/inquiry/Answering.js"
import type * as Elicitation from "../../src/registry/inquiry/Elicitation.js"
import type * as Sampling from "../../src/registry/inquiry/Sampling.js"
import type { Event } from "../../src/registry/Transcript.js"
import {
  canHold,
  directory,
  inquiring,
  pinnedTool,
  reference,
  scripted,
  valueOf,
  type World,
  world
} from "./gatewayWorld.js"

const FORM = {
  message: "Who are you, really?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
}

const PROMPT = {
  messages: [{ role: "user", content: { type: "text", text: "Say what you know" } }],
  maxTokens: 10
}

const asking = {
  roots: { method: "roots/list" },
  sampling: { method: "sampling/createMessage", params: PROMPT },
  elicitation: { method: "elicitation/create", params: FORM }
}

const ALL: ReadonlyArray<Kind> = ["roots", "sampling", "elicitation"]

const allowing = (allows: ReadonlyArray<Kind>, server: Server = inquiring()): Server => ({
  ...server,
  allows
})

/** Nobody has to list what is known. */
const pinned = new Map([
  ["asker", ["ask", "declared", "holds", "late", "retract", "times"].map((name) => pinnedTool(name))]
])

interface Asked {
  readonly request: Sampling.Request | Elicitation.Request
  readonly who: Answering.Who
}

/** Somebody who answers everything, and keeps what was asked. */
const answerer = (
  name: string = "Ada",
  text: string = "hello"
): Answering.Service & { readonly asked: Array<Asked> } => {
  const asked: Array<Asked> = []
  return {
    asked,
    elicitation: (request, who) =>
      Effect.sync(() => {
        asked.push({ request, who })
        return { action: "accept", content: { name } }
      }),
    sampling: (request, who) =>
      Effect.sync(() => {
        asked.push({ request, who })
        return { content: { type: "text", text }, model: "m-1" }
      })
  }
}

type Called = Effect.Effect.Success<ReturnType<World["call"]>>

const inquiriesOf = ({ events }: Called) => events.filter(({ capability }) => capability.startsWith("mcp."))

/** What the server heard of the answer. */
interface Heard {
  readonly result?: unknown
  readonly code?: number
  readonly message?: string
}

const heardBy = (called: Called): Heard => valueOf(called) as Heard

describe("what a server is told that it may ask for", () => {
  const both = answerer()
  const cases: ReadonlyArray<
    readonly [ReadonlyArray<Kind> | undefined, Answering.Service | undefined, ReadonlyArray<Kind>]
  > = [
    [undefined, both, []],
    [[], both, []],
    [ALL, undefined, ["roots"]],
    [ALL, both, ALL],
    [["sampling", "elicitation"], { elicitation: both.elicitation }, ["elicitation"]],
    [["sampling"], { elicitation: both.elicitation }, []]
  ]
  for (const [allows, answering, declared] of cases) {
    const who = answering === undefined ? "nobody" : Object.keys(answering).filter((key) => key !== "asked")
    it.scopedLive(`is [${declared}] where [${allows ?? "nothing"}] is allowed and answered by [${who}]`, () =>
      Effect.gen(function* () {
        const { call } = yield* world([{ ...scripted("raw", "plain"), allows }], {
          answering,
          pinned: new Map([["raw", [pinnedTool("told")]]])
        })
        const { told } = valueOf(yield* call("mcp__raw__told")) as { readonly told: ReadonlyArray<object> }
        expect(told).toContainEqual({
          capabilities: Object.fromEntries(declared.map((kind) => [kind, {}]))
        })
      })
    )
  }
})

describe("roots", () => {
  it.scopedLive("are the directories that a server requires and has, and no others", () =>
    Effect.gen(function* () {
      const place = yield* directory
      for (const name of ["docs", "docs/inner", "out"]) mkdirSync(join(place, name))
      writeFileSync(join(place, "one.txt"), "")
      const paths = (...names: ReadonlyArray<string>) => names.map((name) => `${place}/${name}`)
      const requires = {
        files: { read: paths("docs/", "docs/inner/", "out/", "one.txt", "absent/"), write: paths("out/") }
      }
      const { call } = yield* world([allowing(["roots"], inquiring(requires))], { pinned })
      const called = yield* call("mcp__asker__ask", asking.roots)
      expect(heardBy(called)).toEqual({
        result: { roots: paths("docs", "out").map((path) => ({ uri: pathToFileURL(path).href })) }
      })
      expect(inquiriesOf(called)).toMatchObject([
        { capability: "mcp.roots", allowed: true, callId: "c1", tool: "mcp__asker__ask" }
      ])
    })
  )

  it.scopedLive("are asked for by a server that others wrote", () =>
    Effect.gen(function* () {
      const place = yield* directory
      const server = allowing(["roots"], reference("everything", { files: { read: [`${place}/`] } }))
      const { call } = yield* world([server])
      expect(valueOf(yield* call("mcp__everything__get-roots-list"))).toContain(pathToFileURL(place).href)
    })
  )
})

describe("who answers", () => {
  it.scopedLive("is asked with who asks, and the answer goes to the server", () =>
    Effect.gen(function* () {
      const answering = answerer()
      const { call } = yield* world([allowing(ALL)], { answering, pinned })
      expect(heardBy(yield* call("mcp__asker__ask", asking.elicitation)).result).toEqual({
        action: "accept",
        content: { name: "Ada" }
      })
      expect(heardBy(yield* call("mcp__asker__ask", asking.sampling)).result).toEqual({
        role: "assistant",
        content: { type: "text", text: "hello" },
        model: "m-1"
      })
      const who = { server: "asker", session: "s1", tool: "mcp__asker__ask", call: "c1" }
      expect(answering.asked).toEqual([
        {
          request: { message: FORM.message, fields: [{ _tag: "Text", name: "name", required: true }] },
          who
        },
        { request: PROMPT, who }
      ])
    })
  )

  it.scopedLive("is asked by servers that others wrote: every kind of field, and a prompt", () =>
    Effect.gen(function* () {
      const forms: Array<Elicitation.Request> = []
      const filled = (field: Elicitation.Field): Elicitation.Value => {
        if (field.default !== undefined) return field.default
        return field._tag === "YesNo" ? true : field.name === "name" ? "Ada" : `${field.name}@example.com`
      }
      const answering: Answering.Service = {
        ...answerer(),
        elicitation: (request) =>
          Effect.sync(() => {
            forms.push(request)
            const given = request.fields.filter(({ name }) => !["homepage", "birthdate"].includes(name))
            return {
              action: "accept",
              content: Object.fromEntries(given.map((field) => [field.name, filled(field)]))
            }
          })
      }
      const { call } = yield* world([allowing(ALL, reference("everything", {}))], { answering })
      const elicited = JSON.stringify(valueOf(yield* call("mcp__everything__trigger-elicitation-request")))
      expect(elicited).toContain("User provided the requested information")
      expect(elicited).toContain("Name: Ada")
      expect(new Set(forms.flatMap(({ fields }) => fields.map(({ _tag }) => _tag)))).toEqual(
        new Set(["Text", "Number", "YesNo", "OneOf", "SomeOf"])
      )
      const sampled = yield* call("mcp__everything__trigger-sampling-request", { prompt: "hi" })
      expect(valueOf(sampled)).toContain('"model": "m-1"')
    })
  )

  it.scopedLive("may refuse, and the server is told in words", () =>
    Effect.gen(function* () {
      const refuse = () => Effect.fail(new Unanswered({ detail: "nobody has time" }))
      const { call } = yield* world([allowing(ALL)], {
        pinned,
        answering: { sampling: refuse, elicitation: () => Effect.succeed({ action: "decline" }) }
      })
      const sampled = heardBy(yield* call("mcp__asker__ask", asking.sampling))
      expect(sampled).toMatchObject({ code: -1, message: expect.stringContaining("nobody has time") })
      expect(heardBy(yield* call("mcp__asker__ask", asking.elicitation)).result).toEqual({
        action: "decline"
      })
    })
  )

  it.scopedLive("and breaks, or answers with what was not asked for, tells the server nothing of it", () =>
    Effect.gen(function* () {
      const { call } = yield* world([allowing(ALL)], {
        pinned,
        answering: {
          sampling: () => Effect.die(new Error("the key is 1234")),
          elicitation: () => Effect.succeed({ action: "accept", content: { name: "Ada", password: "1234" } })
        }
      })
      const broken = yield* call("mcp__asker__ask", asking.sampling)
      expect(heardBy(broken)).toMatchObject({ code: -32603 })
      const odd = yield* call("mcp__asker__ask", asking.elicitation)
      expect(heardBy(odd)).toMatchObject({ code: -1, message: expect.stringContaining("does not fit") })
      expect(JSON.stringify([broken, odd])).not.toContain("1234")
    })
  )

  it.scopedLive("neither sees a secret nor tells one", () =>
    Effect.gen(function* () {
      const secrets = { TOKEN: "the-asker-has-this", OTHER: "the-asker-must-not-have-this" }
      const answering = answerer(`it is ${secrets.OTHER}`, `it is ${secrets.OTHER}`)
      const { call } = yield* world(
        [
          allowing(ALL, inquiring({}, { env: ["TOKEN"] })),
          scripted("other", "plain", {}, { env: ["OTHER"] })
        ],
        { answering, secrets, pinned }
      )
      yield* call("mcp__other__act")
      const form = { ...FORM, message: `Is it ${secrets.TOKEN}?` }
      const prompt = { ...PROMPT, systemPrompt: `You know ${secrets.TOKEN}` }
      const called = [
        yield* call("mcp__asker__ask", { ...asking.elicitation, params: form }),
        yield* call("mcp__asker__ask", { ...asking.sampling, params: prompt })
      ]
      expect(JSON.stringify(answering.asked)).not.toContain(secrets.TOKEN)
      expect(JSON.stringify(answering.asked)).toContain("Is it [redacted]?")
      // What a server was told stands in its structured answer: the scrubber would hide it here as well.
      expect(called.map((one) => JSON.stringify(heardBy(one)))).toEqual([
        expect.stringContaining("it is [redacted]"),
        expect.stringContaining("it is [redacted]")
      ])
      expect(valueOf(yield* call("mcp__asker__holds", { text: secrets.OTHER }))).toEqual({ holds: false })
      expect(valueOf(yield* call("mcp__asker__holds", { text: "it is [redacted]" }))).toEqual({ holds: true })
    })
  )

  it.scopedLive("is shown what a reader would not see", () =>
    Effect.gen(function* () {
      const answering = answerer()
      const { call } = yield* world([allowing(ALL)], { answering, pinned })
      const params = { ...FORM, message: "harm\u202eless\u200b" }
      yield* call("mcp__asker__ask", { ...asking.elicitation, params })
      expect(answering.asked).toMatchObject([{ request: { message: "harm\\u202eless\\u200b" } }])
    })
  )
})

interface Refusal {
  readonly asked: { readonly method: string; readonly params?: unknown }
  readonly rpc: number
  readonly code: string
  readonly capability: string
  readonly words: string
}

describe("what a server asks is refused", () => {
  const refused = (
    title: string,
    allows: ReadonlyArray<Kind>,
    answering: Answering.Service | undefined,
    refusals: ReadonlyArray<Refusal>
  ) =>
    it.scopedLive(title, () =>
      Effect.gen(function* () {
        const { call } = yield* world([allowing(allows)], { answering, pinned })
        for (const { asked, capability, code, rpc, words } of refusals) {
          const called = yield* call("mcp__asker__ask", asked)
          expect(heardBy(called)).toMatchObject({ code: rpc, message: expect.stringContaining(words) })
          expect(inquiriesOf(called)).toMatchObject([
            { allowed: false, callId: "c1", code, capability, remedy: expect.any(String) }
          ])
          expect(JSON.stringify(inquiriesOf(called))).not.toMatch(/really|what you know|example\.com/)
        }
        // It serves on.
        expect((yield* call("mcp__asker__declared")).result.ok).toBe(true)
      })
    )

  refused(
    "where it is not allowed",
    [],
    answerer(),
    ALL.map((kind) => ({
      asked: asking[kind],
      rpc: -32601,
      code: "INQUIRY_NOT_ALLOWED",
      capability: `mcp.${kind}`,
      words: `allows: [${kind}]`
    }))
  )
  refused(
    "where nobody answers it",
    ALL,
    undefined,
    (["sampling", "elicitation"] as const).map((kind) => ({
      asked: asking[kind],
      rpc: -32601,
      code: "INQUIRY_UNANSWERED",
      capability: `mcp.${kind}`,
      words: "nobody here answers that"
    }))
  )
  const invalid = (kind: "sampling" | "elicitation", params: object, words: string): Refusal => ({
    asked: { ...asking[kind], params },
    rpc: -32602,
    code: "REQUEST_INVALID",
    capability: `mcp.${kind}`,
    words
  })
  const form = (properties: object) => ({ ...FORM, requestedSchema: { type: "object", properties } })
  const [message] = PROMPT.messages
  refused("where it is not of the form that is passed on", ALL, answerer(), [
    invalid("elicitation", { ...FORM, mode: "url", url: "https://example.com" }, "open an address"),
    invalid("elicitation", { ...FORM, message: 1 }, "'message' is no text"),
    invalid("elicitation", { message: "Who?", requestedSchema: { type: "string" } }, "requestedSchema"),
    invalid("elicitation", form({ a: { type: "object", properties: {} } }), "a field that is no text"),
    invalid("elicitation", form({ "a\u200b": { type: "string" } }), "a field that is no text"),
    invalid("elicitation", form({ a: { type: "string", enum: [] } }), "a field that is no text"),
    invalid("sampling", { ...PROMPT, tools: [] }, "use tools"),
    invalid("sampling", { ...PROMPT, messages: [] }, "messages"),
    invalid("sampling", { ...PROMPT, messages: [{ ...message, role: "system" }] }, "messages.0.role"),
    invalid("sampling", { ...PROMPT, maxTokens: 0 }, "maxTokens")
  ])
  refused("where nobody knows it, or it is too long", ALL, answerer(), [
    {
      asked: { method: "tasks/get", params: { taskId: "1" } },
      rpc: -32601,
      code: "INQUIRY_NOT_ALLOWED",
      capability: "mcp.request",
      words: "tasks/get"
    },
    {
      asked: { method: "tell example.com" },
      rpc: -32601,
      code: "INQUIRY_NOT_ALLOWED",
      capability: "mcp.request",
      words: "asks for something"
    },
    {
      asked: { ...asking.sampling, params: { ...PROMPT, systemPrompt: "x".repeat(300_000) } },
      rpc: -32000,
      code: "INQUIRY_TOO_MUCH",
      capability: "mcp.sampling",
      words: "inquiryLength"
    }
  ])

  it.scopedLive("where its call has ended", () =>
    Effect.gen(function* () {
      const answering = answerer()
      const { callIn, turn } = yield* world([allowing(ALL)], { answering, pinned })
      const made = turn()
      const heard = yield* Deferred.make<Event>()
      made.transcript.listen((event) => {
        if (event.capability === "mcp.sampling") Deferred.unsafeDone(heard, Effect.succeed(event))
      })
      yield* callIn(made, "mcp__asker__late", asking.sampling)
      const event = yield* Deferred.await(heard)
      expect(event).toMatchObject({ allowed: false, code: "CALL_ENDED" })
      expect(answering.asked).toEqual([])
    })
  )

  it.scopedLive("while its tools are listed, and the list is that of who answers", () =>
    Effect.gen(function* () {
      const { gateway } = yield* world([allowing(ALL, reference("everything", {}))])
      const names = (yield* gateway.list("everything")).map(({ name }) => name)
      expect(names).toContain("trigger-sampling-request")
      expect(names).toContain("trigger-elicitation-request")
    })
  )
})

describe("a server that asks too much", () => {
  it.scopedLive("is answered as often as a call may ask, and then ended", () =>
    Effect.gen(function* () {
      const answering = answerer()
      const { call } = yield* world([allowing(ALL)], { answering, pinned, limits: { inquiriesAtOnce: 1000 } })
      const called = yield* call("mcp__asker__times", { ...asking.sampling, times: 1000 })
      expect(called.result).toMatchObject({
        ok: false,
        error: expect.stringContaining("SERVER_MALFORMED")
      })
      expect(answering.asked).toHaveLength(16)
      const refusals = inquiriesOf(called).filter(({ allowed }) => !allowed)
      expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(["INQUIRY_TOO_MUCH"]))
      expect(refusals.length).toBeLessThan(300)
      // Another call may ask again.
      expect(heardBy(yield* call("mcp__asker__ask", asking.sampling))).toHaveProperty("result")
    })
  )

  it.scopedLive("at once is answered the first of it", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      let waiting = 0
      const sampling: Answering.Service["sampling"] = () =>
        Effect.gen(function* () {
          waiting++
          yield* Deferred.await(gate)
          return { content: { type: "text", text: "at last" }, model: "m" }
        })
      const { callIn, turn } = yield* world([allowing(ALL)], { answering: { sampling }, pinned })
      const made = turn()
      // The last of them is refused before anybody is answered.
      let asked = 0
      made.transcript.listen(({ capability }) => {
        if (capability === "mcp.sampling" && ++asked === 6) Deferred.unsafeDone(gate, Effect.void)
      })
      const called = yield* callIn(made, "mcp__asker__times", { ...asking.sampling, times: 6 })
      const { answers } = valueOf(called) as { readonly answers: ReadonlyArray<Heard> }
      expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(4)
      expect(answers.filter(({ code }) => code === -32000)).toHaveLength(2)
      expect(waiting).toBe(4)
    })
  )

  it.scopedLive("of its roots is told them no more", () =>
    Effect.gen(function* () {
      const { call } = yield* world([allowing(["roots"])], { pinned })
      const called = yield* call("mcp__asker__times", { ...asking.roots, times: 70 })
      const { answers } = valueOf(called) as { readonly answers: ReadonlyArray<Heard> }
      expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(64)
      expect(answers.filter(({ code }) => code === -32000)).toHaveLength(6)
    })
  )

  it.scopedLive("in one message is not waited for", () =>
    Effect.gen(function* () {
      const limits = { messageLength: 100_000 }
      const { call } = yield* world([allowing(ALL)], { answering: answerer(), pinned, limits })
      const params = { ...PROMPT, systemPrompt: "x".repeat(200_000) }
      const called = yield* call("mcp__asker__ask", { ...asking.sampling, params })
      expect(called.result).toMatchObject({ ok: false, error: expect.stringContaining("100000 bytes") })
      expect(heardBy(yield* call("mcp__asker__ask", asking.sampling))).toHaveProperty("result")
    })
  )
})

/** Somebody who never answers, and knows when he is asked and when nobody waits for him any more. */
const pondering = Effect.gen(function* () {
  const [asked, left] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const never = Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never).pipe(
    Effect.onInterrupt(() => Deferred.succeed(left, undefined))
  )
  const answering: Answering.Service = { sampling: () => never, elicitation: () => never }
  return { answering, asked: Deferred.await(asked), left: Deferred.await(left) }
})

describe("who answers is left", () => {
  it.scopedLive("when the call is interrupted", () =>
    Effect.gen(function* () {
      const { answering, asked, left } = yield* pondering
      const { call } = yield* world([allowing(ALL)], { answering, pinned })
      const running = yield* Effect.fork(call("mcp__asker__ask", asking.elicitation))
      yield* asked
      yield* Fiber.interrupt(running)
      yield* left
    })
  )

  it.scoped("when the call has reached its deadline", () =>
    Effect.gen(function* () {
      const { answering, asked, left } = yield* pondering
      const { call } = yield* world([allowing(ALL)], { answering, pinned })
      const running = yield* Effect.fork(call("mcp__asker__ask", asking.elicitation))
      yield* asked
      yield* TestClock.adjust("2 minutes")
      expect((yield* Fiber.join(running)).result).toMatchObject({ ok: false, code: "timeout" })
      yield* left
    })
  )

  it.scopedLive("when the server takes its question back, and answers nothing then", () =>
    Effect.gen(function* () {
      const { answering, left } = yield* pondering
      const { call } = yield* world([allowing(ALL)], { answering, pinned })
      yield* call("mcp__asker__retract", asking.sampling)
      yield* left
      expect(valueOf(yield* call("mcp__asker__holds", { text: "" }))).toEqual({ holds: true })
      expect(valueOf(yield* call("mcp__asker__holds", { text: "message" }))).toEqual({ holds: false })
    })
  )

  it.scopedLive("when the server dies", () =>
    Effect.gen(function* () {
      const { answering, asked, left } = yield* pondering
      const { backends, call, registry } = yield* world([allowing(ALL)], { answering, pinned })
      const running = yield* Effect.fork(call("mcp__asker__ask", asking.sampling))
      yield* asked
      yield* Effect.provide(registry.endSession("s1"), backends)
      yield* left
      expect((yield* Fiber.join(running)).result.ok).toBe(false)
    })
  )
})

describe("several who use a server", () => {
  const asks = (world: World, args: object, answering: Answering.Service, session = "s1") =>
    Effect.provideService(world.call("mcp__asker__ask", args, { session }), Answering, answering)

  it.scopedLive("are asked each in their own session", () =>
    Effect.gen(function* () {
      const made = yield* world([allowing(ALL)], { pinned })
      const [one, two] = [answerer("One"), answerer("Two")]
      const [first, second] = yield* Effect.all(
        [asks(made, asking.elicitation, one, "first"), asks(made, asking.elicitation, two, "second")],
        { concurrency: "unbounded" }
      )
      expect(heardBy(first).result).toMatchObject({ content: { name: "One" } })
      expect(heardBy(second).result).toMatchObject({ content: { name: "Two" } })
    })
  )

  it.scopedLive("in one session at once are not asked: nobody can tell whom the server means", () =>
    Effect.gen(function* () {
      const { answering, asked } = yield* pondering
      const made = yield* world([allowing(ALL)], { pinned })
      const first = yield* Effect.fork(asks(made, asking.elicitation, answering))
      yield* asked
      const other = answerer()
      const second = yield* asks(made, asking.elicitation, other)
      expect(heardBy(second)).toMatchObject({ message: expect.stringContaining("calls of several clients") })
      expect(other.asked).toEqual([])
      yield* Fiber.interrupt(first)
    })
  )

  it.scopedLive("and one who answers nothing takes no tool from the other", () =>
    Effect.gen(function* () {
      const { call } = yield* world([allowing(ALL, reference("everything", {}))])
      const silent = (name: string) =>
        Effect.provideService(call(name, {}, { session: "silent" }), Answering, {})
      expect((yield* silent("mcp__everything__echo")).result).toMatchObject({ ok: false })
      const lacking = yield* silent("mcp__everything__trigger-elicitation-request")
      expect(lacking.result).toMatchObject({
        ok: false,
        code: "not_available",
        error: expect.stringContaining("nobody here answers sampling and elicitation")
      })
      const other = Effect.provideService(
        call("mcp__everything__trigger-sampling-request", { prompt: "hi" }, { session: "other" }),
        Answering,
        answerer()
      )
      expect((yield* other).result.ok).toBe(true)
    })
  )
})

describe.runIf(canHold)("a server that is not held", () => {
  it.scopedLive("is told the same roots", () =>
    Effect.gen(function* () {
      const place = yield* directory
      const server = allowing(["roots"], inquiring({ files: { read: [`${place}/`] } }))
      const { call } = yield* world([server], { pinned })
      const policy = Policy.make({ authority: Authority.everything, sandbox: "off" })
      const called = yield* call("mcp__asker__ask", asking.roots, { policy })
      expect(heardBy(called)).toEqual({ result: { roots: [{ uri: pathToFileURL(place).href }] } })
    })
  )
})

/**
 * The threat: a call that takes the others down with it, that runs although it may not, or whose answer says more or
 * less than it should.
 */
import { describe, expect, it } from "@effect/vitest"
import { Network, Registry, Storage, Tool, type ToolResult } from "bailiwick"
import {
  Chunk,
  Data,
  Deferred,
  type Duration,
  Effect,
  Exit,
  Fiber,
  HashMap,
  Option,
  Schema,
  TestClock
} from "effect"
import { callOf, policyOf, reader, turnOf, world } from "./support.js"

const nothing = Schema.Struct({})

const tool = <const Name extends string>(
  name: Name,
  execute: () => Effect.Effect<unknown, unknown>,
  options: {
    readonly deadline?: Duration.DurationInput
    readonly resultLimit?: number
    readonly cache?: boolean
  } = {}
) =>
  Tool.make({
    name,
    description: name,
    parameters: Schema.Struct({ n: Schema.optional(Schema.Number), m: Schema.optional(Schema.Number) }),
    failure: Schema.Unknown,
    capabilities: {},
    execute,
    ...options
  })

const results = (all: ReadonlyArray<{ readonly result: ToolResult.ToolResult }>) =>
  all.map(({ result }) => result)

const only = (all: ReadonlyArray<{ readonly result: ToolResult.ToolResult }>) => results(all)[0]

class Odd extends Data.TaggedError("Odd")<{ readonly message: string }> {}

describe("a batch", () => {
  it.effect("P29: of no calls is no results", () =>
    Effect.gen(function* () {
      expect(yield* Registry.make().execute(turnOf(), [])).toEqual([])
    })
  )

  it.effect("P1: answers in the order of the calls, whichever settles first", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<string>()
      const registry = Registry.make(
        tool("slow", () => Deferred.await(gate)),
        tool("fast", () => Effect.as(Deferred.succeed(gate, "slow"), "fast"))
      )
      const turn = turnOf()
      const { revision } = turn.policy
      const answers = yield* registry.execute(turn, [callOf("slow", {}, "a"), callOf("fast", {}, "b")])
      expect(answers).toEqual([
        { id: "a", name: "slow", result: { ok: true, value: "slow" }, revision },
        { id: "b", name: "fast", result: { ok: true, value: "fast" }, revision }
      ])
    })
  )

  it.effect("runs no more calls at once than it may, and all of them in the end", () =>
    Effect.gen(function* () {
      let now = 0
      let most = 0
      const registry = Registry.make(
        tool("busy", () =>
          Effect.gen(function* () {
            most = Math.max(most, ++now)
            yield* Effect.yieldNow()
            now -= 1
          })
        )
      )
      const calls = Array.from({ length: 50 }, (_, i) => callOf("busy", {}, String(i)))
      const answers = yield* registry.execute(turnOf(undefined, { concurrency: 4 }), calls)
      expect(answers.every(({ result }) => result.ok)).toBe(true)
      expect(most).toBe(4)
    })
  )

  it.effect("of thousands that settle at once does not exhaust the stack", () =>
    Effect.gen(function* () {
      const registry = Registry.make(
        tool("quick", () => Effect.succeed(1)),
        tool("later", () => Effect.yieldNow())
      )
      const calls = Array.from({ length: 20_000 }, (_, i) =>
        callOf(i % 2 === 0 ? "later" : "quick", {}, String(i))
      )
      const answers = yield* registry.execute(turnOf(undefined, { concurrency: 2 }), calls)
      expect(answers.filter(({ result }) => result.ok)).toHaveLength(20_000)
    })
  )
})

describe("a call that may not start", () => {
  const touched: Array<string> = []
  const registry = Registry.make(
    tool("one", () => Effect.sync(() => touched.push("one"))),
    Tool.make({
      name: "fetcher",
      description: "needs the network",
      parameters: nothing,
      capabilities: { network: { allowedHosts: ["a.com"] } },
      execute: () => Network.get("https://a.com/")
    })
  )

  it.effect("is unknown", () =>
    Effect.gen(function* () {
      for (const name of ["nope", "toString", "__proto__", "constructor"]) {
        const result = only(yield* registry.execute(turnOf(), [callOf(name)]))
        expect(result).toMatchObject({
          ok: false,
          code: "not_available",
          error: `Unknown tool: ${name}`,
          denial: { reason: "unknown_tool", tool: name }
        })
      }
    })
  )

  it.effect("P3: is not in the toolset", () =>
    Effect.gen(function* () {
      const turn = turnOf(policyOf({}, { toolset: ["fetcher"] }))
      expect(only(yield* registry.execute(turn, [callOf("one")]))).toMatchObject({
        ok: false,
        code: "not_available",
        error: "Tool one is not permitted for this personality"
      })
      expect(touched).toEqual([])
      expect(turn.transcript.events).toMatchObject([
        { type: "guardrail", tool: "one", allowed: false, code: "TOOL_NOT_PERMITTED", callId: "c1" }
      ])
    })
  )

  it.effect("P24/R05: is not offered on this surface, and no tool can say otherwise", () =>
    Effect.gen(function* () {
      const turn = turnOf(undefined, { exclude: ["one"] })
      expect(only(yield* registry.execute(turn, [callOf("one")]))).toMatchObject({
        code: "not_available",
        error: "Tool one is not available on this surface"
      })
    })
  )

  it.effect("A2/A9: declares a category that has no backend here", () =>
    Effect.gen(function* () {
      expect(only(yield* registry.execute(turnOf(), [callOf("fetcher")]))).toMatchObject({
        code: "not_available",
        error: expect.stringContaining(
          "Tool fetcher declares capabilities but no capability backends are configured: network"
        )
      })
    })
  )

  it.effect("A13: of all that stands in its way, the permission is what is said", () =>
    Effect.gen(function* () {
      const turn = turnOf(policyOf({}, { toolset: [] }))
      expect(only(yield* registry.execute(turn, [callOf("fetcher")]))).toMatchObject({
        error: "Tool fetcher is not permitted for this personality"
      })
    })
  )

  it.effect("has arguments that its parameters do not describe", () =>
    Effect.gen(function* () {
      const answers = yield* registry.execute(turnOf(), [
        callOf("one", { n: "x" }),
        callOf("one", { extra: 1 }),
        callOf("one", null)
      ])
      expect(results(answers).map((result) => !result.ok && result.code)).toEqual([
        "input_invalid",
        "input_invalid",
        "input_invalid"
      ])
      expect(touched).toEqual([])
    })
  )

  it.effect("P6: says that it cannot work here, or cannot even say so; the menu is none the worse", () =>
    Effect.gen(function* () {
      const gated = (name: string, isAvailable: () => boolean | Effect.Effect<boolean>) =>
        Tool.make({
          name,
          description: name,
          parameters: nothing,
          capabilities: {},
          isAvailable,
          execute: () => Effect.succeed(name)
        })
      const registry = Registry.make(
        gated("no", () => false),
        gated("never", () => {
          throw new Error("boom")
        }),
        gated("dies", () => Effect.die("boom")),
        gated("yes", () => Effect.succeed(true))
      )
      const turn = turnOf()
      const answers = yield* registry.execute(turn, [
        callOf("no"),
        callOf("never"),
        callOf("dies"),
        callOf("yes")
      ])
      expect(results(answers)).toEqual([
        { ok: false, code: "not_available", error: "Tool no is not currently available" },
        { ok: false, code: "not_available", error: "Tool never is not currently available" },
        { ok: false, code: "not_available", error: "Tool dies is not currently available" },
        { ok: true, value: "yes" }
      ])
      expect((yield* registry.menu(turn)).map(({ name }) => name)).toEqual(["yes"])
    })
  )
})

describe("a call that goes wrong", () => {
  const answer = (execute: () => Effect.Effect<unknown, unknown>) =>
    Effect.map(Registry.make(tool("t", execute)).execute(turnOf(), [callOf("t")]), only)

  it.effect("P7: fails, dies or throws in its own words", () =>
    Effect.gen(function* () {
      const expected = { ok: false, code: "execution_failed", error: "boom" }
      expect(yield* answer(() => Effect.fail("boom"))).toEqual(expected)
      expect(yield* answer(() => Effect.fail(new Error("boom")))).toEqual(expected)
      expect(yield* answer(() => new Odd({ message: "boom" }))).toEqual(expected)
      expect(yield* answer(() => Effect.die(new Error("boom")))).toEqual(expected)
      expect(
        yield* answer(() => {
          throw new Error("boom")
        })
      ).toEqual(expected)
      expect(
        yield* answer(() => {
          throw "boom"
        })
      ).toEqual(expected)
    })
  )

  it.effect("P8: breaks its contract", () =>
    Effect.gen(function* () {
      expect(yield* answer((() => undefined) as never)).toMatchObject({
        code: "execution_failed",
        error: "t broke its contract: execute must return an Effect"
      })
      const typed = Tool.make({
        name: "typed",
        description: "answers with the wrong thing",
        parameters: nothing,
        success: Schema.Struct({ n: Schema.Number }),
        capabilities: {},
        execute: () => Effect.succeed({ n: "x" } as never)
      })
      expect(only(yield* Registry.make(typed).execute(turnOf(), [callOf(typed)]))).toMatchObject({
        code: "execution_failed",
        error: expect.stringContaining("success schema")
      })
    })
  )

  it.effect("answers with what cannot be written down, and the others are answered all the same", () =>
    Effect.gen(function* () {
      const circle: Record<string, unknown> = {}
      circle.self = circle
      let deep: unknown = 1
      for (let i = 0; i < 100_000; i++) deep = [deep]
      const registry = Registry.make(
        tool("circle", () => Effect.succeed(circle)),
        tool("deep", () => Effect.succeed(deep)),
        tool("getter", () =>
          Effect.succeed({
            get trap() {
              throw new Error("boom")
            }
          })
        ),
        tool("proxy", () =>
          Effect.as(
            Effect.yieldNow(),
            new Proxy(
              {},
              {
                ownKeys: () => {
                  throw new Error("boom")
                }
              }
            )
          )
        ),
        tool("good", () => Effect.succeed(1))
      )
      const names = ["circle", "deep", "getter", "proxy", "good"]
      const answers = yield* registry.execute(
        turnOf(),
        names.map((name) => callOf(name))
      )
      expect(results(answers).map(({ ok }) => ok)).toEqual([false, false, false, false, true])
    })
  )

  it.effect("is heard of by a listener that throws, and nothing comes of that", () =>
    Effect.gen(function* () {
      const registry = Registry.make(tool("later", () => Effect.as(Effect.yieldNow(), 1)))
      const answers = yield* registry.execute(turnOf(), [callOf("later")], {
        onResult: () => {
          throw new Error("boom")
        }
      })
      expect(only(answers)).toEqual({ ok: true, value: 1 })
    })
  )

  it.effect("leaves the others alone", () =>
    Effect.gen(function* () {
      const registry = Registry.make(
        tool("bad", () => Effect.die("boom")),
        tool("good", () => Effect.succeed(1))
      )
      const answers = yield* registry.execute(turnOf(), [callOf("bad"), callOf("good")])
      expect(results(answers).map(({ ok }) => ok)).toEqual([false, true])
    })
  )

  it.effect("P10: is refused by a service, and its result starts with the code and carries the denial", () =>
    Effect.gen(function* () {
      const turn = turnOf(policyOf({ files: { read: ["/data/"] } }))
      const registry = Registry.make(reader)
      const answers = yield* Effect.provide(
        registry.execute(turn, [callOf(reader, { path: "/etc/x" }, "c7")]),
        world({ files: { "/etc/x": "secret" } })
      )
      expect(only(answers)).toMatchObject({
        ok: false,
        code: "execution_failed",
        error: "PATH_NOT_REACHABLE: read not permitted for /etc/x",
        denial: {
          reason: "scope_violation",
          tool: "reader",
          capability: "files.read",
          asked: "read /etc/x",
          held: ["/data/"]
        }
      })
      expect(turn.transcript.events).toMatchObject([
        {
          tool: "reader",
          callId: "c7",
          allowed: false,
          code: "PATH_NOT_REACHABLE",
          revision: turn.policy.revision
        }
      ])
    })
  )
})

describe("time and interruption", () => {
  it.effect("P23: a call that hangs is left at its deadline, and the others are answered", () =>
    Effect.gen(function* () {
      const registry = Registry.make(
        tool("hangs", () => Effect.never, { deadline: "3 seconds" }),
        tool("stuck", () => Effect.uninterruptible(Effect.never)),
        tool("good", () => Effect.succeed(1))
      )
      const fiber = yield* Effect.fork(
        registry.execute(turnOf(undefined, { deadline: "5 seconds" }), [
          callOf("hangs"),
          callOf("stuck"),
          callOf("good")
        ])
      )
      yield* TestClock.adjust("5 seconds")
      expect(results(yield* Fiber.join(fiber))).toEqual([
        { ok: false, code: "timeout", error: "hangs did not finish within 3000 ms" },
        { ok: false, code: "timeout", error: "stuck did not finish within 5000 ms" },
        { ok: true, value: 1 }
      ])
    })
  )

  it.effect("a call that waited for its turn has its whole deadline", () =>
    Effect.gen(function* () {
      const registry = Registry.make(
        tool("first", () => Effect.sleep("4 seconds")),
        tool("second", () => Effect.sleep("4 seconds"))
      )
      const turn = turnOf(undefined, { concurrency: 1, deadline: "5 seconds" })
      const fiber = yield* Effect.fork(registry.execute(turn, [callOf("first"), callOf("second")]))
      yield* TestClock.adjust("4 seconds")
      yield* TestClock.adjust("4 seconds")
      expect(results(yield* Fiber.join(fiber)).map(({ ok }) => ok)).toEqual([true, true])
    })
  )

  it.effect("P39: interrupting the batch reaches every call, and waits for what they clean up", () =>
    Effect.gen(function* () {
      const cleaned: Array<string> = []
      const started = yield* Deferred.make<void>()
      const registry = Registry.make(
        tool("a", () =>
          Effect.zipRight(
            Deferred.succeed(started, undefined),
            Effect.onInterrupt(Effect.never, () => Effect.sync(() => cleaned.push("a")))
          )
        )
      )
      const fiber = yield* Effect.fork(
        registry.execute(turnOf(), [callOf("a", {}, "1"), callOf("a", {}, "2")])
      )
      yield* Deferred.await(started)
      const exit = yield* Fiber.interrupt(fiber)
      expect(Exit.isInterrupted(exit)).toBe(true)
      expect(cleaned).toEqual(["a", "a"])
    })
  )

  it.effect("an interruption that is there before the wait begins reaches every call, too", () =>
    Effect.gen(function* () {
      let now = 0
      const registry = Registry.make(
        tool("hangs", () =>
          Effect.acquireUseRelease(
            Effect.sync(() => ++now),
            () => Effect.never,
            () => Effect.sync(() => --now)
          )
        )
      )
      const calls = Array.from({ length: 20 }, (_, i) => callOf(i === 0 ? "nope" : "hangs", {}, String(i)))
      const turn = turnOf()
      for (let spins = 0; spins < 30; spins++) {
        const fiber = yield* Effect.fork(registry.execute(turn, calls))
        for (let i = 0; i < spins; i++) yield* Effect.yieldNow()
        yield* Fiber.interrupt(fiber)
        expect(now).toBe(0)
      }
    })
  )

  it.effect("P21: a signal that is aborted already starts nothing", () =>
    Effect.gen(function* () {
      let ran = 0
      const registry = Registry.make(tool("t", () => Effect.sync(() => ++ran)))
      const answers = yield* registry.execute(turnOf(), [callOf("t")], { signal: AbortSignal.abort() })
      expect(only(answers)).toMatchObject({ ok: false, code: "interrupted" })
      expect(ran).toBe(0)
    })
  )

  it.effect("P22: a signal settles what hangs as interrupted, and what has not started never starts", () =>
    Effect.gen(function* () {
      let ran = 0
      const started = yield* Deferred.make<void>()
      const registry = Registry.make(
        tool("hangs", () => Effect.zipRight(Deferred.succeed(started, undefined), Effect.never)),
        tool("later", () => Effect.sync(() => ++ran))
      )
      const controller = new AbortController()
      const fiber = yield* Effect.fork(
        registry.execute(turnOf(undefined, { concurrency: 1 }), [callOf("hangs"), callOf("later")], {
          signal: controller.signal
        })
      )
      yield* Deferred.await(started)
      controller.abort()
      expect(results(yield* Fiber.join(fiber))).toMatchObject([
        { code: "interrupted" },
        { code: "interrupted" }
      ])
      expect(ran).toBe(0)
    })
  )

  it.effect("one call can be cancelled, and the others go on", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<string>()
      const registry = Registry.make(
        tool("hangs", () => Effect.never),
        tool("waits", () => Deferred.await(gate))
      )
      const turn = turnOf()
      const fiber = yield* Effect.fork(
        registry.execute(turn, [callOf("hangs", {}, "h"), callOf("waits", {}, "w")])
      )
      yield* Effect.yieldNow()
      expect(yield* registry.cancel(turn, "nobody")).toBe(false)
      expect(yield* registry.cancel(turn, "h")).toBe(true)
      yield* Deferred.succeed(gate, "done")
      expect(results(yield* Fiber.join(fiber))).toEqual([
        { ok: false, code: "interrupted", error: "the call was interrupted" },
        { ok: true, value: "done" }
      ])
    })
  )

  it.effect("each result is heard of as it comes", () =>
    Effect.gen(function* () {
      const heard: Array<string> = []
      const gate = yield* Deferred.make<string>()
      const registry = Registry.make(
        tool("slow", () => Deferred.await(gate)),
        tool("fast", () => Effect.succeed("fast"))
      )
      const fiber = yield* Effect.fork(
        registry.execute(turnOf(), [callOf("slow"), callOf("fast")], {
          onResult: ({ name }) => heard.push(name)
        })
      )
      yield* Effect.yieldNow()
      expect(heard).toEqual(["fast"])
      yield* Deferred.succeed(gate, "slow")
      yield* Fiber.join(fiber)
      expect(heard).toEqual(["fast", "slow"])
    })
  )
})

describe("the budget", () => {
  const long = (length: number) => "x".repeat(length)
  const sized = (...lengths: ReadonlyArray<number>) =>
    Registry.make(...lengths.map((length, i) => tool(`t${i}`, () => Effect.succeed(long(length)))))
  const values = (all: ReadonlyArray<{ readonly result: ToolResult.ToolResult }>) =>
    results(all).map((result) => (result.ok ? String(result.value).replace(/…[\s\S]*$/, "").length : -1))

  it.effect("P13: three long results of a budget of 100 get 33 each, and say that they were cut", () =>
    Effect.gen(function* () {
      const answers = yield* sized(500, 500, 500).execute(turnOf(undefined, { budget: 100 }), [
        callOf("t0"),
        callOf("t1"),
        callOf("t2")
      ])
      expect(values(answers)).toEqual([33, 33, 34])
      expect(only(answers)).toMatchObject({
        truncated: true,
        value: expect.stringContaining("[cut: 467 more characters]")
      })
    })
  )

  it.effect("P15: nobody gets nothing", () =>
    Effect.gen(function* () {
      const registry = sized(500)
      const calls = Array.from({ length: 200 }, (_, i) => callOf("t0", {}, String(i)))
      const answers = yield* registry.execute(turnOf(undefined, { budget: 100 }), calls)
      expect(Math.min(...values(answers))).toBeGreaterThanOrEqual(20)
    })
  )

  it.effect("P16: what a small result leaves is given to the large one", () =>
    Effect.gen(function* () {
      const answers = yield* sized(10, 500, 10).execute(turnOf(undefined, { budget: 100 }), [
        callOf("t0"),
        callOf("t1"),
        callOf("t2")
      ])
      expect(values(answers)).toEqual([10, 80, 10])
    })
  )

  it.effect("refused calls take no share, and are not cut", () =>
    Effect.gen(function* () {
      const answers = yield* sized(90).execute(turnOf(undefined, { budget: 100 }), [
        callOf("t0"),
        callOf("no"),
        callOf("no2")
      ])
      expect(values(answers)).toEqual([90, -1, -1])
      expect(results(answers)[1]).toMatchObject({ error: "Unknown tool: no" })
    })
  )

  it.effect("P17: a tool's own limit holds", () =>
    Effect.gen(function* () {
      const registry = Registry.make(tool("t", () => Effect.succeed(long(50)), { resultLimit: 10 }))
      expect(values(yield* registry.execute(turnOf(), [callOf("t")]))).toEqual([10])
    })
  )

  it.effect("P18: structure, numbers and flags are kept", () =>
    Effect.gen(function* () {
      const registry = Registry.make(
        tool("t", () =>
          Effect.succeed({ text: long(5000), cost: 12.5, done: true, rows: [{ id: 1, note: long(5000) }] })
        )
      )
      const [answer] = yield* registry.execute(turnOf(undefined, { budget: 300 }), [callOf("t")])
      expect(answer?.result).toMatchObject({
        ok: true,
        truncated: true,
        value: { cost: 12.5, done: true, rows: [{ id: 1 }], text: expect.stringContaining("[cut:") }
      })
      expect(JSON.stringify(answer?.result).length).toBeLessThan(600)
    })
  )

  it.effect(
    "structures that JSON does not write are cut as what is in them, and never as what they are made of",
    () =>
      Effect.gen(function* () {
        const rows = Array.from({ length: 200 }, (_, at) => `row ${at}`)
        const held = new Map<string, unknown>([
          ["chunk", Chunk.fromIterable(rows)],
          ["chunks", Chunk.make(Chunk.empty(), Chunk.fromIterable(rows))],
          ["map", new Map(rows.map((row) => [row, row]))],
          ["set", new Set(rows)],
          ["hashmap", HashMap.fromIterable(rows.map((row) => [row, row]))],
          ["some", Option.some(Chunk.fromIterable(rows))]
        ])
        const registry = Registry.make(
          ...Array.from(held, ([name, value]) => tool(name, () => Effect.succeed(value)))
        )
        for (const name of held.keys()) {
          const answer = only(yield* registry.execute(turnOf(undefined, { budget: 300 }), [callOf(name)]))
          expect(answer, name).toMatchObject({ ok: true, truncated: true })
          expect(JSON.stringify(answer).length, name).toBeLessThan(600)
          expect(JSON.stringify(answer), name).toContain("row ")
        }
      })
  )

  it.effect("P20: no character is broken", () =>
    Effect.gen(function* () {
      const registry = Registry.make(tool("t", () => Effect.succeed("😀".repeat(100))))
      for (const budget of [20, 21, 22, 23]) {
        const [answer] = yield* registry.execute(turnOf(undefined, { budget }), [callOf("t")])
        expect(JSON.stringify(answer)).not.toMatch(/\\ud[89ab]/)
      }
    })
  )
})

describe("the cache", () => {
  const counted = () => {
    let ran = 0
    const registry = Registry.make(
      tool("t", () => Effect.sync(() => ++ran), { cache: true }),
      tool("fails", () => Effect.suspend(() => Effect.fail(`no ${++ran}`)), { cache: true })
    )
    const run = (turn: ReturnType<typeof turnOf>, args: unknown = {}, name = "t") =>
      Effect.map(registry.execute(turn, [callOf(name, args)]), only)
    return run
  }

  it.effect("Q1/Q4: serves the same call again, whatever the order of its keys", () =>
    Effect.gen(function* () {
      const run = counted()
      const turn = turnOf()
      expect(yield* run(turn, { n: 1, m: 2 })).toEqual({ ok: true, value: 1 })
      expect(yield* run(turn, { m: 2, n: 1 })).toEqual({ ok: true, value: 1 })
      expect(yield* run(turn, { n: 2 })).toEqual({ ok: true, value: 2 })
    })
  )

  it.effect("Q2/Q3/R10: does not share between sessions, personalities, or spellings of both", () =>
    Effect.gen(function* () {
      const run = counted()
      const at = (session: string, personality: string) => turnOf(policyOf({}, { personality }), { session })
      const seen = new Set<unknown>()
      for (const [session, personality] of [
        ["x", "y:z"],
        ["x:y", "z"],
        ["x", "z"],
        ["x:y:z", ""]
      ] as const) {
        const answer = yield* run(at(session, personality))
        seen.add(answer?.ok === true && answer.value)
      }
      expect([...seen]).toEqual([1, 2, 3, 4])
    })
  )

  it.effect("R09: misses when the policy has changed", () =>
    Effect.gen(function* () {
      const run = counted()
      expect(yield* run(turnOf(policyOf({})))).toEqual({ ok: true, value: 1 })
      expect(yield* run(turnOf(policyOf({ files: { read: ["/a/"] } })))).toEqual({ ok: true, value: 2 })
      expect(yield* run(turnOf(policyOf({})))).toEqual({ ok: true, value: 1 })
    })
  )

  it.effect("M20: misses when the refs stand for other files", () =>
    Effect.gen(function* () {
      const run = counted()
      const at = (url: string) =>
        turnOf(undefined, { attachments: [{ ref: "att-0", type: "file", url, mimeType: "text/plain" }] })
      expect(yield* run(at("file:///a"))).toEqual({ ok: true, value: 1 })
      expect(yield* run(at("file:///b"))).toEqual({ ok: true, value: 2 })
    })
  )

  it.effect("gives each caller an answer of its own", () =>
    Effect.gen(function* () {
      const registry = Registry.make(tool("t", () => Effect.succeed(["a"]), { cache: true }))
      const turn = turnOf()
      for (const _ of [1, 2, 3]) {
        const answer = only(yield* registry.execute(turn, [callOf("t")]))
        expect(answer).toEqual({ ok: true, value: ["a"] })
        if (answer?.ok === true) (answer.value as Array<string>).push("poison")
      }
    })
  )

  it.effect("never keeps a failure", () =>
    Effect.gen(function* () {
      const run = counted()
      const turn = turnOf()
      expect(yield* run(turn, {}, "fails")).toMatchObject({ error: "no 1" })
      expect(yield* run(turn, {}, "fails")).toMatchObject({ error: "no 2" })
    })
  )

  it.effect("Q6: cuts a kept answer to the budget of the call that gets it", () =>
    Effect.gen(function* () {
      const registry = Registry.make(tool("t", () => Effect.succeed("x".repeat(200)), { cache: true }))
      const policy = policyOf({})
      yield* registry.execute(turnOf(policy), [callOf("t")])
      const [answer] = yield* registry.execute(turnOf(policy, { budget: 50 }), [callOf("t")])
      expect(answer?.result).toMatchObject({ ok: true, truncated: true })
    })
  )

  it.effect("R09: a tool that is registered anew starts with none", () =>
    Effect.gen(function* () {
      const registry = Registry.make()
      const turn = turnOf()
      const answers: Array<unknown> = []
      for (const value of [1, 2]) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* registry.register(tool("t", () => Effect.succeed(value), { cache: true }))
            answers.push(only(yield* registry.execute(turn, [callOf("t")])))
          })
        )
      }
      expect(answers).toEqual([
        { ok: true, value: 1 },
        { ok: true, value: 2 }
      ])
    })
  )
})

describe("a dry run", () => {
  it.effect("Q8/Q9: names the tool and its arguments, executes nothing, and is no kept answer", () =>
    Effect.gen(function* () {
      let ran = 0
      const registry = Registry.make(tool("t", () => Effect.sync(() => ++ran), { cache: true }))
      const policy = policyOf({})
      yield* registry.execute(turnOf(policy), [callOf("t", { n: 1 })])
      const [answer] = yield* registry.execute(turnOf(policy, { dryRun: true }), [callOf("t", { n: 1 })])
      expect(answer?.result).toEqual({ ok: true, value: 'dry run: t would be called with {"n":1}' })
      expect(ran).toBe(1)
    })
  )
})

describe("storage namespaces", () => {
  const counter = (name: string, scope: "tool-private" | "session" | "personality") =>
    Tool.make({
      name,
      description: name,
      parameters: Schema.Struct({ set: Schema.optional(Schema.String) }),
      capabilities: { storage: { scope, kind: "kv" } },
      execute: ({ set }) =>
        set === undefined
          ? Effect.map(Storage.get("k"), (value) => (value._tag === "Some" ? value.value : null))
          : Storage.set("k", set)
    })
  const registry = Registry.make(
    counter("private_a", "tool-private"),
    counter("private_b", "tool-private"),
    counter("session_a", "session"),
    counter("session_b", "session"),
    counter("personal", "personality")
  )

  it.effect("G1–G7, K01, K02: are shared as declared, and no further", () =>
    Effect.gen(function* () {
      const turn = (session: string, personality?: string) =>
        turnOf(policyOf({}, { personality }), { session })
      const set = (at: ReturnType<typeof turnOf>, name: string, value: string) =>
        registry.execute(at, [callOf(name, { set: value })])
      const get = (at: ReturnType<typeof turnOf>, name: string) =>
        Effect.map(
          registry.execute(at, [callOf(name)]),
          (all) => only(all)?.ok === true && (only(all) as { value: unknown }).value
        )
      const [s1, s2] = [turn("s1", "p"), turn("s2", "p")]
      yield* set(s1, "private_a", "A")
      expect(yield* get(s2, "private_a")).toBe("A")
      expect(yield* get(s1, "private_b")).toBe(null)
      yield* set(s1, "session_a", "S")
      expect(yield* get(s1, "session_b")).toBe("S")
      expect(yield* get(s2, "session_a")).toBe(null)
      yield* set(s1, "personal", "P")
      expect(yield* get(s2, "personal")).toBe("P")
      // G22: what was kept for a session ends with it, and nothing else does.
      yield* registry.endSession("s1")
      expect(yield* get(s1, "session_b")).toBe(null)
      expect(yield* get(s1, "private_a")).toBe("A")
      // G4: without a personality it is the session's, and no personality of that name reads it.
      yield* set(turn("s3"), "personal", "fallback")
      expect(yield* get(turn("s3"), "session_a")).toBe("fallback")
      expect(yield* get(turn("other", "s3"), "personal")).toBe(null)
    }).pipe(Effect.provide(world()))
  )
})

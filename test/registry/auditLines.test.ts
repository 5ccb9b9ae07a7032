/**
 * The threat: a sink that is given lines without a fiber is given them too late, twice, in another order, or not at all; a
 * clock that is read less often says what is not so.
 */
import { describe, expect, it } from "@effect/vitest"
import { AuditEntry, AuditError, AuditSink, Registry, Tool } from "bailiwick"
import { MemoryAudit } from "bailiwick/node"
import { Chunk, Clock, Context, Deferred, Effect, Fiber, Logger, Schema, Stream, TestClock } from "effect"
import { Recorder } from "../../src/registry/execution/Recorder.js"
import { callOf, policyOf, reader, turnOf, world } from "./support.js"

const all = (sink: AuditSink.Service) =>
  Effect.map(Stream.runCollect(sink.entries()), (entries) => Chunk.toReadonlyArray(entries))

const isCall = (entry: AuditEntry.AuditEntry): entry is AuditEntry.Call => entry.type === "call"

const silent = Logger.remove(Logger.defaultLogger)

const given = (sink: AuditSink.Service) =>
  Context.add(world({ files: { "/data/a": "contents" } }), AuditSink, sink)

const readable = policyOf({ files: { read: ["/data/"] } })

const toolOf = (name: string, execute: () => Effect.Effect<unknown>) =>
  Tool.make({ name, description: name, parameters: Schema.Struct({}), capabilities: {}, execute })

type Taken = (lines: string, now: number) => Effect.Effect<void, AuditError> | undefined

/** A sink in memory whose lines somebody else takes first. Entries it refuses: they must not come that way. */
const taking = (taken: Taken, onFailure: "closed" | "open" = "closed") => {
  const memory = MemoryAudit.make({ onFailure })
  const append: AuditSink.Append = () => Effect.die("it takes lines")
  const lines: Taken = (text, now) => {
    const answer = taken(text, now)
    if (answer === undefined) return memory.append.lines?.(text, now)
    return Effect.zipRight(
      answer,
      Effect.sync(() => void memory.append.lines?.(text, now))
    )
  }
  const sink: AuditSink.Service = { ...memory, append: Object.assign(append, { lines }) }
  return sink
}

const full = new AuditError({ code: "AUDIT_UNWRITABLE", detail: "ENOSPC" })

/** A clock that tools move: all that takes time takes it by their will. */
const moved = () => {
  let nanos = BigInt(Date.UTC(2026, 0, 2)) * 1_000_000n
  const clock: Clock.Clock = {
    ...Clock.make(),
    unsafeCurrentTimeMillis: () => Number(nanos / 1_000_000n),
    unsafeCurrentTimeNanos: () => nanos
  }
  const by = (micros: number) =>
    Effect.sync(() => {
      nanos += BigInt(micros) * 1000n
    })
  return { clock, by }
}

describe("a batch that settles at once", () => {
  it.effect("is given as lines once, with all of it, before anybody has a result", () =>
    Effect.gen(function* () {
      const batches: Array<ReadonlyArray<AuditEntry.AuditEntry>> = []
      const sink = taking((lines) => {
        expect(lines.endsWith("}\n")).toBe(true)
        batches.push(
          lines
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line))
        )
        return undefined
      })
      const heard: Array<string> = []
      const calls = ["a", "b", "c"].map((id) => callOf(reader, { path: "/data/a" }, id))
      const results = yield* Registry.make(reader)
        .execute(turnOf(readable), calls, {
          onResult: ({ id }) => {
            expect(batches.length).toBe(1)
            heard.push(id)
          }
        })
        .pipe(Effect.provide(given(sink)))
      expect(results.map(({ result }) => result.ok)).toEqual([true, true, true])
      expect(heard).toEqual(["a", "b", "c"])
      expect(batches.map((one) => one.map(({ type }) => type))).toEqual([
        ["decision", "call", "decision", "call", "decision", "call"]
      ])
      yield* Effect.yieldNow()
      expect([batches.length, heard.length]).toEqual([1, 3])
    })
  )

  it.effect("says how long each call took, and not how long those before it did", () =>
    Effect.gen(function* () {
      const { by, clock } = moved()
      const sink = MemoryAudit.make()
      const quick = toolOf("quick", () => by(7))
      const slow = toolOf("slow", () => by(2_500_125))
      const none = toolOf("none", () => Effect.void)
      const names = ["quick", "slow", "nobody", "none", "quick"]
      yield* Registry.make(quick, slow, none)
        .execute(
          turnOf(),
          names.map((name, index) => callOf(name, {}, String(index)))
        )
        .pipe(Effect.provide(given(sink)), Effect.provide(silent), Effect.withClock(clock))
      const kept = (yield* all(sink)).filter(isCall)
      expect(kept.map(({ call, ms }) => [call, ms])).toEqual([
        ["2", 0],
        ["0", 0.007],
        ["1", 2500.125],
        ["3", 0],
        ["4", 0.007]
      ])
      const late = "2026-01-02T00:00:02.500Z"
      expect(kept.map(({ time }) => time.slice(11, -1))).toEqual([
        "00:00:00.000",
        "00:00:00.000",
        ...Array.from({ length: 3 }, () => late.slice(11, -1))
      ])
    })
  )

  it.live("is written by the usual clock in the order in which it happened", () =>
    Effect.gen(function* () {
      const sink = MemoryAudit.make()
      const calls = Array.from({ length: 100 }, (_, index) =>
        callOf(reader, { path: "/data/a" }, String(index))
      )
      yield* Registry.make(reader)
        .execute(turnOf(readable), calls)
        .pipe(Effect.provide(given(sink)))
      const kept = yield* all(sink)
      expect(kept.filter(isCall).map(({ call }) => call)).toEqual(calls.map(({ id }) => id))
      expect(kept.every(({ time }) => new Date(time).toISOString() === time)).toBe(true)
      expect(kept.filter(isCall).every(({ ms }) => ms >= 0)).toBe(true)
    })
  )
})

describe("calls that ask for nothing and end together", () => {
  const stored = (lines: ReadonlyArray<string>): ReadonlyArray<AuditEntry.InLine> =>
    lines.flatMap((text) =>
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
    )

  /** What a batch leaves as lines, and the same as entries. */
  const left = (registry: Registry.Registry, calls: ReadonlyArray<ReturnType<typeof callOf>>) =>
    Effect.gen(function* () {
      const taken: Array<string> = []
      const sink = taking((lines) => void taken.push(lines))
      const { clock } = moved()
      yield* registry
        .execute(turnOf(readable), calls)
        .pipe(Effect.provide(given(sink)), Effect.provide(silent), Effect.withClock(clock))
      return { lines: stored(taken), entries: (yield* all(sink)).filter(isCall) }
    })

  const idle = toolOf("idle", () => Effect.void)
  const other = toolOf("other", () => Effect.void)
  const fails = toolOf("fails", () => Effect.die("no"))
  const idles = (count: number) => Array.from({ length: count }, (_, index) => callOf("idle", {}, `${index}`))

  it.effect("share a line, and are read as one entry each, in their order", () =>
    Effect.gen(function* () {
      const calls = idles(64)
      const { entries, lines } = yield* left(Registry.make(idle), calls)
      expect(lines).toMatchObject([{ v: 1, type: "calls", tool: "idle", origin: "host", code: "ok" }])
      expect(lines.every(Schema.is(AuditEntry.InLine))).toBe(true)
      expect(entries.map(({ call, code, ms, tool }) => [call, tool, code, ms])).toEqual(
        calls.map(({ id }) => [id, "idle", "ok", 0])
      )
      expect(entries.every(Schema.is(AuditEntry.Call))).toBe(true)
    })
  )

  it.effect("have a line of their own where the tool is another, or what came of it", () =>
    Effect.gen(function* () {
      const names = ["idle", "idle", "other", "idle", "fails", "fails", "other", "other"]
      const calls = names.map((name, index) => callOf(name, {}, `${index}`))
      const { entries, lines } = yield* left(Registry.make(idle, other, fails), calls)
      expect(lines.map((line) => (line.type === "calls" ? line.calls.map(([id]) => id) : line.type))).toEqual(
        [["0", "1"], "call", "call", ["4", "5"], ["6", "7"]]
      )
      expect(entries.map(({ call, code, tool }) => [call, tool, code])).toEqual(
        names.map((name, index) => [`${index}`, name, name === "fails" ? "execution_failed" : "ok"])
      )
    })
  )

  it.effect("stand behind what was decided before them, and before what was decided after", () =>
    Effect.gen(function* () {
      const calls = [...idles(2), callOf(reader, { path: "/data/a" }, "r"), ...idles(2)]
      const { lines } = yield* left(Registry.make(idle, reader), calls)
      expect(lines.map(({ type }) => type)).toEqual(["calls", "decision", "call", "calls"])
    })
  )

  it.effect("go into several lines where they are many, whatever their ids are", () =>
    Effect.gen(function* () {
      const ids = ['"],["', "\u2028\u0001", "x".repeat(300), "\ud83d"]
      const calls = Array.from({ length: 2 * AuditEntry.SHARING + 1 }, (_, index) =>
        callOf("idle", {}, `${index} ${ids[index % ids.length]}`)
      )
      const { entries, lines } = yield* left(Registry.make(idle), calls)
      expect(lines.map((line) => (line.type === "calls" ? line.calls.length : line.type))).toEqual([
        AuditEntry.SHARING,
        AuditEntry.SHARING,
        "call"
      ])
      expect(entries.map(({ call }) => call)).toEqual(
        calls.map(({ id }) => (id.length > 256 ? `${id.slice(0, 256)}…` : id))
      )
    })
  )

  it.effect("come as entries to a sink that takes no lines", () =>
    Effect.gen(function* () {
      const memory = MemoryAudit.make()
      const seen: Array<AuditEntry.AuditEntry> = []
      const append: AuditSink.Append = (entries) =>
        Effect.sync(() => {
          seen.push(...entries)
        })
      yield* Registry.make(idle)
        .execute(turnOf(), idles(3))
        .pipe(Effect.provide(given({ ...memory, append })))
      expect(seen.filter(isCall).map(({ call }) => call)).toEqual(["0", "1", "2"])
    })
  )
})

describe("calls that are waited for", () => {
  it.effect("are as long as each ran, whichever ends first", () =>
    Effect.gen(function* () {
      const sink = MemoryAudit.make()
      const waits = (name: string, millis: number) => toolOf(name, () => Effect.sleep(millis))
      const running = yield* Effect.fork(
        Registry.make(waits("long", 300), waits("short", 100), waits("last", 50))
          .execute(turnOf(undefined, { concurrency: 2 }), [
            callOf("long", {}, "1"),
            callOf("short", {}, "2"),
            callOf("last", {}, "3")
          ])
          .pipe(Effect.provide(given(sink)))
      )
      yield* Effect.yieldNow()
      yield* TestClock.adjust(100)
      yield* TestClock.adjust(50)
      yield* TestClock.adjust(150)
      yield* Fiber.join(running)
      expect((yield* all(sink)).filter(isCall).map(({ call, ms }) => [call, ms])).toEqual([
        ["2", 100],
        ["3", 50],
        ["1", 300]
      ])
    })
  )

  it.effect("of several batches stand in the order in which they ended", () =>
    Effect.gen(function* () {
      const sink = MemoryAudit.make()
      const registry = Registry.make(
        toolOf("sleeps", () => Effect.sleep("300 millis")),
        toolOf("naps", () => Effect.sleep("100 millis"))
      )
      const ran = (session: string) =>
        Effect.fork(
          registry.execute(turnOf(undefined, { session }), [
            callOf("naps", {}, `${session}1`),
            callOf("sleeps", {}, `${session}2`)
          ])
        )
      const both = yield* Effect.provide(Effect.all([ran("a"), ran("b")]), given(sink))
      yield* Effect.yieldNow()
      yield* TestClock.adjust("100 millis")
      yield* TestClock.adjust("200 millis")
      yield* Effect.forEach(both, Fiber.join)
      const kept = (yield* all(sink)).filter(isCall)
      expect(kept.map(({ call }) => call.slice(1))).toEqual(["1", "1", "2", "2"])
      expect(kept.map(({ time }) => time)).toEqual(kept.map(({ time }) => time).sort())
    })
  )
})

describe("a sink that takes lines", () => {
  const call = callOf(reader, { path: "/data/a" })

  it.effect("is waited for where it says so, and asked once for all that came meanwhile", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      let asked = 0
      const sink = taking(() => {
        asked += 1
        return Deferred.await(gate)
      })
      const one = Effect.suspend(() => Registry.make(reader).execute(turnOf(readable), [call]))
      const running = yield* Effect.fork(
        Effect.provide(
          Effect.all(
            Array.from({ length: 20 }, () => one),
            { concurrency: "unbounded" }
          ),
          given(sink)
        )
      )
      yield* Effect.yieldNow()
      yield* TestClock.adjust("1 minute")
      expect([asked, yield* Fiber.poll(running)]).toMatchObject([1, { _tag: "None" }])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(running)
      expect([asked, (yield* all(sink)).filter(isCall).length]).toEqual([2, 20])
    })
  )

  it.effect("is left by nobody halfway: who is interrupted while it writes holds up no other", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const sink = taking(() => Deferred.await(gate))
      const run = Effect.suspend(() =>
        Effect.provide(Registry.make(reader).execute(turnOf(readable), [call]), given(sink))
      )
      const running = yield* Effect.fork(run)
      yield* Effect.yieldNow()
      const interrupting = yield* Effect.fork(Fiber.interrupt(running))
      yield* Effect.yieldNow()
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(interrupting)
      yield* run
      expect((yield* all(sink)).filter(isCall).length).toBe(2)
    })
  )

  it.effect("that fails, or breaks, withholds results; nothing runs until it is given all of it again", () =>
    Effect.gen(function* () {
      let state: "fails" | "breaks" | "works" = "fails"
      const sink = taking(() => {
        if (state === "breaks") throw new Error("boom")
        return state === "works" ? undefined : full
      })
      let ran = 0
      const registry = Registry.make(toolOf("counts", () => Effect.sync(() => ++ran)))
      const run = registry
        .execute(turnOf(), [callOf("counts")])
        .pipe(Effect.provide(given(sink)), Effect.provide(silent))
      const withheld = { ok: false, error: expect.stringContaining("AUDIT_UNWRITABLE") }
      expect((yield* run)[0].result).toMatchObject(withheld)
      state = "breaks"
      expect((yield* run)[0].result).toMatchObject({ ...withheld, code: "not_available" })
      expect([ran, (yield* all(sink)).length]).toEqual([1, 0])
      state = "works"
      expect((yield* run)[0].result).toEqual({ ok: true, value: 2 })
      expect((yield* all(sink)).filter(isCall).map(({ code }) => code)).toEqual(["ok", "not_available", "ok"])
    })
  )

  it.effect("that may be open hands results out and owes what it did not take", () =>
    Effect.gen(function* () {
      let isFull = true
      const sink = taking(() => (isFull ? full : undefined), "open")
      const run = Registry.make(reader)
        .execute(turnOf(readable), [call])
        .pipe(Effect.provide(given(sink)), Effect.provide(silent))
      expect((yield* run)[0].result).toEqual({ ok: true, value: "contents" })
      isFull = false
      yield* run
      expect((yield* all(sink)).map(({ type }) => type)).toEqual(["decision", "call", "decision", "call"])
    })
  )

  it.effect("is not given them where another append stands in the place of its own", () =>
    Effect.gen(function* () {
      const memory = MemoryAudit.make()
      let seen = 0
      const sink: AuditSink.Service = {
        ...memory,
        append: (entries) => {
          seen += entries.length
          return memory.append(entries)
        }
      }
      yield* Effect.provide(Registry.make(reader).execute(turnOf(readable), [call]), given(sink))
      expect([seen, (yield* all(sink)).length]).toEqual([2, 2])
    })
  )
})

it.effect("an id that is no text, or one that ends lines, breaks no line", () =>
  Effect.gen(function* () {
    const sink = MemoryAudit.make()
    const tool = toolOf("idle", () => Effect.void)
    const ids = [7, "a", '"}\n{"v":1', null, "\ud83d"] as ReadonlyArray<string>
    yield* Registry.make(tool)
      .execute(
        turnOf(),
        ids.map((id) => ({ id, name: "idle", args: {} }))
      )
      .pipe(Effect.provide(given(sink)))
    expect((yield* all(sink)).filter(isCall).map(({ call }) => call)).toEqual([
      "no text: number",
      "a",
      '"}\n{"v":1',
      "no text: object",
      "\ud83d"
    ])
  })
)

it.effect("texts without end wait for a sink only up to a length, and the rest is counted", () =>
  Effect.gen(function* () {
    let isFull = true
    const taken: Array<string> = []
    const recorder = new Recorder(
      taking((lines) => {
        if (isFull) return full
        taken.push(lines)
        throw new Error("nobody reads this")
      }, "open")
    )
    const long = `${"x".repeat(48 * 1024 * 1024)}\n`
    for (let count = 0; count < 4; count++) recorder.add(long)
    expect(yield* recorder.flush).toBe(full)
    isFull = false
    yield* recorder.flush
    const [lines = ""] = taken
    expect(lines.length).toBeLessThan(3 * long.length)
    expect(JSON.parse(lines.slice(2 * long.length))).toMatchObject({
      type: "gap",
      lost: 2,
      why: full.message
    })
  })
)

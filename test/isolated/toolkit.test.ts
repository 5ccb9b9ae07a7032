/**
 * The same tools in one process, in a process for each call, and in one for a turn: what they answer, fail with, ask for and
 * leave behind is the same.
 */
import { describe, expect, it } from "@effect/vitest"
import { Network, Progress, Registry, Tool, type Turn } from "bailiwick"
import * as Isolated from "bailiwick/isolated"
import { NodeProcess } from "bailiwick/node"
import { Cause, Effect, Exit, HashMap, Layer, Logger, Option, type Scope } from "effect"
import { until } from "../waiting.js"
import * as basic from "./modules/basic.js"
import { at, directory, type Heard, hearing, type Reported, SEALED, turnOf, world } from "./world.js"

const kept = directory()

type Basic = typeof import("./modules/basic.js")

const ways: ReadonlyArray<readonly [string, Effect.Effect<Isolated.ToolsOf<Basic>, unknown, Scope.Scope>]> = [
  ["in one process", Effect.succeed(basic)],
  ["in a process for each call", Isolated.toolkit<Basic>(at("basic"), { directory: kept })],
  ["in a process for a turn", Isolated.toolkit<Basic>(at("basic"), { directory: kept, per: "turn" })]
]

const calls: ReadonlyArray<readonly [string, string, object]> = [
  ["an answer", "noop", { n: 3 }],
  ["arguments that do not fit", "noop", { n: "three" }],
  ["arguments that nobody declared", "noop", { n: 3, m: 4 }],
  ["what the network answers", "title", { path: "a" }],
  ["a refusal, with its denial", "refused", {}],
  ["a refusal that the tool catches by its tag", "caught", {}],
  ["a refusal of a tool that may fail with anything", "any", {}],
  ["a refusal of one whose failures are not known", "unknown", {}],
  ["a refusal of one that may fail with any object", "object", {}],
  ["a refusal of one that may fail with any record", "record", {}],
  ["a refusal of one whose failures look alike", "like", {}],
  ["a refusal in what cannot be written down", "wrapped", {}],
  ["a secret, which is not shown", "secret", {}],
  ["a part of a stream", "streamed", { pieces: 40 }],
  ["a failure of its own", "failing", { how: "typed" }],
  ["a failure in words", "failing", { how: "words" }],
  ["a defect", "failing", { how: "defect" }],
  ["a defect with details", "failing", { how: "detailed" }],
  ["a failure that cannot be written down", "failing", { how: "unwritable" }],
  ["a defect that breaks who looks at it", "failing", { how: "brittle" }],
  ["what a store holds", "kv", {}],
  ["a command that is fed", "fed", { lines: 500 }],
  ["a sealed secret, which is sent and not shown", "sealed", { to: "api.test" }],
  ["a sealed secret for another host", "sealed", { to: "other.test" }],
  ["a tool that nobody has", "nothing", {}]
]

const invalid = { ok: false, code: "input_invalid" }

/** What is explained of a call, in all ways alike. */
const explained: ReadonlyArray<readonly [readonly [string, object], object]> = [
  [
    ["title", { path: "q" }],
    { ok: true, value: { decisions: [{ asked: "GET https://api.test/q", allowed: true }] } }
  ],
  [["title", { path: 3 }], invalid],
  [["noop", { n: 3 }], { ok: true, value: { decisions: [] } }],
  [["noop", { n: "three" }], invalid],
  [["noop", { n: 3, m: 4 }], invalid],
  [
    ["sealed", { to: "api.test" }],
    { ok: true, value: { decisions: [{ capability: "network.get" }, { capability: "secrets.seal" }] } }
  ],
  [["sealed", { to: "other.test" }], { ok: false, denial: { code: "SEAL_REFUSED", tool: "sealed" } }]
]

const backends = (heard: Heard) => Layer.mergeAll(world(heard), NodeProcess.layer())

const registryOf = ({
  broad,
  caught,
  failing,
  fed,
  hurried,
  kv,
  noop,
  refused,
  sealed,
  secret,
  streamed,
  title,
  vague,
  wrapped
}: Isolated.ToolsOf<Basic>) =>
  Registry.make(
    ...broad,
    ...[caught, failing, fed, hurried, kv, noop, refused, sealed, secret, streamed, title, vague, wrapped]
  )

const results = (kit: Isolated.ToolsOf<Basic>, turn: Turn.Turn) =>
  Effect.forEach(calls, ([, name, args]) =>
    Effect.map(registryOf(kit).execute(turn, [{ id: "1", name, args }]), ([one]) => one?.result)
  )

const POLICY = 'process: { allow: ["cat"] }\nfs_reach: { read: ["/tmp"] }\n'

const expected = Effect.scoped(
  Effect.gen(function* () {
    const turn = turnOf(POLICY)
    const answers = yield* results(basic, turn)
    return { answers, events: turn.transcript.events }
  }).pipe(Effect.provide(backends(hearing())))
)

describe.each(ways)("a tool %s", (_, made) => {
  it.live("answers, fails and asks as it does in one process", () => {
    const heard = hearing()
    return Effect.scoped(
      Effect.gen(function* () {
        const kit = yield* made
        const turn = turnOf(POLICY)
        const answers = yield* results(kit, turn)
        const one = yield* expected
        for (const [index, [what]] of calls.entries()) {
          expect(answers[index], what).toEqual(one.answers[index])
        }
        expect(turn.transcript.events).toEqual(one.events)
        // The host alone put it in place, and for one host alone.
        expect(heard.sent).toEqual([`Bearer ${SEALED}`])
        expect(JSON.stringify(answers)).not.toContain(SEALED)
      }).pipe(Effect.provide(backends(heard)))
    )
  })

  it.live("says how far it is, meets its deadline, and what it waited for is interrupted", () => {
    const heard = hearing()
    const reports: Array<Reported> = []
    const listening = Progress.layer((event) => Effect.sync(() => void reports.push(event)))
    return Effect.scoped(
      Effect.gen(function* () {
        const kit = yield* made
        const [one] = yield* registryOf(kit).execute(turnOf(), [{ id: "1", name: "hurried", args: {} }])
        expect(one?.result).toMatchObject({ ok: false, code: "timeout" })
        expect(reports).toEqual([{ message: "half", done: 1, total: 2 }])
        yield* until(() => heard.interrupted === 1)
      }).pipe(Effect.provide(Layer.mergeAll(world(heard), listening)))
    )
  })

  it.live("takes no more of a stream than it needs, and closes it", () => {
    const heard = hearing()
    return Effect.scoped(
      Effect.gen(function* () {
        const kit = yield* made
        const call = { id: "1", name: "streamed", args: { pieces: 3 } }
        const [one] = yield* registryOf(kit).execute(turnOf(), [call])
        expect(one?.result).toEqual({ ok: true, value: 3 * 65_536 })
        yield* until(() => heard.closed === 1)
        expect(heard.pieces).toBeLessThan(64)
      }).pipe(Effect.provide(world(heard)))
    )
  })

  it.live("has what it broke with in the log, and in no result", () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push([message].flat().join(" ")))
    return Effect.scoped(
      Effect.gen(function* () {
        const kit = yield* made
        const call = { id: "1", name: "failing", args: { how: "detailed" } }
        const [one] = yield* registryOf(kit).execute(turnOf(), [call])
        expect(JSON.stringify(one)).not.toContain("moons")
        const [logged = ""] = lines.filter((line) => line.startsWith("failing broke"))
        expect(logged).toMatch(/TypeError: 3 moons at \/x\n +at /)
      }).pipe(Effect.provide(world(hearing())), Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
    )
  })

  it.live("logs as it does in one process, without what is secret", () => {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ annotations, logLevel, message }) => {
      lines.push([logLevel.label, message, HashMap.get(annotations, "step")])
    })
    return Effect.scoped(
      Effect.gen(function* () {
        const kit = yield* made
        const call = { id: "1", name: "logging", args: {} }
        yield* Registry.make(kit.logging).execute(turnOf(), [call])
        const said = lines.filter((line) => JSON.stringify(line).includes("the key is"))
        expect(said).toEqual([["INFO", ["the key is", "[redacted]", { n: 1 }], Option.some("first")]])
      }).pipe(Effect.provide(Layer.merge(world(hearing()), Logger.replace(Logger.defaultLogger, logger))))
    )
  })

  it.live("is explained as it is in one process", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const kit = yield* made
        for (const [[name, args], foreseen] of explained) {
          const { result } = yield* registryOf(kit).explain(turnOf(), { id: "1", name, args })
          expect(result, `${name} ${JSON.stringify(args)}`).toMatchObject(foreseen)
        }
      }).pipe(Effect.provide(world(hearing())))
    )
  )

  it.live("runs over a double", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const kit = yield* made
        const doubled = Effect.provide(
          Tool.run(kit.title, { path: "z" }),
          Network.mock(() => "12345")
        )
        expect(yield* doubled).toEqual({ length: 5 })
      })
    )
  )
})

it.live("what an isolated tool says that it will ask for, and cannot be read, is not called allowed", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const kit = yield* Isolated.toolkit<Basic>(at("basic"), { directory: kept })
      for (const asks of [0, 300]) {
        const call = { id: "1", name: "vague", args: { asks } }
        const { result } = yield* registryOf(kit).explain(turnOf(), call)
        expect(result).toMatchObject({ ok: false, code: "execution_failed" })
        expect(result).toMatchObject({ error: expect.stringContaining("it will ask for cannot be read") })
      }
    }).pipe(Effect.provide(world(hearing())))
  )
)

it.effect("options that no type let through are refused in words, before anything is started", () =>
  Effect.gen(function* () {
    for (const [options, word] of [
      [{ per: "session" }, "'per' is neither 'call' nor 'turn'"],
      [{ spares: -1 }, "'spares' is not a whole number from 0 on"],
      [{ spares: Number.NaN }, "'spares' is not a whole number from 0 on"]
    ] as const) {
      // As JavaScript gives them.
      const given = options as unknown as Isolated.Options
      const exit = yield* Effect.exit(Effect.scoped(Isolated.toolkit(new URL("file:///nowhere.js"), given)))
      expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain(word)
    }
  })
)

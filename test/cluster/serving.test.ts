/** A turn as a runner serves it, with what another runner has left of it in the store. */

import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Registry, Tool, ToolResult } from "bailiwick"
import { ClusterRegistry } from "bailiwick/cluster"
import { Context, Deferred, Duration, Effect, Either, Fiber, Layer, Logger, LogLevel, Schema } from "effect"
import { expect, it } from "vitest"
import { Running } from "../../src/cluster/runner/Running.js"
import { type Served, serve } from "../../src/cluster/runner/Serving.js"
import { Ledger } from "../../src/cluster/store/Ledger.js"
import * as Tables from "../../src/cluster/store/Tables.js"
import { type Keyring, keyOf } from "../../src/cluster/wire/Keys.js"
import * as Turns from "../../src/cluster/wire/Turns.js"
import { database } from "../postgres/server.js"
import { turnOf } from "./cluster.js"
import { otherPolicy, policy, toolsWriting } from "./tools.js"

const keys: Keyring = [keyOf("a key of the cluster for tests")]

const UNKNOWN = { ok: false, code: "interrupted", error: expect.stringMatching(/is not known/) }

/** The first call was begun and nobody knows what came of it, the second is known, the third was not begun. */
const calls = ["begun", "known", "left"].map((key) => ({ id: key, name: "work", args: { key } }))

const sealedAt = (at: number) =>
  Turns.sealTurn(
    keys,
    Turns.bodyOf({ turn: turnOf("s"), calls, id: `turn at ${at}`, at, patienceMillis: 60_000 })
  )

const served = (ledger: Ledger, given: Partial<Served>): Served => ({
  registry: toolsWriting("/dev/null") as Registry.Registry,
  policies: ClusterRegistry.policies(policy),
  backends: () => Effect.succeed(Context.empty()),
  keys,
  ledger,
  retention: Duration.days(1),
  lost: Effect.never,
  ...given
})

it("a runner that is stopped in the middle of a transaction keeps nobody from taking over", async () => {
  const { url } = await Effect.runPromise(database)
  const living = Layer.fresh(ClusterRegistry.layerLife().pipe(Layer.provideMerge(PgClient.layer({ url }))))
  await Effect.gen(function* () {
    yield* Effect.provide(Tables.open, PgClient.layer({ url }))
    const stopped = yield* Layer.build(living)
    const life = Context.get(stopped, ClusterRegistry.RunnerLife)
    yield* life.takeOver("127.0.0.1:1", ["shard"])
    const written = yield* Deferred.make<void>()
    yield* Effect.forkScoped(
      Context.get(stopped, SqlClient.SqlClient).withTransaction(
        Effect.zipRight(life.check, Effect.zipRight(Deferred.succeed(written, undefined), Effect.never))
      )
    )
    yield* Deferred.await(written)
    const next = Context.get(yield* Layer.build(living), ClusterRegistry.RunnerLife)
    yield* next.takeOver("127.0.0.1:2", ["shard"])
    expect(yield* Effect.flip(life.check)).toMatchObject({ code: "RUNNER_FENCED" })
  }).pipe(Effect.scoped, Effect.provide(ShardingConfig.layer()), Effect.runPromise)
})

it("of those who come for one call at the same moment one has it", async () => {
  const { url } = await Effect.runPromise(database)
  await Effect.gen(function* () {
    yield* Tables.open
    const ledger = new Ledger(yield* SqlClient.SqlClient, yield* ClusterRegistry.RunnerLife)
    const entries = [0, 1].map((call) => ({ turn: "asked for at once", call }))
    const claims = yield* Effect.forEach(
      Array.from({ length: 10 }, (_, index) => `claim ${index}`),
      (claim) => ledger.claim(entries, claim),
      { concurrency: "unbounded" }
    )
    for (const { call } of entries) {
      expect(claims.filter((all) => all[call]?._tag === "mine")).toHaveLength(1)
    }
  }).pipe(
    Effect.scoped,
    Effect.provide(ClusterRegistry.layerLife().pipe(Layer.provideMerge(PgClient.layer({ url })))),
    Effect.provide(ShardingConfig.layer()),
    Effect.runPromise
  )
})

it("a turn that comes again while it runs is answered with what comes of it", async () => {
  const { url } = await Effect.runPromise(database)
  await Effect.gen(function* () {
    yield* Tables.open
    const ledger = new Ledger(yield* SqlClient.SqlClient, yield* ClusterRegistry.RunnerLife)
    const [begun, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    let runs = 0
    const registry = Registry.make(
      Tool.make({
        name: "work",
        description: "Works once",
        parameters: Schema.Struct({ key: Schema.String }),
        capabilities: {},
        execute: () =>
          Effect.suspend(() => {
            runs += 1
            return Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(gate))
          })
      })
    )
    const sealed = sealedAt(Date.now())
    const running = new Running(keys, sealed.key)
    const once = serve(
      served(ledger, { registry: registry as Registry.Registry }),
      Turns.entityOf("s"),
      sealed,
      running
    )
    const [first, ...others] = yield* Effect.forEach([1, 2, 3, 4], () => Effect.fork(once))
    yield* Deferred.await(begun)
    yield* Effect.forEach(others.slice(1), Fiber.interrupt)
    yield* Deferred.succeed(gate, undefined)
    const replies = [
      yield* Fiber.join(first as (typeof others)[number]),
      yield* Fiber.join(others[0] as (typeof others)[number])
    ]
    for (const reply of replies) {
      const { results } = Either.getOrThrow(Turns.openReply(keys, sealed.key, reply))
      expect(results.map(({ result }) => result.ok)).toEqual([true, true, true])
    }
    expect(runs).toBe(3)
  }).pipe(
    Effect.scoped,
    Effect.provide(ClusterRegistry.layerLife().pipe(Layer.provideMerge(PgClient.layer({ url })))),
    Effect.provide(ShardingConfig.layer()),
    Effect.runPromise
  )
})

it("what came of one of two calls of the same id is kept for that one", async () => {
  const { url } = await Effect.runPromise(database)
  await Effect.gen(function* () {
    yield* Tables.open
    const ledger = new Ledger(yield* SqlClient.SqlClient, yield* ClusterRegistry.RunnerLife)
    const gate = yield* Deferred.make<void>()
    const registry = Registry.make(
      Tool.make({
        name: "work",
        description: "Works once",
        parameters: Schema.Struct({ key: Schema.String }),
        capabilities: {},
        execute: ({ key }) => Effect.as(key === "slow" ? Deferred.await(gate) : Effect.void, key)
      })
    )
    const twins = ["slow", "quick"].map((key) => ({ id: "same", name: "work", args: { key } }))
    const sealed = Turns.sealTurn(
      keys,
      Turns.bodyOf({ turn: turnOf("s"), calls: twins, at: Date.now(), patienceMillis: 60_000 })
    )
    const running = new Running(keys, sealed.key)
    const serving = yield* Effect.fork(
      serve(served(ledger, { registry: registry as Registry.Registry }), Turns.entityOf("s"), sealed, running)
    )
    const { news } = yield* running.heardAfter("")
    expect(news).toMatchObject([{ _tag: "Result", call: 1 }])
    const results = Effect.map(ledger.begun(sealed.key), (found) =>
      [0, 1].map((at) => {
        const claim = found.get(at)
        return claim?._tag === "begun" && claim.result !== undefined
          ? Either.getOrThrow(Turns.openResult(keys, sealed.key, at, claim.result))
          : undefined
      })
    )
    const kept = yield* Effect.repeat(results, { until: (all) => all.some((one) => one !== undefined) })
    expect(kept).toEqual([undefined, ToolResult.succeed("quick")])
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(serving)
  }).pipe(
    Effect.scoped,
    Effect.provide(ClusterRegistry.layerLife().pipe(Layer.provideMerge(PgClient.layer({ url })))),
    Effect.provide(ShardingConfig.layer()),
    Effect.runPromise
  )
})

it("what another runner has begun is never answered as if it had not been", async () => {
  const { url } = await Effect.runPromise(database)
  await Effect.gen(function* () {
    yield* Tables.open
    const ledger = new Ledger(yield* SqlClient.SqlClient, yield* ClusterRegistry.RunnerLife)
    const now = Date.now()
    const cases: ReadonlyArray<readonly [Partial<Served>, number, unknown]> = [
      // Its time is over, the runner has another policy, no backends, or no such tool.
      [{}, now - 120_000, { code: "timeout" }],
      // It is older than anything that is kept, or comes from a clock that is ahead.
      [
        { retention: Duration.seconds(1) },
        now - 5_000,
        { code: "not_available", error: expect.stringMatching(/^MESSAGE_REFUSED: .* older than/) }
      ],
      [
        {},
        now + 400_000,
        { code: "not_available", error: expect.stringMatching(/^MESSAGE_REFUSED: .*set the clocks right$/) }
      ],
      [{ policies: ClusterRegistry.policies(otherPolicy) }, now, { code: "not_available" }],
      [{ backends: () => Effect.fail("the backends are away") }, now + 1, { code: "not_available" }],
      [{ registry: Registry.make() as Registry.Registry }, now + 2, { code: "not_available" }]
    ]
    for (const [given, at, left] of cases) {
      const sealed = sealedAt(at)
      yield* ledger.claim(
        [0, 1].map((call) => ({ turn: sealed.key, call })),
        "another runner's"
      )
      const known = Turns.sealResult(keys, sealed.key, 1, ToolResult.succeed("x".repeat(200_000)))
      yield* ledger.settle({ turn: sealed.key, call: 1 }, known ?? "")
      const reply = yield* serve(
        served(ledger, given),
        Turns.entityOf("s"),
        sealed,
        new Running(keys, sealed.key)
      )
      const { results } = Either.getOrThrow(Turns.openReply(keys, sealed.key, reply))
      // It was kept whole, and is answered within the budget of the turn.
      const cut = { ok: true, truncated: true }
      expect(results.map(({ result }) => result)).toMatchObject([UNKNOWN, cut, left])
    }
  }).pipe(
    Effect.scoped,
    Effect.provide(ClusterRegistry.layerLife().pipe(Layer.provideMerge(PgClient.layer({ url })))),
    Effect.provide(ShardingConfig.layer()),
    Logger.withMinimumLogLevel(LogLevel.None),
    Effect.runPromise
  )
})

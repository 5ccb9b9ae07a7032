/** A client and a runner in one program, which share a process and nothing else. */
import { PgClient } from "@effect/sql-pg"
import { Registry, Tool } from "bailiwick"
import { ClusterRegistry } from "bailiwick/cluster"
import { NodeSecrets } from "bailiwick/node"
import { Cause, Clock, Duration, Effect, Exit, Layer, Logger, LogLevel, Redacted, Schema } from "effect"
import { expect, it } from "vitest"
import { sweep } from "../../src/cluster/store/Retention.js"
import { database } from "../postgres/server.js"
import { KEY, settings, turnOf } from "./cluster.js"
import { policy } from "./tools.js"

const secrets = NodeSecrets.layerEnvironment({ environment: { CLUSTER_KEY: KEY, OTHER: `another ${KEY}` } })

const runnerOf = (
  registry: Registry.Registry,
  url: Redacted.Redacted<string>,
  place: Partial<ClusterRegistry.RunnerOptions<never>> = {},
  maxConnections = 6
) =>
  ClusterRegistry.layerRunner({
    ...settings,
    registry,
    policies: ClusterRegistry.policies(policy),
    ...place
  }).pipe(
    Layer.provide(ClusterRegistry.layerLife()),
    Layer.provide(PgClient.layer({ url, maxConnections })),
    Layer.provide(secrets)
  )

const clientOf = (
  url: Redacted.Redacted<string>,
  other: Partial<ClusterRegistry.Settings> = {},
  maxConnections = 6
) =>
  ClusterRegistry.layerClient({ ...settings, ...other }).pipe(
    Layer.provide(PgClient.layer({ url, maxConnections })),
    Layer.provide(secrets)
  )

const MEGABYTE = 1_000_000

it("what is too large to be carried is said to be so, and is not made again", async () => {
  const { url } = await Effect.runPromise(database)
  let runs = 0
  const registry = Registry.make(
    Tool.make({
      name: "dump",
      description: "Answers with much",
      parameters: Schema.Struct({ megabytes: Schema.Number, padding: Schema.optional(Schema.String) }),
      capabilities: {},
      readOnly: true,
      execute: ({ megabytes }) =>
        Effect.sync(() => {
          runs += 1
          return "x".repeat(megabytes * MEGABYTE)
        })
    })
  )
  const dump = (megabytes: number, padding?: string) => ({
    id: String(megabytes),
    name: "dump",
    args: { megabytes, ...(padding === undefined ? {} : { padding }) }
  })
  const turn = () => turnOf("s", { budget: Number.POSITIVE_INFINITY })
  await Effect.gen(function* () {
    const { execute } = yield* ClusterRegistry.client({ durable: false, patience: "1 minute" })
    const heard: Array<string> = []
    const [large, small] = yield* execute(turn(), [dump(40), dump(0.1)], {
      onResult: ({ id, result }) => heard.push(`${id} ${result.ok}`)
    })
    expect(large.result).toMatchObject({ ok: false, error: expect.stringMatching(/^the call was made/) })
    expect(small.result.ok).toBe(true)
    expect(heard.sort()).toEqual(["0.1 true", "40 false"])
    expect(runs).toBe(2)

    // Who was set otherwise hears of it when it starts; a key that is about to be the next one is no other.
    const differing = [{ shards: 25 }, { encryption: "OTHER" }, { key: "OTHER" }]
    for (const other of differing) {
      for (const layer of [runnerOf(registry, url, other), clientOf(url, other)]) {
        expect(yield* Effect.promise(() => sentenceOf(layer))).toMatch(/CLUSTER_DIFFERS: /)
      }
    }
    expect(yield* Effect.promise(() => sentenceOf(clientOf(url, { key: ["OTHER", "CLUSTER_KEY"] })))).toBe("")

    const [unsent] = yield* execute(turn(), [dump(1, "x".repeat(20 * MEGABYTE))])
    expect(unsent.result).toMatchObject({ ok: false, code: "input_invalid" })
    expect(runs).toBe(2)

    // A runner whose clock is far ahead removes nothing that is young by that of PostgreSQL.
    const kept = yield* ClusterRegistry.client()
    yield* kept.execute(turn(), [dump(0)])
    const now = Date.now() + Duration.toMillis("2 days")
    const ahead = Object.assign(Clock.make(), { currentTimeMillis: Effect.succeed(now) })
    yield* Effect.provide(
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* Effect.withClock(sweep(sql, Duration.days(1)), ahead)
        expect(yield* sql`SELECT count(*)::int AS n FROM bailiwick_cluster_replies`).toEqual([{ n: 1 }])
      }),
      PgClient.layer({ url })
    )
  }).pipe(
    Effect.provide(Layer.merge(runnerOf(registry, url), clientOf(url))),
    Logger.withMinimumLogLevel(LogLevel.None),
    Effect.runPromise
  )
})

const sentenceOf = async (layer: Layer.Layer<never, unknown>): Promise<string> => {
  const exit = await Effect.runPromiseExit(Effect.scoped(Layer.build(layer)))
  return Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : ""
}

it("works with three connections to PostgreSQL, and says so where it has fewer", async () => {
  const { url } = await Effect.runPromise(database)
  const registry = Registry.make(
    Tool.make({
      name: "once",
      description: "Answers",
      parameters: Schema.Struct({}),
      capabilities: {},
      execute: () => Effect.succeed("done")
    })
  )
  await Effect.gen(function* () {
    const { execute } = yield* ClusterRegistry.client()
    const call = { id: "1", name: "once", args: {} }
    const answers = yield* Effect.forEach(
      Array.from({ length: 20 }, (_, index) => `session ${index}`),
      (session) => execute(turnOf(session), [call]),
      { concurrency: "unbounded" }
    )
    expect(answers.flat().every(({ result }) => result.ok)).toBe(true)
  }).pipe(
    Effect.provide(Layer.merge(runnerOf(registry, url, {}, 3), clientOf(url, {}, 3))),
    Logger.withMinimumLogLevel(LogLevel.None),
    Effect.runPromise
  )
  for (const few of [1, 2]) {
    for (const layer of [runnerOf(registry, url, {}, few), clientOf(url, {}, few)]) {
      expect(await sentenceOf(layer)).toMatch(
        /STORE_UNREACHABLE: a cluster needs 3 connections .* maxConnections/
      )
    }
  }
})

it("an operator's mistakes are said in one sentence", async () => {
  const { name, server, url } = await Effect.runPromise(database)
  const registry = Registry.make()
  // Listens everywhere: its neighbours would look for it on their own machines.
  for (const host of ["0.0.0.0", "::", "0", "0::0"]) {
    expect(await sentenceOf(runnerOf(registry, url, { listen: { host, port: 0 } }))).toMatch(
      /ADDRESS_TAKEN: a runner that listens everywhere .* --address/
    )
  }
  // Port 0 takes a free one, also where the address has another name.
  const place = await Effect.runPromise(
    Effect.provide(
      Effect.map(ClusterRegistry.Runner, ({ address }) => address),
      runnerOf(registry, url, { address: { host: "localhost", port: 0 } })
    )
  )
  expect(place).toEqual({ host: "localhost", port: expect.toSatisfy((port) => port > 0) })
  // A user who may not make tables.
  server.psql("postgres", `CREATE ROLE ${name} LOGIN PASSWORD 'poor'`)
  const poor = Redacted.make(server.url(name, name, "poor"))
  expect(await sentenceOf(clientOf(poor))).toMatch(
    /STORE_UNREACHABLE: PostgreSQL does not let this user do that/
  )
})

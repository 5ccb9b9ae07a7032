/**
 * What a fault does is a promise. Runners are processes here, PostgreSQL is one, and both are ended in the middle of work:
 * every call is answered, none runs twice that must not, and what may have happened is said to be unknown.
 */
import type { ToolResult } from "bailiwick"
import { ClusterRegistry } from "bailiwick/cluster"
import { Deferred, Effect, Fiber, Redacted, Schedule } from "effect"
import { describe, expect, it } from "vitest"
import { database, ownServer } from "../postgres/server.js"
import { Cluster, eventually, hasty, type Runner, turnOf } from "./cluster.js"

const newCluster = async (given?: ClusterRegistry.Settings): Promise<Cluster> => {
  const { url } = await Effect.runPromise(database)
  return new Cluster(Redacted.value(url), given)
}

const runnerOf = (cluster: Cluster, key: string): Runner => {
  const pid = Number(cluster.journal.find((line) => line[0] === "start" && line[1] === key)?.[2])
  const found = cluster.runners.find((one) => one.pid === pid)
  if (found === undefined) throw new Error(`nobody runs ${key}`)
  return found
}

const UNKNOWN = /whether the call took effect is not known/

interface Answer {
  readonly key: string
  readonly name: string
  readonly result: ToolResult.ToolResult
}

/** What every fault leaves as it is: each call is answered, and none that must not has run twice. */
const holds = (cluster: Cluster, answers: ReadonlyArray<Answer>): void => {
  for (const { key, name, result } of answers) {
    const [starts, ends] = [cluster.count("start", key), cluster.count("end", key)]
    if (name === "work") {
      expect(starts, key).toBeLessThanOrEqual(1)
      if (result.ok) expect(ends, key).toBe(1)
      else expect(result).toMatchObject({ code: "interrupted", error: expect.stringMatching(UNKNOWN) })
    } else {
      expect(result.ok, key).toBe(true)
      expect(ends, key).toBeGreaterThanOrEqual(1)
    }
  }
}

const NAMES = ["work", "look", "put", "work"]

/** Sessions side by side, the turns of each one after the other; `at` hears how many are answered. */
const load = (
  client: ClusterRegistry.ClusterClient.Service,
  sessions: number,
  turns: number,
  at: (answered: number) => Effect.Effect<void>
): Effect.Effect<ReadonlyArray<Answer>> => {
  let answered = 0
  const one = (session: number, turn: number) => {
    const key = `${session}-${turn}`
    const name = NAMES[(session + turn) % NAMES.length] ?? "work"
    return Effect.tap(
      Effect.map(
        client.execute(turnOf(`session ${session}`), [{ id: key, name, args: { key, ms: 20 } }]),
        ([{ result }]) => ({ key, name, result })
      ),
      () => at(++answered)
    )
  }
  const all = Effect.forEach(
    Array.from({ length: sessions }, (_, session) => session),
    (session) =>
      Effect.forEach(
        Array.from({ length: turns }, (_, turn) => turn),
        (turn) => one(session, turn)
      ),
    { concurrency: "unbounded" }
  )
  return Effect.map(all, (found) => found.flat())
}

describe("a fault in a cluster", () => {
  for (const durable of [true, false]) {
    it(`kill -9 in the middle of 200 calls, ${durable ? "kept" : "not kept"} in the store`, async () => {
      const cluster = await newCluster()
      const [first] = await cluster.startAll(3)
      const answers = await cluster.run(
        Effect.gen(function* () {
          const client = yield* ClusterRegistry.client({ durable })
          return yield* load(client, 20, 10, (answered) =>
            Effect.sync(() => {
              if (answered === 60) first?.child.kill("SIGKILL")
            })
          )
        })
      )
      expect(answers).toHaveLength(200)
      holds(cluster, answers)
      // The fault was one: the runner that was ended had work, and the others took it over.
      expect(new Set(cluster.journal.map((line) => line[2])).size).toBeGreaterThanOrEqual(2)
    })
  }

  it("SIGTERM lets what runs come to its end, and hands the sessions over", async () => {
    const cluster = await newCluster()
    await cluster.startAll(2)
    const { after, ended, result, runner } = await cluster.run(
      Effect.gen(function* () {
        const client = yield* ClusterRegistry.client()
        const turn = turnOf("one")
        const running = yield* Effect.fork(
          client.execute(turn, [{ id: "1", name: "work", args: { key: "long", until: cluster.gate("go") } }])
        )
        yield* eventually(() => cluster.count("start", "long") === 1)
        const runner = runnerOf(cluster, "long")
        runner.child.kill("SIGTERM")
        // Those that reach a runner which does not begin them any more are begun by the other.
        const next = yield* Effect.fork(
          Effect.forEach(
            Array.from({ length: 12 }, (_, index) => `next-${index}`),
            (key) => client.execute(turn, [{ id: key, name: "work", args: { key } }]),
            { concurrency: "unbounded" }
          )
        )
        cluster.open("go")
        const [{ result }] = yield* Fiber.join(running)
        const ended = yield* Effect.promise(() => runner.ended)
        const after = yield* Fiber.join(next)
        return { result, ended, after, runner }
      })
    )
    expect(result).toEqual({ ok: true, value: runner.pid })
    expect(ended).toBe(0)
    expect(after.flat().filter((one) => !one.result.ok)).toEqual([])
    expect(cluster.count("start")).toBe(13)
    expect(cluster.count("interrupted")).toBe(0)
  })

  it("SIGTERM while clients listen keeps nobody waiting for who has nothing to say", async () => {
    const cluster = await newCluster()
    // Whoever waited for a listener would wait until the time to drain is over.
    const drain = { CLUSTER_DRAIN: "1 hour" }
    const [first] = await Promise.all([1, 2, 3].map(() => cluster.start(drain)))
    const answers = await cluster.run(
      Effect.gen(function* () {
        const client = yield* ClusterRegistry.client()
        const listening = {
          ...client,
          execute: ((turn, calls) =>
            client.execute(turn, calls, { onResult: () => {} })) as typeof client.execute
        }
        return yield* load(listening, 20, 10, (answered) =>
          Effect.sync(() => {
            if (answered === 60) first?.child.kill("SIGTERM")
          })
        )
      })
    )
    expect(await first?.ended).toBe(0)
    expect(answers.filter(({ result }) => !result.ok)).toEqual([])
    holds(cluster, answers)
  })

  it("a runner that joins takes its share of the sessions, and breaks off nothing that runs in them", async () => {
    const cluster = await newCluster()
    await cluster.start()
    const results = await cluster.run(
      Effect.gen(function* () {
        const [kept, quick] = [
          yield* ClusterRegistry.client(),
          yield* ClusterRegistry.client({ durable: false })
        ]
        const running = yield* Effect.fork(
          Effect.forEach(
            Array.from({ length: 8 }, (_, index) => `long-${index}`),
            (key, index) =>
              (index % 2 === 0 ? kept : quick).execute(turnOf(`session ${index}`), [
                { id: key, name: "work", args: { key, until: cluster.gate("go") } }
              ]),
            { concurrency: "unbounded" }
          )
        )
        yield* eventually(() => cluster.count("start") === 8)
        const joined = yield* Effect.promise(() => cluster.start())
        const isThere = () => cluster.journal.some((line) => line.at(-1) === String(joined.pid))
        // Sessions in which nothing runs are handed over first; the others come when it has ended.
        const free: Array<Fiber.RuntimeFiber<ReadonlyArray<{ readonly result: ToolResult.ToolResult }>>> = []
        const another = Effect.suspend(() => {
          const key = `free-${free.length}`
          return quick.execute(turnOf(key), [{ id: "1", name: "work", args: { key } }])
        })
        yield* Effect.repeat(
          Effect.map(Effect.fork(another), (fiber) => void free.push(fiber)),
          { until: isThere, schedule: Schedule.spaced("10 millis") }
        )
        cluster.open("go")
        return [...(yield* Fiber.join(running)), ...(yield* Fiber.join(Fiber.all(free)))]
      })
    )
    expect(results.flat().filter(({ result }) => !result.ok)).toEqual([])
    expect(cluster.count("interrupted")).toBe(0)
  })

  it("a runner that was stopped and resumed is fenced: nothing of it is kept, and its call is unknown", async () => {
    const cluster = await newCluster(hasty)
    await cluster.startAll(2)
    const { ended, result, runner, after } = await cluster.run(
      Effect.gen(function* () {
        const client = yield* ClusterRegistry.client()
        const turn = turnOf("one")
        const running = yield* Effect.fork(
          client.execute(turn, [{ id: "1", name: "keep", args: { key: "mine", until: cluster.gate("go") } }])
        )
        yield* eventually(() => cluster.count("start", "mine") === 1)
        const runner = runnerOf(cluster, "mine")
        runner.child.kill("SIGSTOP")
        const [{ result }] = yield* Fiber.join(running)
        cluster.open("go")
        runner.child.kill("SIGCONT")
        const ended = yield* Effect.promise(() => runner.ended)
        const [after] = yield* client.execute(turn, [{ id: "2", name: "keep", args: { key: "theirs" } }])
        return { result, ended, runner, after }
      })
    )
    expect(result).toMatchObject({ ok: false, code: "interrupted", error: expect.stringMatching(UNKNOWN) })
    expect(ended).toBe(1)
    expect(runner.output()).toContain("RUNNER_FENCED")
    expect(after.result.ok).toBe(true)
    expect(cluster.count("start", "mine")).toBe(1)
    const { server } = await Effect.runPromise(database)
    const name = new URL(cluster.url).pathname.slice(1)
    expect(server.psql(name, "SELECT key FROM bailiwick.entries")).toBe("theirs")
  })

  it("a PostgreSQL that is away for longer than a runner drains keeps it from nothing: it ends, and says what it left", async () => {
    const server = await Effect.runPromise(ownServer)
    const cluster = new Cluster(server.url("postgres"), hasty)
    const runner = await cluster.start({ CLUSTER_LOG: "1", CLUSTER_DRAIN: "200 millis" })
    const { ended, result } = await cluster.run(
      Effect.gen(function* () {
        const client = yield* ClusterRegistry.client({ patience: "5 seconds" })
        const call = { id: "1", name: "work", args: { key: "long", until: cluster.gate("never") } }
        const running = yield* Effect.fork(client.execute(turnOf("one"), [call]))
        yield* eventually(() => cluster.count("start", "long") === 1)
        server.stop()
        runner.child.kill("SIGTERM")
        const ended = yield* Effect.promise(() => runner.ended)
        const [{ result }] = yield* Fiber.join(running)
        return { ended, result }
      })
    )
    expect(ended).toBe(0)
    expect(runner.output().match(/the runner ended before a turn was answered/g)).toHaveLength(1)
    expect(result).toMatchObject({ ok: false, code: "interrupted", error: expect.stringMatching(UNKNOWN) })
    expect(cluster.journal.map(([what]) => what)).toEqual(["start", "interrupted"])
  })

  it("PostgreSQL that restarts under load loses nothing", async () => {
    const server = await Effect.runPromise(ownServer)
    const cluster = new Cluster(server.url("postgres"), hasty)
    await cluster.startAll(2)
    const answers = await cluster.run(
      Effect.gen(function* () {
        const client = yield* ClusterRegistry.client()
        const half = yield* Deferred.make<void>()
        const running = yield* Effect.fork(
          load(client, 10, 8, (answered) =>
            answered === 30 ? Deferred.succeed(half, undefined) : Effect.void
          )
        )
        yield* Deferred.await(half)
        server.restart()
        return yield* Fiber.join(running)
      })
    )
    expect(answers).toHaveLength(80)
    holds(cluster, answers)
  })
})

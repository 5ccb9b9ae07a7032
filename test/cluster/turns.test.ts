/** Turns on a runner that is a process of its own: what a client sees of them, and what is left of them in the store. */
import { connect } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { ClusterRegistry } from "bailiwick/cluster"
import { NodeSecrets } from "bailiwick/node"
import { Duration, Effect, Either, Fiber, Layer, Redacted } from "effect"
import { expect, it } from "vitest"
import { sweep } from "../../src/cluster/store/Retention.js"
import { Progress } from "../../src/tools/Progress.js"
import { database } from "../postgres/server.js"
import { Cluster, eventually, KEY, settings, turnOf } from "./cluster.js"
import { otherPolicy, toolsWriting } from "./tools.js"

const newCluster = async (given?: ClusterRegistry.Settings): Promise<Cluster> => {
  const { url } = await Effect.runPromise(database)
  return new Cluster(Redacted.value(url), given)
}

const work = (key: string, args: object = {}, name = "work") => ({ id: key, name, args: { key, ...args } })

it("a client has what registry.execute has: order, results as they come, progress, refusals, interruption", async () => {
  const cluster = await newCluster()
  const runner = await cluster.start()
  await cluster.run(
    Effect.gen(function* () {
      const client = yield* ClusterRegistry.client()
      const registry = toolsWriting(cluster.journalFile)

      const heard: Array<string> = []
      const progress: Array<string> = []
      const [first, second, third] = yield* client
        .execute(
          turnOf("s"),
          [
            work("slow", { until: cluster.gate("heard") }),
            registry.call("report", { key: "half" }),
            work("x", {}, "nothing")
          ],
          {
            onResult: ({ id }) => {
              heard.push(id)
              if (heard.length === 2) cluster.open("heard")
            }
          }
        )
        .pipe(
          Effect.provideService(Progress, {
            report: ({ message }) => Effect.sync(() => void progress.push(message))
          })
        )
      expect([first.result, second.result]).toEqual([
        { ok: true, value: runner.pid },
        { ok: true, value: "half" }
      ])
      expect(third.result).toMatchObject({ ok: false, code: "not_available" })
      expect(heard.at(-1)).toBe("slow")
      expect(new Set(heard).size).toBe(3)
      expect(progress).toEqual(["half"])

      // The same turn, sent again, is answered and not run.
      const again = () => client.execute(turnOf("s"), [work("once")], { id: "a turn" })
      expect(yield* again()).toEqual(yield* again())
      expect(cluster.count("start", "once")).toBe(1)

      // A policy that differs is refused in words, and so is one that nobody has.
      const [differs] = yield* client.execute(turnOf("s", { policy: otherPolicy }), [work("differs")])
      expect(differs.result).toMatchObject({
        ok: false,
        code: "not_available",
        error: expect.stringMatching(/^POLICY_DIFFERS/)
      })
      expect(cluster.count("start", "differs")).toBe(0)

      // Who holds a secret in its arguments is told so, and sends nothing.
      const [secret, beside] = yield* client.execute(turnOf("s"), [
        { id: "secret", name: "work", args: { key: Redacted.make("hidden") } },
        work("beside")
      ])
      expect(secret.result).toMatchObject({ ok: false, code: "input_invalid" })
      expect(beside.result.ok).toBe(true)

      // An interruption reaches the tool; a signal lets the others be answered.
      const fiber = yield* Effect.fork(
        client.execute(turnOf("s"), [work("long", { until: cluster.gate("never") })])
      )
      yield* eventually(() => cluster.count("start", "long") === 1)
      yield* Fiber.interrupt(fiber)
      yield* eventually(() => cluster.count("interrupted", "long") === 1)
      const controller = new AbortController()
      const aborted = yield* Effect.fork(
        client.execute(turnOf("s"), [work("done"), work("hangs", { until: cluster.gate("never") })], {
          signal: controller.signal
        })
      )
      yield* eventually(() => cluster.count("end", "done") === 1 && cluster.count("start", "hangs") === 1)
      controller.abort()
      const [done, hangs] = yield* Fiber.join(aborted)
      expect([done.result.ok, hangs.result]).toEqual([
        true,
        { ok: false, code: "interrupted", error: "the call was interrupted" }
      ])

      // A deadline is the turn's, and the runner keeps it.
      const [late] = yield* client.execute(turnOf("s", { deadline: "50 millis" }), [
        work("late", { until: cluster.gate("never") })
      ])
      expect(late.result).toMatchObject({ ok: false, code: "timeout" })

      // What is longer than the budget is cut once, and says how much of it is missing.
      const long = { id: "1", name: "echo", args: { key: "x".repeat(1000) } }
      const short = turnOf("s", { budget: 100 })
      expect(yield* client.execute(short, [long])).toEqual(yield* registry.execute(short, [long]))
    })
  )
  // Who has no key is hung up on.
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(runner.port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\n\r\n"))
    let text = ""
    socket.on("data", (chunk) => {
      text += String(chunk)
    })
    socket.on("close", () => resolve(text))
    socket.on("error", () => {})
  })
  expect(answer).toBe("")
})

it("a client knows its runners before its first turn: nobody has to find that in the store", async () => {
  // A runner that looks by itself does so once in two hours, and nobody asks a second time.
  const cluster = await newCluster({ ...settings, failover: { ...settings.failover, look: "1 hour" } })
  await cluster.start()
  for (const round of [1, 2, 3]) {
    const heard: Array<string> = []
    const [{ result }] = await cluster.run(
      Effect.gen(function* () {
        const { execute } = yield* ClusterRegistry.client({ patience: "20 seconds" })
        return yield* execute(turnOf(`session ${round}`), [work("half", {}, "report")]).pipe(
          Effect.provideService(Progress, {
            report: ({ message }) => Effect.sync(() => void heard.push(message))
          })
        )
      })
    )
    expect(result).toEqual({ ok: true, value: "half" })
    expect(heard).toEqual(["half"])
  }
})

it("a turn that is sent often at once runs once", async () => {
  const cluster = await newCluster()
  await cluster.start()
  const answers = await cluster.run(
    Effect.gen(function* () {
      const clients = [
        yield* ClusterRegistry.client(),
        yield* ClusterRegistry.client({ durable: false }),
        yield* ClusterRegistry.client({ durable: false })
      ]
      yield* Effect.forEach(clients, ({ execute }) => execute(turnOf("s"), [work("before")]))
      return yield* Effect.forEach(
        [...clients, ...clients, ...clients],
        ({ execute }) => execute(turnOf("s"), [work("once", { ms: 100 })], { id: "the turn" }),
        { concurrency: "unbounded" }
      )
    })
  )
  expect(cluster.count("start", "once")).toBe(1)
  // Who came when it was over, and sent it from process to process, is told that its answer is not kept.
  for (const [{ result }] of answers) {
    if (!result.ok) expect(result.error).toMatch(/begun before.*is not known/)
  }
})

it("who listens to a turn late hears what came before", async () => {
  const cluster = await newCluster()
  await cluster.start()
  await cluster.run(
    Effect.gen(function* () {
      const client = yield* ClusterRegistry.client()
      const calls = [work("slow", { until: cluster.gate("heard") }), work("quick")]
      const first = yield* Effect.fork(client.execute(turnOf("s"), calls, { id: "one turn" }))
      yield* eventually(() => cluster.count("end", "quick") === 1 && cluster.count("start", "slow") === 1)
      const [slow] = yield* client.execute(turnOf("s"), calls, {
        id: "one turn",
        onResult: ({ id }) => {
          if (id === "quick") cluster.open("heard")
        }
      })
      expect(slow?.result.ok).toBe(true)
      expect(yield* Fiber.join(first)).toMatchObject([{ result: { ok: true } }, { result: { ok: true } }])
      expect(cluster.count("start")).toBe(2)
    })
  )
})

it("nothing that was said or answered can be read in the store, and its time is over there", async () => {
  const cluster = await newCluster({ ...settings, encryption: "CLUSTER_ENCRYPTION" })
  const environment = { CLUSTER_ENCRYPTION: "another secret that is long enough for this" }
  await cluster.start(environment)
  const word = "a-word-that-is-nowhere-else"
  const client = ClusterRegistry.layerClient({ ...settings, encryption: "CLUSTER_ENCRYPTION" }).pipe(
    Layer.provide(PgClient.layer({ url: Redacted.make(cluster.url) })),
    Layer.provide(NodeSecrets.layerEnvironment({ environment: { CLUSTER_KEY: KEY, ...environment } }))
  )
  await Effect.runPromise(
    Effect.gen(function* () {
      const { execute } = yield* ClusterRegistry.client()
      const [one, two] = yield* execute(turnOf(word), [work(word), registryCall(word)])
      expect([one.result.ok, two.result]).toEqual([true, { ok: true, value: word }])
    }).pipe(Effect.provide(client))
  )
  const { server } = await Effect.runPromise(database)
  const name = new URL(cluster.url).pathname.slice(1)
  const rows = (table: string) => server.psql(name, `SELECT * FROM bailiwick_cluster_${table}`)
  const all = ["messages", "replies", "calls"].map(rows)
  expect(all.every((text) => text !== "")).toBe(true)
  expect(all.join("\n")).not.toContain(word)
  expect(all.join("\n")).not.toContain(Buffer.from(word).toString("base64url").slice(0, 20))

  // A client without that secret is told so, and could neither ask nor read.
  await expect(
    new Cluster(cluster.url, settings).run(
      Effect.flatMap(ClusterRegistry.client(), ({ execute }) => execute(turnOf("s"), [work("unencrypted")]))
    )
  ).rejects.toThrow(/CLUSTER_DIFFERS/)
  expect(cluster.count("start", "unencrypted")).toBe(0)

  await Effect.runPromise(
    Effect.flatMap(PgClient.PgClient, (sql) => sweep(sql, Duration.zero)).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(cluster.url) }))
    )
  )
  expect([rows("messages"), rows("replies")]).toEqual(["", ""])
  expect(server.psql(name, "SELECT count(result) FROM bailiwick_cluster_calls")).toBe("0")
  // That a call was made is known for as long as it could be sent again.
  expect(server.psql(name, "SELECT count(*) FROM bailiwick_cluster_calls")).not.toBe("0")
})

const registryCall = (key: string) => ({ id: "report", name: "report", args: { key } })

it("a key that is missing or short, and tables of a later version, are said in one sentence", async () => {
  const building = (environment: Record<string, string>, url: string) =>
    Effect.runPromise(
      Effect.either(
        Effect.scoped(
          Layer.build(
            ClusterRegistry.layerClient({ key: "CLUSTER_KEY" }).pipe(
              Layer.provide(Layer.orDie(PgClient.layer({ url: Redacted.make(url) }))),
              Layer.provide(NodeSecrets.layerEnvironment({ environment }))
            )
          )
        )
      ).pipe(Effect.catchAllDefect((defect) => Effect.succeed(Either.left(defect))))
    )
  const { name, server, url } = await Effect.runPromise(database)
  const missing = await building({}, Redacted.value(url))
  expect(String(Either.isLeft(missing) ? missing.left : "")).toMatch(/KEY_MISSING: the key .*CLUSTER_KEY/)
  const short = await building({ CLUSTER_KEY: "short" }, Redacted.value(url))
  expect(String(Either.isLeft(short) ? short.left : "")).toMatch(/KEY_MISSING: .*shorter than 32/)
  server.psql(
    name,
    "CREATE TABLE bailiwick_cluster_version (version int NOT NULL); INSERT INTO bailiwick_cluster_version VALUES (99)"
  )
  const newer = await building({ CLUSTER_KEY: KEY }, Redacted.value(url))
  expect(String(Either.isLeft(newer) ? newer.left : "")).toMatch(
    /STORE_NEWER: the tables of the cluster are of version 99, and this program knows version 2/
  )
  expect(server.psql(name, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")).toBe("1")
})

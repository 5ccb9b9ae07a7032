/**
 * The threat: PostgreSQL goes away in the midst of work, does not answer, or is asked by those who leave. Nothing that was
 * acknowledged is lost, nobody waits for ever, and no connection comes back in a state that the next one would meet.
 */
import { connect, createServer, type Socket } from "node:net"
import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { AuditSink } from "bailiwick"
import { NodeSecrets } from "bailiwick/node"
import { Database, DatabaseError, PostgresAudit, PostgresClient, PostgresStorage } from "bailiwick/postgres"
import { Chunk, Context, Deferred, Effect, Exit, Fiber, Layer, Redacted, Scope, Stream } from "effect"
import { has } from "../../scripts/lib/system.js"
import { givingBack } from "../../src/postgres/Reserving.js"
import { call } from "../cli/auditLog.js"
import { ownServer, place } from "./server.js"
import { store } from "./tools.js"

const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index)

const heard = () => {
  const sentences: Array<string> = []
  return { sentences, say: (sentence: string) => void sentences.push(sentence) }
}

/** A way to PostgreSQL that can be cut, and that can be kept from carrying anything. */
const proxy = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ port: number; pause: () => void; end: () => void }>((resolve) => {
          const sockets = new Set<Socket>()
          let isPaused = false
          const server = createServer((one) => {
            const other = connect(port, "127.0.0.1")
            for (const [from, to] of [
              [one, other],
              [other, one]
            ] as const) {
              sockets.add(from)
              from.on("data", (chunk) => {
                if (!isPaused) to.write(chunk)
              })
              from.on("error", () => {})
              from.on("close", () => {
                sockets.delete(from)
                to.destroy()
              })
            }
          }).listen(0, "127.0.0.1", () => {
            const address = server.address()
            resolve({
              port: typeof address === "object" && address !== null ? address.port : 0,
              pause: () => {
                isPaused = !isPaused
              },
              end: () => {
                server.close()
                for (const socket of sockets) socket.destroy()
              }
            })
          })
        })
    ),
    ({ end }) => Effect.sync(end)
  )

describe.runIf(has("postgres"))("PostgreSQL that goes away", () => {
  it.scopedLive("a restart under load loses nothing that was acknowledged, and every write is answered", () =>
    Effect.gen(function* () {
      const server = yield* ownServer
      const { say, sentences } = heard()
      const database = Database.layer({
        url: Redacted.make(server.url("postgres")),
        say,
        waitAtMost: "2 minutes"
      })
      const begun = yield* Deferred.make<void>()
      const restarted = yield* Deferred.make<void>()
      const entry = (id: number) => call({ call: String(id) })
      yield* Effect.gen(function* () {
        const one = yield* store()
        const sink = yield* AuditSink
        let done = 0
        const work = (id: number) =>
          Effect.gen(function* () {
            const wrote = yield* Effect.exit(one.set({ key: `k${id}`, value: String(id) }))
            const kept = yield* Effect.exit(sink.append([entry(id)]))
            done += 1
            if (done === 40) yield* Deferred.succeed(begun, undefined)
            return { id, wrote, kept }
          })
        // Some before it, some while it is away, some after it.
        const working = yield* Effect.fork(Effect.forEach(numbers(400), work, { concurrency: 16 }))
        yield* Deferred.await(begun)
        server.stop()
        yield* Effect.sync(() => server.start())
        yield* Deferred.succeed(restarted, undefined)
        const all = yield* Fiber.join(working)
        const keys = new Set(yield* one.list({ prefix: "" }))
        for (const { id, wrote } of all) {
          if (Exit.isSuccess(wrote)) expect(keys.has(`k${id}`)).toBe(true)
        }
        // What is not known is said to be not known; nothing else fails.
        const failures = all.flatMap(({ wrote }) => (Exit.isFailure(wrote) ? [String(wrote.cause)] : []))
        for (const failure of failures) expect(failure).toContain("is done, or it is not")
        expect(failures.length).toBeLessThanOrEqual(16)
        // The log finds out by itself: each entry is kept, and once.
        expect(all.every(({ kept }) => Exit.isSuccess(kept))).toBe(true)
        const found = Chunk.toReadonlyArray(yield* Stream.runCollect(sink.entries()))
        const ids = found.map((each) => ("call" in each ? each.call : ""))
        expect([...ids].sort()).toEqual(numbers(400).map(String).sort())
        // It is connected to again by itself.
        yield* one.set({ key: "after", value: "1" })
        expect(sentences).toEqual([
          expect.stringMatching(/^PostgreSQL .*; what needs it answers not_available until it is back$/),
          "PostgreSQL is back"
        ])
      }).pipe(
        Effect.provide(Layer.provide(Layer.merge(PostgresStorage.layer(), PostgresAudit.layer()), database))
      )
    })
  )

  it.scopedLive(
    "a program starts without it, answers at once that it is not there, and finds it when it comes",
    () =>
      Effect.gen(function* () {
        const server = yield* ownServer
        server.stop()
        const { say, sentences } = heard()
        yield* Effect.gen(function* () {
          const one = yield* store()
          const failures = yield* Effect.forEach(numbers(20), () => Effect.flip(one.get({ key: "k" })), {
            concurrency: "unbounded"
          })
          expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(["STORAGE_UNAVAILABLE"]))
          expect(sentences).toHaveLength(1)
          yield* Effect.sync(() => server.start())
          yield* Effect.retry(one.set({ key: "k", value: "1" }), {
            while: ({ code }) => code === "STORAGE_UNAVAILABLE"
          })
          expect(yield* one.get({ key: "k" })).toBe("1")
          expect(sentences).toEqual([
            expect.stringContaining("PostgreSQL cannot be reached"),
            "PostgreSQL is back"
          ])
        }).pipe(
          Effect.provide(
            Layer.provide(
              PostgresStorage.layer(),
              Database.layer({ url: Redacted.make(server.url("postgres")), say })
            )
          )
        )
      })
  )

  it.scopedLive("a connection that carries nothing any more is given up, and the next one is another", () =>
    Effect.gen(function* () {
      const { schema, server } = yield* place
      const way = yield* proxy(server.port)
      const url = Redacted.make(
        `postgresql://admin:admin@127.0.0.1:${way.port}/postgres?query_timeout=300&statement_timeout=0`
      )
      const { say } = heard()
      yield* Effect.gen(function* () {
        const one = yield* store()
        yield* one.set({ key: "k", value: "1" })
        way.pause()
        const failure = yield* Effect.flip(one.set({ key: "k", value: "2" }))
        expect(failure.code).toBe("STORAGE_FAILED")
        expect(failure.detail).toContain("is done, or it is not")
        way.pause()
        expect(yield* one.get({ key: "k" })).toBe("1")
      }).pipe(
        Effect.provide(
          Layer.provide(
            PostgresStorage.layer(),
            Database.layer({ url, schema, say, connectTimeout: "5 seconds" })
          )
        )
      )
    })
  )

  it.scopedLive("who leaves while a statement runs leaves no connection behind that others suffer from", () =>
    Effect.gen(function* () {
      const { schema, server, url } = yield* place
      yield* Effect.gen(function* () {
        const { ask } = yield* Database.Database
        for (const round of numbers(10)) {
          const leaving = yield* Effect.forEach(
            numbers(4),
            () => Effect.fork(ask("SELECT pg_sleep(0.05), 1/(random() < 2)::int", [])),
            {}
          )
          yield* Effect.yieldNow()
          yield* Effect.forEach(leaving, Fiber.interrupt, { concurrency: "unbounded", discard: true })
          const rows = yield* Effect.forEach(numbers(8), (id) => ask("SELECT $1::int AS id", [id]), {
            concurrency: "unbounded"
          })
          expect([round, rows.map(([row]) => row?.id)]).toEqual([round, numbers(8)])
        }
        const [row] = yield* ask(
          "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = $1",
          [schema]
        )
        expect(Number(row?.count)).toBeLessThanOrEqual(2)
        const stuck = server.psql(
          "postgres",
          `SELECT count(*) FROM pg_stat_activity WHERE application_name = '${schema}' AND state LIKE 'idle in transaction%'`
        )
        expect(stuck).toBe("0")
      }).pipe(
        Effect.provide(
          Database.layer({
            url: Redacted.make(`${Redacted.value(url)}?application_name=${schema}`),
            schema,
            maxConnections: 2
          })
        )
      )
    })
  )

  it.scopedLive("who leaves before a connection is free has asked for nothing", () =>
    Effect.gen(function* () {
      const { schema, url } = yield* place
      yield* Effect.gen(function* () {
        const { ask, schema: name } = yield* Database.Database
        yield* ask(`CREATE TABLE ${name}.marks (id int)`, [])
        const busy = yield* Effect.fork(ask("SELECT pg_sleep(0.3)", []))
        yield* Effect.yieldNow()
        const waiting = yield* Effect.fork(ask(`INSERT INTO ${name}.marks VALUES (1)`, []))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(waiting)
        yield* Fiber.join(busy)
        expect(yield* ask(`SELECT * FROM ${name}.marks`, [])).toEqual([])
      }).pipe(Effect.provide(Database.layer({ url, schema, maxConnections: 1 })))
    })
  )

  it.scopedLive("who leaves before a connection is free takes none with it", () =>
    Effect.gen(function* () {
      const { url } = yield* place
      const environment = { DATABASE_URL: Redacted.value(url) }
      const secrets = NodeSecrets.layerEnvironment({ environment })
      const clients: ReadonlyArray<Layer.Layer<SqlClient.SqlClient, unknown>> = [
        Layer.provide(PostgresClient.layerSecret("DATABASE_URL", { maxConnections: 1 }), secrets),
        Layer.map(PgClient.layer({ url, maxConnections: 1 }), (context) =>
          Context.make(SqlClient.SqlClient, givingBack(Context.get(context, PgClient.PgClient)))
        )
      ]
      for (const client of clients) {
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const held = yield* Scope.make()
          yield* Scope.extend(sql.reserve, held)
          const leaving = yield* Effect.forEach(
            [Effect.asVoid(Effect.scoped(sql.reserve)), Effect.asVoid(sql`SELECT 1`)],
            (one) => Effect.fork(one)
          )
          yield* Effect.repeatN(Effect.yieldNow(), 20)
          yield* Effect.forEach(leaving, Fiber.interrupt)
          yield* Scope.close(held, Exit.void)
          expect(yield* sql`SELECT 1 AS one`).toEqual([{ one: 1 }])
        }).pipe(Effect.provide(client))
      }
    })
  )

  it.scopedLive("a statement that takes too long is given up by PostgreSQL, and has done nothing", () =>
    Effect.gen(function* () {
      const { schema, url } = yield* place
      yield* Effect.gen(function* () {
        const { ask } = yield* Database.Database
        const failure = yield* Effect.flip(ask("SELECT pg_sleep(60)", []))
        expect(failure).toBeInstanceOf(DatabaseError)
        expect(failure).toMatchObject({ kind: "busy", named: "57014" })
      }).pipe(Effect.provide(Database.layer({ url, schema, statementTimeout: "100 millis" })))
    })
  )

  it.scopedLive("what it refuses is said without its words, which name users and hosts", () =>
    Effect.gen(function* () {
      const { schema, server } = yield* place
      const wrong = [
        server.url("postgres", "somebody", "hunter2"),
        server.url("no_such_database"),
        `postgresql://admin:hunter2@127.0.0.1:${server.port}/postgres?sslmode=require`
      ]
      for (const url of wrong) {
        const { say, sentences } = heard()
        const failure = yield* Effect.flatMap(Database.Database, ({ ask }) =>
          Effect.flip(ask("SELECT 1", []))
        ).pipe(Effect.provide(Database.layer({ url: Redacted.make(url), schema, say })))
        expect(failure.kind).toBe("away")
        expect(JSON.stringify([failure, failure.message, String(failure), sentences])).not.toMatch(
          /hunter2|somebody|no_such_database|127\.0\.0\.1|admin/
        )
      }
    })
  )
})

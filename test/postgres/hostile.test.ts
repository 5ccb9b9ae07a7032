/** The threat: keys, values and texts that are statements; clients that race; a user that may do more than it needs. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { AuditSink, StorageBackend } from "bailiwick"
import { NodeSecrets } from "bailiwick/node"
import { Database, Migrations, PostgresAudit, PostgresStorage } from "bailiwick/postgres"
import { Chunk, Context, Effect, Fiber, Layer, Option, Redacted, Stream } from "effect"
import * as FastCheck from "effect/FastCheck"
import { vi } from "vitest"
import { root } from "../../scripts/lib/project.js"
import { has } from "../../scripts/lib/system.js"
import { Storage } from "../../src/capabilities/storage/Storage.js"
import { addressOf } from "../../src/postgres/address.js"
import { call } from "../cli/auditLog.js"
import { times } from "../deep.js"
import { database, place } from "./server.js"
import { opened, store } from "./tools.js"

const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index)

const statements = [
  "'; DROP TABLE entries; --",
  "$1",
  "%",
  "_",
  "\\",
  "a%",
  "a_",
  '"',
  "'",
  "E'\\x00'",
  "\\x00",
  "{}",
  "NULL"
]

describe.runIf(has("postgres"))("a store in PostgreSQL", () => {
  it.scopedLive("takes every key, prefix and value for what it is, and for nothing else", () =>
    Effect.gen(function* () {
      const { schema, url } = yield* place
      yield* Effect.gen(function* () {
        const one = yield* store("session:'; DROP TABLE entries; --")
        for (const text of statements) yield* one.set({ key: text, value: text })
        expect(yield* one.list({ prefix: "" })).toEqual([...statements].sort())
        for (const text of statements) {
          expect(yield* one.get({ key: text })).toBe(text)
          expect(yield* one.list({ prefix: text })).toEqual(
            statements.filter((key) => key.startsWith(text)).sort()
          )
        }
        const word = FastCheck.fullUnicodeString({ minLength: 1, maxLength: 20 }).filter(
          (text) => !text.includes("\0")
        )
        const cases = FastCheck.sample(
          FastCheck.tuple(word, FastCheck.string16bits({ maxLength: 40 })),
          times(40)
        )
        const held = new Map<string, string>()
        const two = yield* store("session:other")
        for (const [key, value] of cases) {
          yield* two.set({ key, value })
          held.set(key, value)
        }
        for (const [key, value] of held) expect(yield* two.get({ key })).toBe(value)
        for (const [key] of cases) {
          const prefix = [...key].slice(0, 1).join("")
          expect(yield* two.list({ prefix })).toEqual(
            [...held.keys()].filter((one) => one.startsWith(prefix)).sort()
          )
        }
      }).pipe(Effect.provide(Layer.provide(PostgresStorage.layer(), Database.layer({ url, schema }))))
    })
  )

  it.scopedLive("takes values as large as it says, and refuses larger ones before they are sent", () =>
    Effect.gen(function* () {
      const { schema, url } = yield* place
      yield* Effect.gen(function* () {
        const one = yield* store()
        const large = "x".repeat(1_048_576)
        yield* one.set({ key: "k", value: large })
        expect((yield* one.get({ key: "k" })) === large).toBe(true)
        expect((yield* Effect.flip(one.set({ key: "k", value: `${large}x` }))).code).toBe("VALUE_INVALID")
      }).pipe(Effect.provide(Layer.provide(PostgresStorage.layer(), Database.layer({ url, schema }))))
    })
  )

  it.scopedLive("loses no update of several programs, and lets one alone win what expires", () =>
    Effect.gen(function* () {
      const { schema, url } = yield* place
      const programs = yield* Effect.forEach(numbers(4), () =>
        Effect.flatMap(
          Layer.build(
            Layer.provide(PostgresStorage.layer(), Database.layer({ url, schema, maxConnections: 3 }))
          ),
          (context) => Effect.flatMap(Effect.provide(StorageBackend, context), (backend) => opened(backend))
        )
      )
      const [first] = programs
      const increment = Storage.update("n", (current) =>
        Option.some(String(Number(Option.getOrElse(current, () => "0")) + 1))
      )
      yield* Effect.forEach(
        programs,
        (one) =>
          Effect.replicateEffect(increment, 25, { concurrency: 5, discard: true }).pipe(
            Effect.provideService(Storage, Storage.make(one))
          ),
        { concurrency: "unbounded", discard: true }
      )
      expect(yield* first!.get({ key: "n" })).toBe("100")
      for (const round of numbers(5)) {
        const key = `lease ${round}`
        const won = yield* Effect.forEach(
          programs,
          (one, id) => one.compareAndSet({ key, expected: null, value: String(id), ttlSeconds: 60 }),
          { concurrency: "unbounded" }
        )
        expect(won.filter((each) => each)).toHaveLength(1)
      }
    })
  )

  it.scopedLive("counts time by the clock of PostgreSQL, whatever clocks its clients have", () =>
    Effect.gen(function* () {
      const { schema, server, url } = yield* place
      // A machine whose clock is an hour ahead.
      const real = Date.now.bind(Date)
      yield* Effect.acquireRelease(
        Effect.sync(() => vi.spyOn(Date, "now").mockImplementation(() => real() + 3_600_000)),
        (spy) => Effect.sync(() => spy.mockRestore())
      )
      yield* Effect.gen(function* () {
        const one = yield* store()
        yield* one.set({ key: "k", value: "1", ttlSeconds: 600 })
        expect(yield* one.get({ key: "k" })).toBe("1")
        const left = server.psql(
          "postgres",
          `SELECT expires / 1000 - extract(epoch FROM clock_timestamp()) BETWEEN 1 AND 601 FROM ${schema}.entries`
        )
        expect(left).toBe("t")
      }).pipe(Effect.provide(Layer.provideMerge(PostgresStorage.layer(), Database.layer({ url, schema }))))
    })
  )

  it.scopedLive("removes what has expired, once for all programs", () =>
    Effect.gen(function* () {
      const { schema, server, url } = yield* place
      yield* Effect.gen(function* () {
        const one = yield* store()
        yield* one.set({ key: "stays", value: "1" })
        yield* one.set({ key: "goes", value: "1", ttlSeconds: 60 })
        server.psql("postgres", `UPDATE ${schema}.entries SET expires = 0 WHERE key = 'goes'`)
        const { ask, schema: name } = yield* Database.Database
        const rows = Effect.map(ask(`SELECT key FROM ${name}.entries`, []), ({ length }) => length)
        yield* Effect.repeat(rows, { until: (count) => count === 1 })
        expect(server.psql("postgres", `SELECT entries FROM ${schema}.usage`)).toBe("1")
      }).pipe(
        Effect.provide(
          Layer.provideMerge(
            PostgresStorage.layer({ sweepEvery: "20 millis" }),
            Database.layer({ url, schema })
          )
        )
      )
    })
  )
})

describe.runIf(has("postgres"))("the tables", () => {
  it.scopedLive("are made once, however many programs start at the same time", () =>
    Effect.gen(function* () {
      const { schema, server, url } = yield* place
      yield* Effect.forEach(
        numbers(8),
        () =>
          Effect.flatMap(Database.Database, ({ reached }) => reached).pipe(
            Effect.provide(Database.layer({ url, schema, maxConnections: 1 }))
          ),
        { concurrency: "unbounded", discard: true }
      )
      expect(server.psql("postgres", `SELECT count(*) FROM ${schema}.migrations`)).toBe("1")
    })
  )

  it.scopedLive(
    "a user with no more than the documented rights does everything, and changes no table and no line",
    () =>
      Effect.gen(function* () {
        const { name, server } = yield* database
        const user = `app_${name}`
        server.psql(name, Migrations.sql())
        server.psql(
          name,
          `CREATE ROLE ${user} LOGIN PASSWORD 'app' NOSUPERUSER NOCREATEDB NOCREATEROLE;
         GRANT USAGE ON SCHEMA bailiwick TO ${user};
         GRANT SELECT ON ALL TABLES IN SCHEMA bailiwick TO ${user};
         GRANT INSERT, UPDATE, DELETE ON bailiwick.entries, bailiwick.usage, bailiwick.fences, bailiwick.records TO ${user};
         GRANT UPDATE ON bailiwick.records_number TO ${user};
         GRANT INSERT ON bailiwick.records_trash, bailiwick.audit TO ${user};`
        )
        const url = Redacted.make(server.url(name, user, "app"))
        yield* Effect.gen(function* () {
          const one = yield* store()
          yield* one.set({ key: "k", value: "1" })
          yield* one.delete({ key: "k" })
          const sink = yield* AuditSink
          yield* sink.append([call()])
          expect(Chunk.size(yield* Stream.runCollect(sink.entries()))).toBe(1)
          const { ask } = yield* Database.Database
          for (const statement of [
            "UPDATE bailiwick.audit SET line = ''",
            "DELETE FROM bailiwick.audit",
            "TRUNCATE bailiwick.audit",
            "DROP TABLE bailiwick.entries",
            "ALTER TABLE bailiwick.audit DISABLE TRIGGER audit_kept",
            "CREATE TABLE bailiwick.mine (id int)"
          ]) {
            expect([statement, (yield* Effect.flip(ask(statement, []))).named]).toEqual([statement, "42501"])
          }
        }).pipe(
          Effect.provide(
            Layer.provideMerge(
              Layer.merge(PostgresStorage.layer(), PostgresAudit.layer()),
              Database.layer({ url, migrate: false })
            )
          )
        )
      })
  )

  it.scopedLive("the log is not changed by its owner either, unless he takes the trigger away first", () =>
    Effect.gen(function* () {
      const { schema, server, url } = yield* place
      yield* Effect.flatMap(AuditSink, (sink) => sink.append([call()])).pipe(
        Effect.provide(Layer.provide(PostgresAudit.layer(), Database.layer({ url, schema })))
      )
      for (const statement of [
        `UPDATE ${schema}.audit SET line = ''`,
        `DELETE FROM ${schema}.audit`,
        `TRUNCATE ${schema}.audit`
      ]) {
        expect(() => server.psql("postgres", `SET session_replication_role = replica; ${statement}`)).toThrow(
          "the audit log is only ever added to"
        )
      }
    })
  )
})

describe.runIf(has("postgres"))("a chain in PostgreSQL", () => {
  const secrets = NodeSecrets.layerEnvironment({ environment: { AUDIT_KEY: "only for tests" } })
  const secret = Redacted.make("only for tests")

  /** Two runners that write in turn, twice each. */
  const written = Effect.gen(function* () {
    const { schema, server, url } = yield* place
    const line = yield* Layer.build(Database.layer({ url, schema }))
    const sink = Effect.map(
      Effect.provide(Layer.build(Layer.provide(PostgresAudit.layer({ chain: "AUDIT_KEY" }), secrets)), line),
      (context) => context
    )
    const [one, two] = [yield* sink, yield* sink]
    for (const round of numbers(2)) {
      for (const context of [one, two]) {
        yield* Effect.flatMap(AuditSink, (to) =>
          to.append([call({ call: `${round}` }), call({ call: `${round}b` })])
        ).pipe(Effect.provide(context))
      }
    }
    const verify = (head?: string) => Effect.provide(PostgresAudit.verify(secret, { head }), line)
    const alter = (statement: string) =>
      server.psql(
        "postgres",
        `ALTER TABLE ${schema}.audit DISABLE TRIGGER audit_kept; ${statement.replaceAll("audit", `${schema}.audit`)};`
      )
    return { verify, alter, schema, server }
  })

  it.scopedLive("holds what each runner wrote, and where it stood among the others", () =>
    Effect.gen(function* () {
      const { verify } = yield* written
      const whole = yield* verify()
      expect(whole).toMatchObject({ ok: true, lines: 8, writers: 2, earlier: 0, torn: 0, isCut: false })
    })
  )

  for (const [name, statement, kind] of [
    [
      "a line that was changed",
      "UPDATE audit SET line = replace(line, '\"ms\"', '\"mS\"') WHERE id = 3",
      "changed"
    ],
    ["a line that was removed", "DELETE FROM audit WHERE id = 2", "removed"],
    [
      "a whole runner that was removed",
      "DELETE FROM audit WHERE writer = (SELECT writer FROM audit WHERE id = 1)",
      "removed"
    ],
    ["the beginning of the log that was removed", "DELETE FROM audit WHERE id <= 4", "removed"],
    [
      "a line that was added",
      "INSERT INTO audit (writer, n, at, line) SELECT writer, n + 100, at, line FROM audit WHERE id = 1",
      "changed"
    ],
    ["a time that was changed beside its line", "UPDATE audit SET at = 0 WHERE id = 5", "changed"],
    [
      "a line without a digest",
      "INSERT INTO audit (writer, n, line) VALUES ('x', 0, '{\"v\":1}')",
      "unchained"
    ]
  ] as const) {
    it.scopedLive(`shows ${name}`, () =>
      Effect.gen(function* () {
        const { alter, verify } = yield* written
        const before = yield* verify()
        expect(before).toMatchObject({ ok: true })
        alter(statement)
        const found = yield* verify()
        expect(found).toMatchObject({ ok: false, kind })
        // Whoever has an earlier head hears of the same line.
        expect(yield* verify(before.ok ? before.head : "")).toEqual(found)
      })
    )
  }

  it.scopedLive("begins anew once its owner has put away what was there, as the page on it says", () =>
    Effect.gen(function* () {
      const { schema, server, url } = yield* place
      const page = readFileSync(join(root, "docs", "postgres.md"), "utf8")
      const [statement = ""] = /^BEGIN;\n[^`]*TRUNCATE[^`]*COMMIT;$/m.exec(page) ?? []
      const putAway = () => server.psql("postgres", statement.replaceAll("bailiwick.", `${schema}.`))
      const line = yield* Layer.build(Database.layer({ url, schema }))
      const started = Effect.map(
        Effect.provide(
          Layer.build(Layer.provide(PostgresAudit.layer({ chain: "AUDIT_KEY" }), secrets)),
          line
        ),
        Context.get(AuditSink)
      )
      const verified = Effect.provide(PostgresAudit.verify(secret, {}), line)
      const before = yield* started
      yield* before.append([call({ call: "old" }), call({ call: "older" })])
      putAway()
      expect(server.psql("postgres", `SELECT count(*) FROM ${schema}.audit`)).toBe("0")
      const after = yield* started
      yield* after.append([call({ call: "new" })])
      expect(yield* verified).toMatchObject({ ok: true, lines: 1, writers: 1, earlier: 0, isCut: false })
      // Who was not ended goes on with a chain that has no beginning any more.
      yield* before.append([call({ call: "late" })])
      expect(yield* verified).toMatchObject({ ok: false, kind: "removed" })
      expect(() => server.psql("postgres", `TRUNCATE ${schema}.audit`)).toThrow("only ever added to")
    })
  )

  it.scopedLive("shows with an earlier head that the end was cut off", () =>
    Effect.gen(function* () {
      const { alter, verify } = yield* written
      const before = yield* verify()
      const head = before.ok ? before.head : ""
      expect(yield* verify(head)).toMatchObject({ ok: true })
      alter("DELETE FROM audit WHERE id >= 7")
      expect(yield* verify()).toMatchObject({ ok: true })
      expect(yield* verify(head)).toMatchObject({ ok: false, kind: "removed" })
    })
  )

  it.scopedLive("is followed as it grows: each entry once, in the order in which it was kept", () =>
    Effect.gen(function* () {
      const { schema, url } = yield* place
      yield* Effect.gen(function* () {
        const sink = yield* AuditSink
        yield* sink.append(numbers(3).map((id) => call({ call: String(id) })))
        const seen: Array<string> = []
        const following = yield* Effect.fork(
          PostgresAudit.follow({ every: "5 millis" }).pipe(
            Stream.tap((entry) => Effect.sync(() => void seen.push("call" in entry ? entry.call : ""))),
            Stream.take(43),
            Stream.runDrain
          )
        )
        yield* Effect.forEach(numbers(40), (id) => sink.append([call({ call: `more ${id}` })]), {
          concurrency: 8
        })
        yield* Fiber.join(following)
        expect(seen.slice(0, 3)).toEqual(["0", "1", "2"])
        expect(new Set(seen).size).toBe(43)
      }).pipe(Effect.provide(Layer.provideMerge(PostgresAudit.layer(), Database.layer({ url, schema }))))
    })
  )
})

describe("the URL of PostgreSQL", () => {
  const terms = { statementMillis: 1, silenceMillis: 2 }
  const said = (url: string): string => {
    const found = addressOf(url, terms)
    return found._tag === "Right" ? found.right : `refused: ${found.left.detail}`
  }

  it("is encrypted and verified wherever it leaves the machine, unless that is written", () => {
    for (const host of [
      "db.example.com",
      "10.0.0.7",
      "[fd00::1]",
      "localhost.example.com",
      "127.0.0.1.example.com"
    ]) {
      expect(said(`postgresql://u:p@${host}/x`)).toContain("sslmode=verify-full")
    }
    expect(said("postgresql://u:p@db.example.com/x?host=10.0.0.7")).toContain("sslmode=verify-full")
    expect(said("postgresql://u:p@localhost/x?host=localhost&host=10.0.0.7")).toContain("sslmode=verify-full")
    expect(said("postgresql://u:p@db.example.com/x?sslmode=require")).toMatch(
      /sslmode=require.*sslmode=verify-full/
    )
    expect(said("postgresql://u:p@db.example.com/x?sslmode=disable")).not.toContain("verify-full")
    for (const host of ["localhost", "127.0.0.1", "[::1]", "%2Fvar%2Frun%2Fpostgresql", ""]) {
      expect(said(`postgresql://u:p@${host}/x`)).not.toContain("sslmode")
    }
    expect(said("postgresql:///x")).toContain("host=localhost")
  })

  it("is refused without a word of it where it is none, or says how to encrypt in a way that is not known", () => {
    for (const url of [
      "",
      "DATABASE",
      "mysql://u:hunter2@localhost/x",
      "http://u:hunter2@localhost/x",
      "postgresql://u:hunter2@[x/x",
      "postgresql://u:hunter2@db/x?sslmode=prefer",
      "postgresql://u:hunter2@db/x?ssl=0"
    ]) {
      expect(said(url)).toMatch(/^refused: the (?:secret|URL)/)
      expect(said(url)).not.toContain("hunter2")
    }
  })
})

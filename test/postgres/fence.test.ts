/** The threat: a runner that was taken for dead comes back, and writes over the work of the one that took over. */
import { describe, expect, it } from "@effect/vitest"
import { RecordsBackend, StorageBackend } from "bailiwick"
import { Database, Fence, PostgresRecords, PostgresStorage } from "bailiwick/postgres"
import { Effect, Fiber, Layer } from "effect"
import { has } from "../../scripts/lib/system.js"
import * as Request from "../../src/policy/lattice/Request.js"
import { permitsFor } from "../../src/testing/contracts/permits.js"
import { place } from "./server.js"
import { opened } from "./tools.js"

const backends = Layer.merge(PostgresStorage.layer(), PostgresRecords.layer())

const runner = (name: string, options: Parameters<typeof Fence.layer>[1] = {}) =>
  Layer.build(Layer.provideMerge(backends, Fence.layer(name, options)))

describe.runIf(has("postgres"))("a fence", () => {
  it.scopedLive("lets nobody write any more from the moment that another has taken it", () =>
    Effect.gen(function* () {
      const { schema, url } = yield* place
      yield* Effect.gen(function* () {
        const first = yield* runner("r1")
        const [old, records] = [
          yield* opened(yield* Effect.provide(StorageBackend, first)),
          yield* Effect.provide(RecordsBackend, first)
        ]
        yield* old.set({ key: "k", value: "mine" })
        const permit = yield* permitsFor(records).ask(
          {
            records: {
              create: [{ path: "notes/**", class: "note" }],
              read: [{ path: "notes/**", class: "note" }]
            }
          },
          Request.record("create", "notes/a", "note")
        )
        const other = yield* runner("r2")
        const others = yield* opened(yield* Effect.provide(StorageBackend, other))
        yield* Fence.revoke("r1")
        const codes = yield* Effect.forEach(
          [
            old.set({ key: "k", value: "late" }),
            old.delete({ key: "k" }),
            old.compareAndSet({ key: "k", expected: "mine", value: "late" }),
            (yield* Effect.provide(StorageBackend, first)).clear("session:test"),
            records.create(permit, "---\nclass: note\n---\nlate\n")
          ],
          (write) =>
            Effect.map(Effect.flip<unknown, { readonly code: string }, never>(write), ({ code }) => code)
        )
        expect(codes).toEqual([...Array(4).fill("STORAGE_FENCED"), "RECORDS_FENCED"])
        // It may still look, and others are not concerned.
        expect(yield* old.get({ key: "k" })).toBe("mine")
        yield* others.set({ key: "k", value: "taken over" })
        expect(yield* old.get({ key: "k" })).toBe("taken over")
      }).pipe(Effect.provide(Database.layer({ url, schema })))
    })
  )

  it.scopedLive("what began before a new claim does not write under it", () =>
    Effect.gen(function* () {
      const { schema, url } = yield* place
      yield* Effect.gen(function* () {
        const before = yield* Fence.claim("r")
        let token: Fence.Token | undefined = before
        const context = yield* Layer.build(
          Layer.provide(PostgresStorage.layer(), Layer.succeed(Fence.Fence, { token: () => token }))
        )
        const backend = yield* Effect.provide(StorageBackend, context)
        const old = yield* opened(backend)
        token = yield* Fence.claim("r")
        expect(token.epoch).toBe(before.epoch + 1)
        const now = yield* opened(backend)
        yield* now.set({ key: "k", value: "1" })
        expect((yield* Effect.flip(old.set({ key: "k", value: "2" }))).code).toBe("STORAGE_FENCED")
        // Where it was lost altogether nothing is written.
        token = undefined
        expect((yield* Effect.flip((yield* opened(backend)).set({ key: "k", value: "3" }))).code).toBe(
          "STORAGE_FENCED"
        )
        expect(yield* now.get({ key: "k" })).toBe("1")
      }).pipe(Effect.provide(Database.layer({ url, schema })))
    })
  )

  it.scopedLive(
    "whoever takes it waits for a write that is being done, so that none is done afterwards",
    () =>
      Effect.gen(function* () {
        const { schema, url } = yield* place
        yield* Effect.gen(function* () {
          const { ask, schema: name } = yield* Database.Database
          const token = yield* Fence.claim("r")
          yield* ask(`CREATE TABLE ${name}.marks (at timestamptz)`, [])
          // As a write that takes long: it holds the fence, and then does its work.
          const write = yield* Effect.fork(
            ask(
              `WITH held AS MATERIALIZED (SELECT ${name}.fence_holds($1, $2) AS held), slept AS MATERIALIZED (SELECT held, pg_sleep(0.3) FROM held) INSERT INTO ${name}.marks SELECT clock_timestamp() FROM slept WHERE held`,
              [token.name, token.epoch]
            )
          )
          // Until it holds it.
          const holding = ask(
            "SELECT count(*)::int AS held FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'",
            []
          )
          yield* Effect.repeat(holding, { until: ([row]) => Number(row?.held) > 0 })
          yield* Fence.revoke("r")
          // What answers arrive in which order says nothing: the write is done when the fence is taken.
          expect(yield* ask(`SELECT count(*)::int AS written FROM ${name}.marks`, [])).toEqual([
            { written: 1 }
          ])
          yield* Fiber.join(write)
        }).pipe(Effect.provide(Database.layer({ url, schema })))
      })
  )

  it.scopedLive("a lease that nobody renewed is over by the clock of PostgreSQL, and stays lost", () =>
    Effect.gen(function* () {
      const { schema, url } = yield* place
      yield* Effect.gen(function* () {
        const { ask, schema: name } = yield* Database.Database
        const token = yield* Fence.claim("r", { seconds: 3600 })
        expect(yield* Fence.renew(token, { seconds: 3600 })).toBe(true)
        // As if its runner had been stopped for so long.
        yield* ask(`UPDATE ${name}.fences SET lapses = clock_timestamp() WHERE name = $1`, ["r"])
        expect(yield* Fence.renew(token, { seconds: 3600 })).toBe(false)
        const again = yield* Fence.claim("r", { seconds: 3600 })
        expect(yield* Fence.renew(token, { seconds: 3600 })).toBe(false)
        expect(yield* Fence.renew(again, { seconds: 3600 })).toBe(true)
      }).pipe(Effect.provide(Database.layer({ url, schema })))
    })
  )
})

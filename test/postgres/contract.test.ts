/** One contract, every backend: those in PostgreSQL. */
import { PgClient } from "@effect/sql-pg"
import { describe, it } from "@effect/vitest"
import { AuditSink, StorageBackend } from "bailiwick"
import { NodeSecrets } from "bailiwick/node"
import { Database, PostgresAudit, PostgresRecords, PostgresStorage } from "bailiwick/postgres"
import { AuditContract, RecordsContract, StorageContract } from "bailiwick/testing"
import { Context, Effect, Layer } from "effect"
import { has } from "../../scripts/lib/system.js"
import { holds } from "../layers/contractHolds.js"
import { place } from "./server.js"

/** So few that they are soon full. */
const quota = { entries: 5, bytes: 100 }

const database = Layer.unwrapEffect(
  Effect.map(place, ({ schema, url }) => Database.layer({ url, schema, maxConnections: 4 }))
)

const secrets = NodeSecrets.layerEnvironment({ environment: { AUDIT_KEY: "only for tests" } })

const audit = (options: PostgresAudit.Options) => Layer.provide(PostgresAudit.layer(options), secrets)

/** Takes some rows of a batch, and then has no space. */
const FULL = (schema: string) => `
CREATE FUNCTION ${schema}.full_disk() RETURNS trigger LANGUAGE plpgsql AS $fn$
BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = 'disk_full'; END $fn$;
CREATE TRIGGER full_disk AFTER INSERT ON ${schema}.audit FOR EACH ROW WHEN (NEW.n > 4) EXECUTE FUNCTION ${schema}.full_disk();`

const lasting = (options: PostgresAudit.Options) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const { schema, server, url } = yield* place
      const line = Database.layer({ url, schema })
      const open = Effect.orDie(
        Effect.map(Layer.build(Layer.provide(audit(options), line)), (context) => context)
      ).pipe(Effect.map((context) => Context.get(context, AuditSink)))
      const says = (statement: string) => Effect.sync(() => void server.psql("postgres", statement))
      return Layer.merge(
        Layer.scoped(AuditSink, open),
        Layer.succeed(AuditContract.Place, {
          open,
          fills: says(FULL(schema)),
          empties: says(`DROP FUNCTION ${schema}.full_disk CASCADE`)
        })
      )
    })
  )

/** Several layers on one schema. What it takes processes and disks for, `faults.test.ts` has. */
const together = Layer.unwrapScoped(
  Effect.gen(function* () {
    const { schema, url } = yield* place
    const backend = Layer.provide(PostgresStorage.layer(), Database.layer({ url, schema, maxConnections: 4 }))
    const layer = Effect.orDie(Effect.map(Layer.build(backend), Context.get(StorageBackend)))
    const none = () => Effect.die("no process is started here")
    return Layer.merge(
      Layer.scoped(StorageBackend, layer),
      Layer.succeed(StorageContract.Neighbours, { layer, process: none, cramped: none })
    )
  })
)

describe.runIf(has("postgres"))("PostgreSQL", () => {
  holds("PostgresStorage", Layer.provide(PostgresStorage.layer(), database), StorageContract.cases)
  holds(
    "PostgresStorage with a quota",
    Layer.provide(PostgresStorage.layer({ quota }), database),
    StorageContract.quota(quota)
  )
  holds(
    "PostgresStorage of several programs",
    together,
    StorageContract.together().filter(({ about }) => about === "layers")
  )
  holds("PostgresRecords", Layer.provide(PostgresRecords.layer(), database), RecordsContract.cases)
  holds("PostgresAudit", Layer.provide(PostgresAudit.layer(), database), AuditContract.cases)
  holds(
    "PostgresAudit with a chain",
    Layer.provide(audit({ chain: "AUDIT_KEY" }), database),
    AuditContract.cases
  )
  holds("PostgresAudit that lasts", lasting({}), AuditContract.lasting)
  holds("PostgresAudit with a chain that lasts", lasting({ chain: "AUDIT_KEY" }), AuditContract.lasting)

  it.scoped("works over the client that a program has already", () =>
    Effect.gen(function* () {
      const { schema, url } = yield* place
      const client = PgClient.layer({ url, maxConnections: 2 })
      const backend = Layer.provide(
        PostgresStorage.layer(),
        Layer.provide(Database.layerClient({ schema }), client)
      )
      yield* Effect.provide(
        Effect.forEach(StorageContract.cases.slice(0, 4), (one) => one.run, { discard: true }),
        backend
      )
    })
  )

  it.scoped("keeps every promise while the others are there", () =>
    Effect.gen(function* () {
      const { schema, url } = yield* place
      const backends = Layer.mergeAll(PostgresStorage.layer(), PostgresRecords.layer(), PostgresAudit.layer())
      type Case = { readonly run: Effect.Effect<void, unknown, Layer.Layer.Success<typeof backends>> }
      const kept: ReadonlyArray<Case> = [...StorageContract.cases, ...RecordsContract.cases]
      // Each case of a log reads all of it: the second round would read what the first one wrote, case by case.
      for (const cases of [[...kept, ...AuditContract.cases], kept]) {
        yield* Effect.forEach(cases, (one: Case) => one.run, { discard: true }).pipe(
          Effect.provide(Layer.provide(backends, Database.layer({ url, schema })))
        )
      }
    })
  )
})

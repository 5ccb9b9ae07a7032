/** One contract, every audit log. */
import { describe, it } from "@effect/vitest"
import { AuditSink } from "bailiwick"
import { Audit, MemoryAudit, NodeSecrets } from "bailiwick/node"
import { AuditContract } from "bailiwick/testing"
import { Effect, Layer } from "effect"
import { makeOn } from "../../../src/layers/node/audit/Audit.js"
import { holds } from "../contractHolds.js"
import { Disk, scratch } from "./scratch.js"

const secrets = NodeSecrets.layerEnvironment({ environment: { AUDIT_KEY: "only for tests" } })

const inDirectory = (options: Omit<Audit.Options, "directory">) =>
  Layer.unwrapScoped(
    Effect.map(scratch, (directory) => Audit.layer({ directory, ...options }).pipe(Layer.provide(secrets)))
  )

holds("MemoryAudit", MemoryAudit.layer(), AuditContract.cases)
holds("Audit", inDirectory({}), AuditContract.cases)
holds("Audit in small files", inDirectory({ fileBytes: 2000 }), AuditContract.cases)
holds("Audit with fsync and a chain", inDirectory({ fsync: true, chain: "AUDIT_KEY" }), AuditContract.cases)

const lasting = (options: Omit<Audit.Options, "directory">) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const directory = yield* scratch
      const disk = new Disk()
      const open = Effect.orDie(Effect.provide(makeOn({ directory, ...options }, disk), secrets))
      const has = (room: number) =>
        Effect.sync(() => {
          disk.room = room
        })
      return Layer.merge(
        Layer.scoped(AuditSink, open),
        Layer.succeed(AuditContract.Place, { open, fills: has(700), empties: has(Number.POSITIVE_INFINITY) })
      )
    })
  )

holds("Audit in a directory that lasts", lasting({}), AuditContract.lasting)
holds("Audit in small files that last", lasting({ fileBytes: 500 }), AuditContract.lasting)
holds("Audit with a chain that lasts", lasting({ chain: "AUDIT_KEY", fsync: true }), AuditContract.lasting)

describe("Audit, one log for all cases", () => {
  it.scoped("keeps every promise while the others are there", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const all = Effect.forEach(AuditContract.cases, (one) => one.run, { discard: true })
      for (let round = 0; round < 2; round++) yield* Effect.provide(all, Audit.layer({ directory }))
    })
  )
})

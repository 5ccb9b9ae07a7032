/** One contract, every backend of records. [K25] */
import { describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as MemoryRecords from "../../../src/capabilities/records/MemoryRecords.js"
import type { RecordsBackend } from "../../../src/capabilities/records/RecordsBackend.js"
import * as NodeRecords from "../../../src/layers/node/records/NodeRecords.js"
import * as RecordsContract from "../../../src/testing/contracts/RecordsContract.js"
import { scratch } from "./scratch.js"

const node = (verification?: "descriptor" | "realpath") =>
  Layer.unwrapScoped(Effect.map(scratch, (directory) => NodeRecords.layer({ directory, verification })))

const holds = (name: string, layer: Layer.Layer<RecordsBackend>) =>
  describe(name, () => {
    for (const one of RecordsContract.cases) {
      it.effect(one.name, () => Effect.provide(one.run, layer))
    }
  })

holds("MemoryRecords", MemoryRecords.layer())
holds("NodeRecords", node())
holds("NodeRecords without descriptors that say where they are", node("realpath"))

describe("NodeRecords, one directory for all cases", () => {
  it.scoped("keeps every promise while the others are there, also for a second of them", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const round = Effect.forEach(RecordsContract.cases, (one) => one.run, { discard: true })
      yield* Effect.provide(round, NodeRecords.layer({ directory }))
      yield* Effect.provide(round, NodeRecords.layer({ directory }))
    })
  )
})

/** One contract, every store. [G5-G10, G21, G22, K01, K02, K08, K09, K12, K14] */
import { KeyValueStore } from "@effect/platform"
import { describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as MemoryStorage from "../../../src/capabilities/storage/MemoryStorage.js"
import { Storage } from "../../../src/capabilities/storage/Storage.js"
import { StorageBackend } from "../../../src/capabilities/storage/StorageBackend.js"
import * as NodeStorage from "../../../src/layers/node/storage/NodeStorage.js"
import * as PlatformStorage from "../../../src/layers/platform/PlatformStorage.js"
import * as StorageContract from "../../../src/testing/contracts/StorageContract.js"
import { scratch } from "./scratch.js"

const node = Layer.unwrapScoped(Effect.map(scratch, (directory) => NodeStorage.layer({ directory })))

/** So few that they are soon full. */
const quota = { entries: 5, bytes: 100 }

const small = Layer.unwrapScoped(Effect.map(scratch, (directory) => NodeStorage.layer({ directory, quota })))

/** The weaker store: what is between two layers or two processes, it does not promise. */
const platform = (options: PlatformStorage.Options = {}) =>
  Layer.provide(PlatformStorage.layer(options), KeyValueStore.layerMemory)

const mock = Layer.sync(StorageBackend, () => StorageBackend.fromOperations(Storage.memory({})))

const holds = (
  name: string,
  layer: Layer.Layer<StorageBackend>,
  about: ReadonlyArray<StorageContract.Case["about"]>
) =>
  describe(name, () => {
    for (const one of StorageContract.cases.filter((each) => about.includes(each.about))) {
      it.effect(one.name, () => Effect.provide(one.run, layer))
    }
  })

const holdsQuota = (name: string, layer: Layer.Layer<StorageBackend>) =>
  describe(`${name} with a quota`, () => {
    for (const one of StorageContract.quota(quota)) {
      it.effect(one.name, () => Effect.provide(one.run, layer))
    }
  })

holds("MemoryStorage", MemoryStorage.layer(), ["entries", "namespaces", "limits"])
holds("NodeStorage", node, ["entries", "namespaces", "limits"])
holds("PlatformStorage", platform(), ["entries", "namespaces", "limits"])
holds("a mock behind the door", mock, ["entries"])
holdsQuota("MemoryStorage", MemoryStorage.layer({ quota }))
holdsQuota("NodeStorage", small)
holdsQuota("PlatformStorage", platform({ quota }))

describe("NodeStorage, one store for all cases", () => {
  it.scoped("keeps every promise while the others are there", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      yield* Effect.forEach(StorageContract.cases, (one) => one.run, { discard: true }).pipe(
        Effect.provide(NodeStorage.layer({ directory }))
      )
      yield* Effect.forEach(StorageContract.cases, (one) => one.run, { discard: true }).pipe(
        Effect.provide(NodeStorage.layer({ directory }))
      )
    })
  )
})

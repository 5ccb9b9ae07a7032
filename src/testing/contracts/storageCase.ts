/** One case of the contract of stores, and what it is written with. */
import { Effect, TestContext } from "effect"
import type { Storage } from "../../capabilities/storage/Storage.js"
import { StorageBackend } from "../../capabilities/storage/StorageBackend.js"
import type { StorageError } from "../../capabilities/storage/StorageOperations.js"
import * as Request from "../../policy/lattice/Request.js"
import type * as Contract from "./contract.js"
import { permitsFor } from "./permits.js"

/**
 * `about` says what a store must have for the case to apply: entries, namespaces kept apart, the limits of keys and
 * values that a live store has, or a quota.
 *
 * @since 0.1.0
 * @category models
 */
export interface Case extends Contract.Case<StorageBackend, StorageError> {
  readonly about: "entries" | "namespaces" | "limits" | "quota"
}

interface Bench {
  readonly backend: StorageBackend.Service
  /** The operations in a namespace of this case. */
  readonly open: (name?: string) => Effect.Effect<Storage.Operations>
  readonly clear: (name?: string) => Effect.Effect<void, StorageError>
}

export const define = (
  about: Case["about"],
  name: string,
  body: (bench: Bench) => Effect.Effect<void, Contract.ContractBroken | StorageError>
): Case => ({
  name,
  about,
  run: Effect.gen(function* () {
    const backend = yield* StorageBackend
    const proof = yield* permitsFor(backend).ask(
      { storage: { use: ["session"] } },
      Request.storage("session")
    )
    const opened = new Set<string>()
    const clear = (part = "a") => backend.clear(`contract:${name}:${part}`)
    const open = (part = "a") =>
      Effect.sync(() => {
        opened.add(part)
        return backend.open(proof, `contract:${name}:${part}`)
      })
    yield* clear()
    yield* body({ backend, clear, open })
    yield* Effect.forEach(opened, (part) => Effect.ignore(clear(part)), { discard: true })
  }).pipe(Effect.provide(TestContext.TestContext))
})

/**
 * What keeps entries.
 *
 * @since 0.1.0
 */
import { Context, Effect } from "effect"
import { guarded, type Proof } from "../../policy/gate/Proof.js"
import type { Scoped } from "../../policy/lattice/Request.js"
import type { Storage } from "./Storage.js"
import type { StorageError } from "./StorageOperations.js"

/**
 * @since 0.1.0
 */
export declare namespace StorageBackend {
  /**
   * The namespace (`tool:fetch_weather`, `session:s1`, `personality:scout`) is computed by the framework; whatever is
   * in it, no key of one namespace is a key of another.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly open: (proof: Proof<Scoped>, namespace: string) => Storage.Operations
    /** Removes a namespace with all its entries: what happens to `session:<id>` when the session ends. */
    readonly clear: (namespace: string) => Effect.Effect<void, StorageError>
  }
}

/**
 * @since 0.1.0
 * @category tags
 */
export class StorageBackend extends Context.Tag("bailiwick/StorageBackend")<
  StorageBackend,
  StorageBackend.Service
>() {
  /** A backend that takes proofs of storage which were made for itself, and nothing else: every implementation is one. */
  static guarded(service: StorageBackend.Service): StorageBackend.Service {
    const open: StorageBackend.Service["open"] = (proof, namespace) => {
      if (proof.request.facet !== "storage") throw new TypeError("a store takes proofs of storage")
      return service.open(proof, namespace)
    }
    return guarded({ open, clear: (namespace) => service.clear(namespace) }, ["open"])
  }

  /** One store for every namespace, such as a mock's, behind the door. */
  static fromOperations(operations: Storage.Operations): StorageBackend.Service {
    return StorageBackend.guarded({ open: () => operations, clear: () => Effect.void })
  }
}

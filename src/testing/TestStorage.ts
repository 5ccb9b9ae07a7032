/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import { StorageBackend } from "../capabilities/backends/StorageBackend.js"
import { Storage, type StorageDeclaration } from "../capabilities/Storage.js"
import type { Authority } from "../policy/Authority.js"
import { holder } from "../policy/Proof.js"
import * as Scoped from "../registry/scoped/ScopedStorage.js"
import { type Recording, record } from "./Recording.js"

/**
 * A store in memory, with a note of each call.
 *
 * @since 0.1.0
 * @category mocks
 */
export const recording = (entries: Storage.MockEntries = {}): Recording<Storage> =>
  record(Storage.memory(entries), (operations) => Storage.layer(() => operations))

/**
 * A store in memory, of one declared scope, that obeys an authority.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory = (
  authority: Authority,
  declaration: Pick<typeof StorageDeclaration.Type, "scope" | "ttlSecondsDefault">,
  entries: Storage.MockEntries = {}
): Layer.Layer<Storage> =>
  Storage.layer(() =>
    Scoped.scoped(
      holder({ authority }),
      declaration,
      declaration.scope,
      StorageBackend.fromOperations(Storage.memory(entries))
    )
  )

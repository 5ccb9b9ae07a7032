/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import * as Scoped from "../capabilities/storage/ScopedStorage.js"
import { Storage, type StorageDeclaration } from "../capabilities/storage/Storage.js"
import { StorageBackend } from "../capabilities/storage/StorageBackend.js"
import { holder } from "../policy/gate/Proof.js"
import type { Authority } from "../policy/lattice/Authority.js"
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

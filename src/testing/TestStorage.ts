/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import * as Scoped from "../capabilities/storage/ScopedStorage.js"
import { Storage, type StorageDeclaration } from "../capabilities/storage/Storage.js"
import { StorageBackend } from "../capabilities/storage/StorageBackend.js"
import { holder } from "../policy/gate/Asking.js"
import type { Authority } from "../policy/lattice/Authority.js"
import { type Recording, record } from "./Recording.js"

/**
 * A store in memory that keeps each call. `update` shows up as `get` and `compareAndSet`.
 *
 * @example
 * ```ts
 * import { TestStorage } from "bailiwick/testing"
 *
 * export const { calls, layer } = TestStorage.recording({ colour: "green" })
 * ```
 *
 * @since 0.1.0
 * @category mocks
 */
export const recording = (entries: Storage.MockEntries = {}): Recording<Storage> =>
  record(Storage.memory(entries), (operations) => Storage.layer(() => operations))

/**
 * A store in memory, of one declared scope, that obeys an authority. It applies the declaration's
 * `ttlSecondsDefault`.
 *
 * @example
 * ```ts
 * import { Authority } from "bailiwick"
 * import { TestStorage } from "bailiwick/testing"
 * import { Schema } from "effect"
 *
 * const authority = Schema.decodeSync(Authority.FromJson)({ storage: { use: ["session"] } })
 * export const storage = TestStorage.layerMemory(authority, { scope: "session" }, { colour: "green" })
 * ```
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

/** A store of one session, as a tool would have it. */
import { Effect, Schema } from "effect"
import * as ScopedStorage from "../../../src/capabilities/storage/ScopedStorage.js"
import type { StorageBackend } from "../../../src/capabilities/storage/StorageBackend.js"
import * as NodeStorage from "../../../src/layers/node/storage/NodeStorage.js"
import { holder } from "../../../src/policy/gate/Asking.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"

const authority = Schema.decodeSync(Authority.FromJson)({ storage: { use: ["session"] } })

export const inSession = (
  backend: StorageBackend.Service,
  declaration: { readonly ttlSecondsDefault?: number } = {}
) => ScopedStorage.scoped(holder({ authority }), { scope: "session", ...declaration }, "session:s1", backend)

/** The store of the session in a directory. */
export const storeIn = (directory: string, options: Omit<NodeStorage.Options, "directory"> = {}) =>
  Effect.map(NodeStorage.make({ directory, ...options }), (backend) => inSession(backend))

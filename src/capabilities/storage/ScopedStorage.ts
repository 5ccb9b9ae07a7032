/**
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { Holder } from "../../policy/gate/Asking.js"
import * as Gate from "../../policy/gate/Gate.js"
import * as Request from "../../policy/lattice/Request.js"
import type { Storage, StorageDeclaration } from "./Storage.js"
import type { StorageBackend } from "./StorageBackend.js"
import { StorageError } from "./StorageOperations.js"

/**
 * A store of one scope, which the authority must hold. Entries that are written without a time to live get the
 * declaration's, if it has one.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (
  holder: Holder,
  declaration: Pick<typeof StorageDeclaration.Type, "scope" | "ttlSecondsDefault">,
  namespace: string,
  backend: StorageBackend.Service
): Storage.Operations => {
  const { ask } = Gate.make(holder, backend, {
    denied: (denial) => new StorageError({ code: "SCOPE_NOT_ALLOWED", detail: denial.detail, denial }),
    malformed: ({ detail }, denial) =>
      new StorageError({
        code: "SCOPE_NOT_ALLOWED",
        detail,
        denial: { ...denial, code: "SCOPE_NOT_ALLOWED" }
      })
  })
  const opened = Effect.suspend(() =>
    Effect.map(ask(Request.storage(declaration.scope)), (proof) => backend.open(proof, namespace))
  )
  const lasting = <W extends { readonly ttlSeconds?: number }>(write: W): W => {
    const { ttlSecondsDefault } = declaration
    return write.ttlSeconds !== undefined || ttlSecondsDefault === undefined
      ? write
      : { ...write, ttlSeconds: ttlSecondsDefault }
  }
  return {
    get: (payload) => Effect.flatMap(opened, (store) => store.get(payload)),
    set: (entry) => Effect.flatMap(opened, (store) => store.set(lasting(entry))),
    delete: (payload) => Effect.flatMap(opened, (store) => store.delete(payload)),
    list: (payload) => Effect.flatMap(opened, (store) => store.list(payload)),
    compareAndSet: (swap) => Effect.flatMap(opened, (store) => store.compareAndSet(lasting(swap)))
  }
}

/**
 * @since 0.1.0
 */
import { Effect } from "effect"
import { type Storage, type StorageDeclaration, StorageError } from "../../capabilities/Storage.js"
import type { Authority } from "../../policy/Authority.js"
import * as Request from "../../policy/Request.js"
import * as Gate from "./Gate.js"

/**
 * A store of one scope, which the authority must hold. Entries that are written without a time to live get the
 * declaration's, if it has one.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (
  authority: Authority,
  declaration: Pick<typeof StorageDeclaration.Type, "scope" | "ttlSecondsDefault">,
  inner: Storage.Operations
): Storage.Operations => {
  const { ask } = Gate.make(authority, {
    denied: (denial) => new StorageError({ code: "SCOPE_NOT_ALLOWED", detail: denial.detail, denial }),
    malformed: ({ detail }) => new StorageError({ code: "SCOPE_NOT_ALLOWED", detail })
  })
  const asked = ask(Request.storage(declaration.scope))
  const lasting = <W extends { readonly ttlSeconds?: number }>(write: W): W => {
    const ttlSeconds = write.ttlSeconds ?? declaration.ttlSecondsDefault
    return ttlSeconds === undefined ? write : { ...write, ttlSeconds }
  }
  return {
    get: (payload) => Effect.zipRight(asked, inner.get(payload)),
    set: (entry) => Effect.zipRight(asked, inner.set(lasting(entry))),
    delete: (payload) => Effect.zipRight(asked, inner.delete(payload)),
    list: (payload) => Effect.zipRight(asked, inner.list(payload)),
    compareAndSet: (swap) => Effect.zipRight(asked, inner.compareAndSet(lasting(swap)))
  }
}

/**
 * @since 0.1.0
 */
import { Effect } from "effect"
import { type Records, RecordsError } from "../../capabilities/Records.js"
import type { Authority } from "../../policy/Authority.js"
import type { Verb } from "../../policy/Facets.js"
import * as Request from "../../policy/Request.js"
import * as Gate from "./Gate.js"

/** A record without a class is of this one: a scope over named classes does not reach it by accident. */
const UNCLASSED = "record"

/**
 * Records, each asked of the authority first by its class and id; lists and searches leave out what may not be
 * read.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (authority: Authority, inner: Records.Operations): Records.Operations => {
  const { allows, ask } = Gate.make(authority, {
    denied: (denial) => new RecordsError({ code: "RECORD_NOT_REACHABLE", detail: denial.detail, denial }),
    malformed: ({ detail }) => new RecordsError({ code: "RECORD_INVALID", detail })
  })
  const request = (action: Verb<"records">, record: { readonly id: string; readonly class?: string }) =>
    Request.record(action, record.id, record.class ?? UNCLASSED)
  const readable = (record: { readonly id: string; readonly class?: string }) =>
    allows(request("read", record))
  /**
   * The class of a record is known only once it is read. One that is not there is asked about as a record
   * without a class, so that who holds only some classes learns nothing of what exists.
   */
  const held = (action: Verb<"records">, id: string) =>
    inner.get({ id }).pipe(
      Effect.tapError((error) =>
        error.code === "RECORD_NOT_FOUND" ? ask(request(action, { id })) : Effect.void
      ),
      Effect.tap((entry) => ask(request(action, entry)))
    )
  const readableIds = (ids: ReadonlyArray<string>) =>
    Effect.filter(ids, (id) =>
      Effect.match(inner.get({ id }), { onFailure: () => false, onSuccess: readable })
    )
  return {
    get: ({ id }) => held("read", id),
    search: (search) => Effect.map(inner.search(search), (all) => all.filter(readable)),
    list: (filter) => Effect.map(inner.list(filter), (all) => all.filter(readable)),
    links: (payload) =>
      Effect.zipRight(held("read", payload.id), Effect.flatMap(inner.links(payload), readableIds)),
    backlinks: (payload) =>
      Effect.zipRight(held("read", payload.id), Effect.flatMap(inner.backlinks(payload), readableIds)),
    create: (draft) => Effect.zipRight(ask(request("create", draft)), inner.create(draft)),
    update: (change) => Effect.zipRight(held("update", change.id), inner.update(change)),
    delete: (payload) => Effect.zipRight(held("delete", payload.id), inner.delete(payload))
  }
}

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
  /** One answer for what is not there and for what may not be seen: the refusal of a record without a class. */
  const hidden = (action: Verb<"records">, id: string) =>
    Effect.zipRight(
      ask(request(action, { id })),
      Effect.fail(new RecordsError({ code: "RECORD_NOT_FOUND", detail: `there is no record ${id}` }))
    )
  /** The class of a record is known only once it is read. */
  const held = (action: Verb<"records">, id: string) =>
    Effect.matchEffect(inner.get({ id }), {
      onFailure: (error) => (error.code === "RECORD_NOT_FOUND" ? hidden(action, id) : Effect.fail(error)),
      onSuccess: (entry) => (allows(request(action, entry)) ? Effect.succeed(entry) : hidden(action, id))
    })
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

/**
 * @since 0.1.0
 */
import { Effect, Either } from "effect"
import { RecordChange, RecordDraft, type Records, RecordsError } from "../../capabilities/Records.js"
import * as Authority from "../../policy/Authority.js"
import type { Verb } from "../../policy/Facets.js"
import type { Holder } from "../../policy/Proof.js"
import * as Request from "../../policy/Request.js"
import type { ScopeInvalid } from "../../policy/ScopeInvalid.js"
import * as Gate from "./Gate.js"
import { known } from "./known.js"

const malformed = ({ detail }: ScopeInvalid) => new RecordsError({ code: "RECORD_INVALID", detail })

/** A record without a class is of this one: a scope over named classes does not reach it by accident. */
const UNCLASSED = "record"

/**
 * Records, each asked of the authority first by its class and id; lists and searches leave out what may not be
 * read. A record that may not be seen answers like one that is not there.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (holder: Holder, inner: Records.Operations): Records.Operations => {
  const { allows, ask } = Gate.make(holder, {
    denied: (denial) => new RecordsError({ code: "RECORD_NOT_REACHABLE", detail: denial.detail, denial }),
    malformed
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
  /** The class of a record is known only once it is read; an id that no class would open is not looked for. */
  const held = (action: Verb<"records">, id: string): Effect.Effect<Records.Entry, RecordsError> => {
    const made = request(action, { id })
    if (Either.isLeft(made)) return Effect.fail(malformed(made.left))
    if (!Authority.couldPermit(holder.authority, made.right, "class")) return hidden(action, id)
    return Effect.matchEffect(inner.get({ id }), {
      onFailure: (error) => (error.code === "RECORD_NOT_FOUND" ? hidden(action, id) : Effect.fail(error)),
      onSuccess: (entry) => (allows(request(action, entry)) ? Effect.succeed(entry) : hidden(action, id))
    })
  }
  const readableIds = (ids: ReadonlyArray<string>) =>
    Effect.filter(ids, (id) => Effect.isSuccess(held("read", id)))
  return {
    get: ({ id }) => held("read", id),
    // The limit is applied to what may be seen: what may not must not be felt.
    search: ({ limit, ...search }) =>
      Effect.map(inner.search(search), (all) => all.filter(readable).slice(0, limit)),
    list: (filter) => Effect.map(inner.list({ ...filter }), (all) => all.filter(readable)),
    links: ({ id }) => Effect.zipRight(held("read", id), Effect.flatMap(inner.links({ id }), readableIds)),
    backlinks: ({ id }) =>
      Effect.zipRight(held("read", id), Effect.flatMap(inner.backlinks({ id }), readableIds)),
    create: (given) => {
      const draft = known(RecordDraft, given)
      return Effect.zipRight(ask(request("create", draft)), inner.create(draft))
    },
    update: (given) => {
      const change = known(RecordChange, given)
      return Effect.zipRight(held("update", change.id), inner.update(change))
    },
    delete: ({ id }) => Effect.zipRight(held("delete", id), inner.delete({ id }))
  }
}

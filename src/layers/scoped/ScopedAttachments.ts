/**
 * @since 0.1.0
 */
import { Effect } from "effect"
import { type Attachment, type Attachments, AttachmentsError } from "../../capabilities/Attachments.js"
import type { Authority } from "../../policy/Authority.js"
import * as Request from "../../policy/Request.js"
import * as Gate from "./Gate.js"

/**
 * The turn's attachments, less those of kinds that the authority does not hold: such a one is not listed, and
 * its ref is as unknown as a ref that was made up.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (authority: Authority, inner: Attachments.Operations): Attachments.Operations => {
  const { allows, ask } = Gate.make(authority, {
    denied: (denial) => new AttachmentsError({ code: "KIND_NOT_ALLOWED", detail: denial.detail, denial }),
    malformed: ({ detail }) => new AttachmentsError({ code: "KIND_NOT_ALLOWED", detail })
  })
  const seen = (attachment: Attachment) => allows(Request.attachment(attachment.type))
  const known = (ref: string): Effect.Effect<void, AttachmentsError> =>
    Effect.flatMap(inner.list({ kind: null }), (all) =>
      all.some((attachment) => attachment.ref === ref && seen(attachment))
        ? Effect.void
        : new AttachmentsError({ code: "ATTACHMENT_NOT_FOUND", detail: `No attachment with ref "${ref}"` })
    )
  return {
    list: (payload) =>
      Effect.zipRight(
        payload.kind === null ? Effect.void : ask(Request.attachment(payload.kind)),
        Effect.map(inner.list(payload), (all) => all.filter(seen))
      ),
    open: (payload) => Effect.zipRight(known(payload.ref), inner.open(payload)),
    read: (payload) => Effect.zipRight(known(payload.ref), inner.read(payload))
  }
}

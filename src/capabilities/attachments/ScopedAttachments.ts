/**
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { Holder } from "../../policy/gate/Asking.js"
import * as Gate from "../../policy/gate/Gate.js"
import * as Request from "../../policy/lattice/Request.js"
import type { Attachments } from "./Attachments.js"
import type { AttachmentsBackend } from "./AttachmentsBackend.js"
import { type Attachment, AttachmentsError } from "./AttachmentsOperations.js"
import { withSize } from "./Size.js"

/**
 * The turn's attachments, less those of kinds that the authority does not hold: such a one is not listed, and
 * its ref is as unknown as a ref that was made up.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (
  holder: Holder,
  attachments: ReadonlyArray<Attachment>,
  backend: AttachmentsBackend.Service,
  unplaced: ReadonlyArray<Attachment> = []
): Attachments.Operations => {
  const { allows, ask, standing } = Gate.make(holder, backend, {
    denied: (denial) => new AttachmentsError({ code: "KIND_NOT_ALLOWED", detail: denial.detail, denial }),
    malformed: ({ detail }, denial) =>
      new AttachmentsError({
        code: "KIND_NOT_ALLOWED",
        detail,
        denial: { ...denial, code: "KIND_NOT_ALLOWED" }
      })
  })
  const seen = (attachment: Attachment) => allows(Request.attachment(attachment.type))
  const known = (wanted: string) => {
    const attachment = [...attachments, ...unplaced].find((one) => one.ref === wanted && seen(one))
    if (attachment === undefined) {
      return new AttachmentsError({
        code: "ATTACHMENT_NOT_FOUND",
        detail: `No attachment with ref "${wanted}"`
      })
    }
    return Effect.map(ask(Request.attachment(attachment.type)), (proof) => ({ attachment, proof }))
  }
  return {
    list: ({ kind }) =>
      Effect.as(
        kind === null ? standing("attachments.read") : ask(Request.attachment(kind)),
        // Copies: a list that a tool changes is its own.
        attachments.filter((one) => (kind === null || one.type === kind) && seen(one)).map(withSize)
      ),
    open: ({ ref }) => Effect.flatMap(known(ref), ({ attachment, proof }) => backend.open(proof, attachment)),
    read: ({ ref }) => Effect.flatMap(known(ref), ({ attachment, proof }) => backend.read(proof, attachment))
  }
}

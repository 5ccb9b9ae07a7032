/**
 * What opens the files that came with a turn.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import { guarded, type Proof } from "../../policy/gate/Proof.js"
import type { Scoped } from "../../policy/lattice/Request.js"
import type { Attachments } from "./Attachments.js"
import { type Attachment, AttachmentsError } from "./AttachmentsOperations.js"

/**
 * @since 0.1.0
 */
export declare namespace AttachmentsBackend {
  /**
   * `locate` gives the local path of an attachment of the session, without a look at the file; it is what the read
   * reach of a turn is extended by. The proof is of the attachment's kind. `clear` removes what the backend keeps for a
   * session that has ended, where it keeps anything.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly locate: (session: string, attachment: Attachment) => Effect.Effect<string, AttachmentsError>
    readonly open: (proof: Proof<Scoped>, attachment: Attachment) => Effect.Effect<string, AttachmentsError>
    readonly read: (
      proof: Proof<Scoped>,
      attachment: Attachment
    ) => Effect.Effect<Uint8Array, AttachmentsError>
    readonly clear?: (session: string) => Effect.Effect<void, AttachmentsError>
  }
}

/**
 * @since 0.1.0
 * @category tags
 */
export class AttachmentsBackend extends Context.Tag("bailiwick/AttachmentsBackend")<
  AttachmentsBackend,
  AttachmentsBackend.Service
>() {
  /** A backend that takes proofs which were made for itself, and nothing else: every implementation is one. */
  static guarded(service: AttachmentsBackend.Service): AttachmentsBackend.Service {
    return guarded(service, ["open", "read"])
  }

  /** Operations that need no proof, such as a mock's, behind the door. */
  static fromOperations({
    open,
    read
  }: Pick<Attachments.Operations, "open" | "read">): AttachmentsBackend.Service {
    const opened = <A>(
      proof: Proof<Scoped>,
      { ref, type }: Attachment,
      use: (payload: { readonly ref: string }) => Effect.Effect<A, AttachmentsError>
    ) =>
      AttachmentsBackend.isFor(proof, type)
        ? use({ ref })
        : new AttachmentsError({ code: "ATTACHMENT_MISMATCH", detail: `the proof is not of kind ${type}` })
    return AttachmentsBackend.guarded({
      locate: (_session, { ref }) => open({ ref }),
      open: (proof, attachment) => opened(proof, attachment, open),
      read: (proof, attachment) => opened(proof, attachment, read)
    })
  }

  /** Whether a proof is of attachments of this kind. */
  static isFor({ request }: Proof<Scoped>, kind: Attachment["type"]): boolean {
    return request.capability === "attachments.read" && request.element.kind?.join("") === kind
  }
}

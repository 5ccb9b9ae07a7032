/** One case of the contract of attachments, and what it is written with. */
import { Effect } from "effect"
import { AttachmentsBackend } from "../../capabilities/attachments/AttachmentsBackend.js"
import type { Attachment, AttachmentsError } from "../../capabilities/attachments/AttachmentsOperations.js"
import type { Proof } from "../../policy/gate/Proof.js"
import * as Request from "../../policy/lattice/Request.js"
import { type ContractBroken, type Case as Shared, unique } from "./contract.js"
import { permitsFor } from "./permits.js"

/**
 * How attachments come to the backend, and what may happen to them there.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rig {
  /** Has a file sent in a session, as a host does it. Each has a ref and a URL of its own. */
  readonly put: (session: string, content: Uint8Array) => Effect.Effect<Attachment>
  /** Takes the file of an attachment away. Without it there are no cases about removal. */
  readonly remove?: (attachment: Attachment) => Effect.Effect<void>
  /** Puts a link to another file in its place. Without it there are no cases about links. */
  readonly link?: (attachment: Attachment) => Effect.Effect<void>
  /** What the backend was made with: the most bytes of one attachment. Without it there are no cases about limits. */
  readonly limits?: { readonly maxBytes: number }
}

/**
 * `about` says what a backend must have for the case to apply. `attachments`: every one. `sessions`: one that knows what
 * was sent in which. `removal`, `links` and `limits`: one that has them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Case extends Shared<AttachmentsBackend, AttachmentsError> {
  readonly about: "attachments" | "sessions" | "removal" | "links" | "limits"
}

const KINDS = ["image", "audio", "file"] as const

export interface Bench {
  readonly backend: AttachmentsBackend.Service
  readonly session: string
  readonly rig: Required<Rig>
  readonly put: (content: Uint8Array) => Effect.Effect<Attachment>
  readonly proof: (kind: Attachment["type"], session?: string) => Effect.Effect<Proof<Request.Scoped>>
  readonly read: (attachment: Attachment, session?: string) => Effect.Effect<Uint8Array, AttachmentsError>
  readonly open: (attachment: Attachment, session?: string) => Effect.Effect<string, AttachmentsError>
  /** The kinds that an attachment is not of. */
  readonly others: (attachment: Attachment) => ReadonlyArray<Attachment["type"]>
}

export type Definition = (rig: Rig) => Case

/** Each case is a session of its own. */
export const define =
  (
    about: Case["about"],
    name: string,
    body: (bench: Bench) => Effect.Effect<void, ContractBroken | AttachmentsError>
  ): Definition =>
  (rig) => ({
    name,
    about,
    run: Effect.flatMap(AttachmentsBackend, (backend) =>
      Effect.suspend(() => {
        const permits = permitsFor(backend)
        const own = unique()
        const proof: Bench["proof"] = (kind, session = own) =>
          permits
            .holding({ attachments: { read: KINDS } }, { session, tool: "contract" })
            .ask(Request.attachment(kind))
        return body({
          backend,
          session: own,
          rig: { remove: () => Effect.void, link: () => Effect.void, limits: { maxBytes: 0 }, ...rig },
          put: (content) => rig.put(own, content),
          proof,
          read: (attachment, session) =>
            Effect.flatMap(proof(attachment.type, session), (given) => backend.read(given, attachment)),
          open: (attachment, session) =>
            Effect.flatMap(proof(attachment.type, session), (given) => backend.open(given, attachment)),
          others: ({ type }) => KINDS.filter((kind) => kind !== type)
        })
      })
    )
  })

/**
 * Attachments as files on this machine.
 *
 * @since 0.1.0
 */
import { Effect, Layer } from "effect"
import { AttachmentsBackend } from "../../../capabilities/attachments/AttachmentsBackend.js"
import { type Attachment, AttachmentsError } from "../../../capabilities/attachments/AttachmentsOperations.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import type { Scoped } from "../../../policy/lattice/Request.js"
import { MAX_BYTES } from "./AttachmentCache.js"
import { clearSession } from "./entries.js"
import { findRoot, locateIn, pathOfUrl, type Root } from "./Namespace.js"
import { check, type Refused, readAll } from "./regularFile.js"

/**
 * `directory` is that of an `AttachmentCache`: only files that the cache holds for the session of the turn open.
 * Without it, every file that the host put on the turn opens.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly directory?: string
  /** The most bytes that one attachment may have: 25 MiB unless given. */
  readonly maxBytes?: number
}

/**
 * Opens attachments of the turn. Only regular files open, and no link does.
 *
 * @example
 * ```ts
 * import { AttachmentCache, NodeAttachments } from "bailiwick/node"
 * import { Layer } from "effect"
 *
 * const directory = "/var/lib/agent/attachments"
 * export const attachments = Layer.merge(AttachmentCache.layer({ directory }), NodeAttachments.layer({ directory }))
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<AttachmentsBackend> =>
  Layer.effect(
    AttachmentsBackend,
    Effect.map(
      options.directory === undefined ? Effect.succeed(undefined) : findRoot(options.directory),
      (root) => make(root, options.maxBytes ?? MAX_BYTES)
    )
  )

const make = (root: Root | undefined, maxBytes: number): AttachmentsBackend.Service => {
  const limits = { maxBytes, isExact: root !== undefined }
  const locate = (session: string, attachment: Attachment): Effect.Effect<string, AttachmentsError> => {
    const path = root === undefined ? pathOfUrl(attachment.url) : locateIn(root, session, attachment.url)
    if (path !== undefined) return Effect.succeed(path)
    const scheme = schemeOf(attachment)
    return failure(
      attachment,
      scheme === undefined
        ? "is not a file of this session; have it sent again"
        : `has a URL of the scheme ${scheme}, and only local files open; have the host fetch it, and send the file`
    )
  }
  const located = (proof: Proof<Scoped>, attachment: Attachment) =>
    AttachmentsBackend.isFor(proof, attachment.type)
      ? locate(proof.session, attachment)
      : new AttachmentsError({
          code: "ATTACHMENT_MISMATCH",
          detail: `what was permitted is not ${nameOf(attachment)}`
        })
  return AttachmentsBackend.guarded({
    locate,
    open: (proof, attachment) =>
      Effect.flatMap(located(proof, attachment), (path) =>
        Effect.as(Effect.mapError(check(path, limits), refusal(attachment)), path)
      ),
    read: (proof, attachment) =>
      Effect.flatMap(located(proof, attachment), (path) =>
        Effect.mapError(readAll(path, limits), refusal(attachment))
      ),
    ...(root === undefined ? {} : { clear: (session: string) => clearSession(root, session) })
  })
}

/** Names an attachment by its ref: neither a tool nor a model is told where it lies. */
const nameOf = ({ ref }: Attachment): string => `attachment ${JSON.stringify(ref)}`

/** The scheme of a URL that is no file's. */
const schemeOf = ({ url }: Attachment): string | undefined => {
  const scheme = /^([a-z][a-z0-9+.-]{0,30}):/i.exec(url)?.[1]?.toLowerCase()
  return scheme === "file" ? undefined : scheme
}

const failure = (attachment: Attachment, words: string) =>
  new AttachmentsError({ code: "ATTACHMENTS_FAILED", detail: `${nameOf(attachment)} ${words}` })

const refusal =
  (attachment: Attachment) =>
  (refused: Refused): AttachmentsError =>
    refused === "missing"
      ? new AttachmentsError({
          code: "ATTACHMENT_NOT_FOUND",
          detail: `${nameOf(attachment)} is no longer there; have it sent again`
        })
      : failure(attachment, `is ${refused}; have it sent again as a regular file`)

/**
 * Where a host keeps the files that users send, until a turn is over: one directory for each session, with a name
 * that tells nothing, and one file for each attachment.
 *
 * @since 0.1.0
 */
import { Context, Duration, Effect, Layer } from "effect"
import type { Attachment, AttachmentsError } from "../../../capabilities/attachments/AttachmentsOperations.js"
import { bareType, kindOf } from "../../../capabilities/attachments/Mime.js"
import { addEntry, clearSession, pruneEntries } from "./entries.js"
import { keptName, shownName } from "./Names.js"
import { failed, locateIn, openRoot, type Root } from "./Namespace.js"
import { check } from "./regularFile.js"
import { realType } from "./sniff.js"

/**
 * @since 0.1.0
 */
export declare namespace AttachmentCache {
  /**
   * Whose file it is, and what the sender says of it.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Origin {
    readonly session: string
    readonly messageId?: string
    readonly filename?: string
    readonly mimeType: string
  }

  /**
   * An attachment that has no ref yet. Its size is that of the bytes, its type what they are found to be, and its
   * name one that can be shown.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Cached extends Omit<Attachment, "ref"> {
    readonly sizeBytes: number
  }

  /**
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly write: (bytes: Uint8Array, origin: Origin) => Effect.Effect<Cached, AttachmentsError>
    /** The local path of a URL that `write` gave, for the same session; nothing else has one. */
    readonly resolve: (session: string, url: string) => Effect.Effect<string, AttachmentsError>
    /** Removes all that a session has. */
    readonly clear: (session: string) => Effect.Effect<void, AttachmentsError>
    /** Removes what is older, of all sessions, and says how many files that were. */
    readonly pruneOlderThan: (age: Duration.DurationInput) => Effect.Effect<number, AttachmentsError>
  }

  /**
   * @since 0.1.0
   * @category models
   */
  export interface Options {
    readonly directory: string
    /** The most bytes that one attachment may have: 25 MiB unless told. */
    readonly maxBytes?: number
  }
}

/**
 * @since 0.1.0
 * @category tags
 */
export class AttachmentCache extends Context.Tag("bailiwick/AttachmentCache")<
  AttachmentCache,
  AttachmentCache.Service
>() {
  /** A cache in a directory, which is made if it is not there. */
  static layer(options: AttachmentCache.Options): Layer.Layer<AttachmentCache, AttachmentsError> {
    return Layer.effect(
      AttachmentCache,
      Effect.map(openRoot(options.directory), (root) => serviceOf(root, options.maxBytes ?? MAX_BYTES))
    )
  }
}

/**
 * @since 0.1.0
 * @category defaults
 */
export const MAX_BYTES: number = 25 * 1024 * 1024

const serviceOf = (root: Root, maxBytes: number): AttachmentCache.Service => ({
  write: (bytes, { filename, messageId, mimeType, session }) =>
    Effect.gen(function* () {
      if (bytes.length > maxBytes) {
        return yield* failed(
          `the attachment has ${bytes.length} bytes, more than ${maxBytes}; send a smaller one`
        )
      }
      const type = realType(bytes, mimeType)
      const shown = shownName(filename)
      // A name that goes with another type would lead whoever goes by names astray.
      const kept = keptName(shown, type, type === bareType(mimeType))
      const url = yield* addEntry(root, session, messageId, kept, bytes)
      return {
        type: kindOf(type),
        url,
        mimeType: type,
        ...(shown === undefined ? {} : { filename: shown }),
        sizeBytes: bytes.length
      }
    }),
  resolve: (session, url) =>
    Effect.gen(function* () {
      const path = locateIn(root, session, url)
      if (path === undefined) return yield* failed("that is not the URL of a file of this session")
      yield* Effect.mapError(check(path, { isExact: true, maxBytes }), (refused) =>
        failed(`the cached file is ${refused}; have it sent again`)
      )
      return path
    }),
  clear: (session) => clearSession(root, session),
  pruneOlderThan: (age) => pruneEntries(root, Duration.toMillis(age))
})

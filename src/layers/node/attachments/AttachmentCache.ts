/**
 * Where a host keeps the files that users send, until a turn is over: one directory for each session, with a name
 * that tells nothing, and one file for each attachment.
 *
 * @since 0.1.0
 */
import { basename } from "node:path"
import { Context, Duration, Effect, Layer, Schedule, type Scope, Stream } from "effect"
import type { Attachment, AttachmentsError } from "../../../capabilities/attachments/AttachmentsOperations.js"
import { bareType, kindOf } from "../../../capabilities/attachments/Mime.js"
import { addEntry, clearSession, forgetMessage, type Limits, pruneEntries, takeStock } from "./entries.js"
import { ledgerOf } from "./ledger.js"
import { keptName, shownName } from "./Names.js"
import { directoryOf, failed, locateIn, openRoot, type Root } from "./Namespace.js"
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
    /** How large it is said to be: what is too large already is refused before any of it is read. */
    readonly sizeBytes?: number
    /**
     * What becomes of bytes of another kind than what was said, such as a page that is sent as an image: they are kept as
     * what they are, unless this says that they are refused.
     */
    readonly mislabelled?: "relabel" | "refuse"
  }

  /**
   * How many bytes are kept, and on their way.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Usage {
    readonly session: number
    readonly total: number
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
    /**
     * The same for bytes that come bit by bit, of which no more than a bit is in memory. There is all of the file when this
     * succeeds. When it fails, is interrupted or too long, nothing is left of it; what a killed process leaves half written
     * is removed when the cache is opened or pruned.
     */
    readonly writeStream: <E, R>(
      bytes: Stream.Stream<Uint8Array, E, R>,
      origin: Origin
    ) => Effect.Effect<Cached, AttachmentsError | E, R>
    /** Removes the files of one message of a session, and says how many those were. */
    readonly forget: (session: string, messageId: string) => Effect.Effect<number, AttachmentsError>
    readonly usage: (session: string) => Effect.Effect<Usage>
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
    /** The most bytes that all attachments of a session may have: 250 MiB unless told. */
    readonly sessionBytes?: number
    /** The most bytes that the attachments of all sessions may have: 2 GiB unless told. */
    readonly totalBytes?: number
  }

  /**
   * @since 0.1.0
   * @category models
   */
  export interface Pruning {
    /** How old a file may become. */
    readonly olderThan: Duration.DurationInput
    /** How long to wait between two looks: an hour unless told. */
    readonly every?: Duration.DurationInput
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
  /** A cache in a directory, which is made if it is not there. What killed processes left half written there is removed. */
  static layer(options: AttachmentCache.Options): Layer.Layer<AttachmentCache, AttachmentsError> {
    const limits: Limits = {
      maxBytes: options.maxBytes ?? MAX_BYTES,
      sessionBytes: options.sessionBytes ?? SESSION_BYTES,
      totalBytes: options.totalBytes ?? TOTAL_BYTES
    }
    return Layer.effect(
      AttachmentCache,
      Effect.map(Effect.tap(openRoot(options.directory), takeStock), (root) => serviceOf(root, limits))
    )
  }

  /**
   * Prunes the cache now, and then on a schedule, for as long as the layer lives. What fails is logged, and tried again the
   * next time.
   *
   * @example
   * ```ts
   * import { AttachmentCache } from "bailiwick/node"
   * import { Layer } from "effect"
   *
   * export const cache = AttachmentCache.layerPruning({ olderThan: "1 day" }).pipe(
   *   Layer.provideMerge(AttachmentCache.layer({ directory: "/var/lib/agent/attachments" }))
   * )
   * ```
   */
  static layerPruning({
    every = "1 hour",
    olderThan
  }: AttachmentCache.Pruning): Layer.Layer<never, never, AttachmentCache> {
    return Layer.scopedDiscard(
      Effect.flatMap(AttachmentCache, (cache) =>
        cache.pruneOlderThan(olderThan).pipe(
          Effect.catchAll(({ message }) => Effect.logWarning(`AttachmentCache.prune: ${message}`)),
          Effect.repeat(Schedule.spaced(every)),
          Effect.forkScoped
        )
      )
    )
  }

  /** Clears a session when the scope closes: its end, whichever way it ends. */
  static session(session: string): Effect.Effect<void, never, AttachmentCache | Scope.Scope> {
    return Effect.flatMap(AttachmentCache, ({ clear }) =>
      Effect.addFinalizer(() =>
        Effect.catchAll(clear(session), ({ message }) =>
          Effect.logWarning(`AttachmentCache.clear: ${message}`)
        )
      )
    )
  }
}

/**
 * @since 0.1.0
 * @category defaults
 */
export const MAX_BYTES: number = 25 * 1024 * 1024

const SESSION_BYTES = 250 * 1024 * 1024
const TOTAL_BYTES = 2 * 1024 * 1024 * 1024

const tooLarge = (bytes: number, most: number): string =>
  `the attachment has ${bytes} bytes, more than ${most}; send a smaller one`

/** Of a sender who says nothing of the type, or nothing more than that it is bytes. */
const isSaid = (type: string): boolean => type !== "application/octet-stream"

const serviceOf = (root: Root, limits: Limits): AttachmentCache.Service => {
  const { maxBytes } = limits
  const writeStream: AttachmentCache.Service["writeStream"] = (bytes, origin) => {
    const { filename, messageId, mimeType, mislabelled = "relabel", session, sizeBytes = 0 } = origin
    if (sizeBytes > maxBytes) return failed(tooLarge(sizeBytes, maxBytes))
    const said = bareType(mimeType)
    const shown = shownName(filename)
    const judge = (head: Uint8Array) => {
      const type = realType(head, mimeType)
      if (mislabelled === "refuse" && isSaid(said) && kindOf(said) !== kindOf(type)) {
        return failed(`the attachment is ${type}, and was sent as ${said}; send it as what it is`)
      }
      // A name that goes with another type would lead whoever goes by names astray.
      return Effect.succeed({ name: keptName(shown, type, type === said), told: type })
    }
    return Effect.map(
      addEntry(root, { session, messageId, judge }, limits, bytes),
      ({ sizeBytes, told, url }) => ({
        type: kindOf(told),
        url,
        mimeType: told,
        ...(shown === undefined ? {} : { filename: shown }),
        sizeBytes
      })
    )
  }
  return {
    write: (bytes, origin) =>
      bytes.length > maxBytes
        ? failed(tooLarge(bytes.length, maxBytes))
        : Effect.uninterruptible(writeStream(Stream.succeed(bytes), origin)),
    writeStream,
    forget: (session, messageId) => forgetMessage(root, session, messageId),
    usage: (session) =>
      Effect.sync(() => {
        const ledger = ledgerOf(root)
        return { session: ledger.of(basename(directoryOf(root, session))), total: ledger.total }
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
  }
}

/**
 * The way that files of every platform take: found in a message, streamed into the cache, and given refs. A file that cannot
 * be taken is a note in the text, and the message arrives without it.
 *
 * @since 0.1.0
 */
import { Effect, Option, Schema, Stream } from "effect"
import { AttachmentCache } from "../layers/node/attachments/AttachmentCache.js"
import * as AttachmentRefs from "../registry/AttachmentRefs.js"
import type { InboundMessage } from "./InboundMessage.js"
import {
  type Failure,
  fitName,
  logText,
  NotTaken,
  notTaken,
  renamed,
  shortened,
  tooMany,
  whyOf
} from "./notes.js"
import { turns } from "./turns.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly platform: string
  /** How many files of one message are taken: 20 unless told. */
  readonly maxFiles?: number | undefined
  /** How many files are taken at once, of all messages: 16 unless told. */
  readonly concurrency?: number | undefined
}

/**
 * A file that a message names. `content` is run once, when its turn comes.
 *
 * @since 0.1.0
 * @category models
 */
export interface Found {
  readonly filename?: string | undefined
  readonly mimeType?: string | undefined
  readonly sizeBytes?: number | undefined
  readonly content: Stream.Stream<Uint8Array, Failure>
}

/**
 * A message of a platform before its files are here.
 *
 * @since 0.1.0
 * @category models
 */
export interface Draft extends Omit<InboundMessage, "platform" | "attachments"> {
  readonly files: ReadonlyArray<Found>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Intake {
  readonly platform: string
  /** The message with its files. It never fails: what is wrong with a file stands in the text. */
  readonly receive: (draft: Draft) => Effect.Effect<InboundMessage>
  /** A text without any secret that was read here. */
  readonly scrub: (text: string) => string
}

/**
 * A file that is not taken, with the reason that its note gives.
 *
 * @since 0.1.0
 * @category constructors
 */
export const refuse = (why: string): Stream.Stream<never, Failure> => Stream.fail(new NotTaken(why))

/**
 * Reads what a payload says of a file. What cannot be read is a file that is not taken, so that it costs nobody the message
 * that it came with.
 *
 * @since 0.1.0
 * @category constructors
 */
export const finding = <A, I>(
  schema: Schema.Schema<A, I>,
  found: (file: A) => Found
): ((given: unknown) => Found) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (given) =>
    Option.match(decode(given), {
      onNone: () => ({ content: refuse("the platform tells of it in a way that is not known here") }),
      onSome: found
    })
}

const MAX_FILES = 20
const CONCURRENCY = 16

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  { concurrency = CONCURRENCY, maxFiles = MAX_FILES, platform }: Options,
  scrub: (text: string) => string = (text) => text
): Effect.Effect<Intake, never, AttachmentCache> =>
  Effect.gen(function* () {
    const cache = yield* AttachmentCache
    const inTurn = yield* turns(concurrency)

    const told = (failure: Failure) =>
      Effect.as(
        Effect.annotateLogs(Effect.logWarning(`Inbound.receive: ${scrub(logText(failure))}`), { platform }),
        whyOf(failure)
      )

    const taken = (
      { messageId, sessionKey }: Draft,
      { content, filename, mimeType = "", sizeBytes }: Found
    ) => {
      const { isChanged, name } = fitName(filename)
      return inTurn(
        cache.writeStream(content, {
          session: sessionKey,
          messageId,
          ...(name === undefined ? {} : { filename: name }),
          mimeType,
          mislabelled: "refuse",
          ...(sizeBytes === undefined ? {} : { sizeBytes })
        })
      ).pipe(
        Effect.map((cached) => ({ cached, isChanged })),
        Effect.catchAll((failure) => Effect.map(told(failure), (why) => ({ note: notTaken(filename, why) }))),
        Effect.catchAllDefect((defect) =>
          Effect.as(Effect.logError("Inbound.receive: a file could not be received", scrub(String(defect))), {
            note: notTaken(filename, "it could not be received")
          })
        )
      )
    }

    const receive = (draft: Draft): Effect.Effect<InboundMessage> =>
      Effect.gen(function* () {
        const { files, messageId, sessionKey, text } = draft
        // Who was killed while receiving it left files of it that nobody was told of.
        if (files.length > 0) yield* Effect.catchAll(cache.forget(sessionKey, messageId), told)
        const outcomes = yield* Effect.forEach(files.slice(0, maxFiles), (file) => taken(draft, file), {
          concurrency: "unbounded"
        })
        const kept = outcomes.flatMap((one) => ("cached" in one ? [one] : []))
        const attachments = AttachmentRefs.assign(kept.map(({ cached }) => cached))
        const notes = [
          ...attachments.flatMap(({ filename, ref }, index) =>
            kept[index]?.isChanged === true ? [renamed(ref, filename)] : []
          ),
          ...outcomes.flatMap((one) => ("note" in one ? [one.note] : [])),
          ...(files.length > maxFiles ? [tooMany(files.length - maxFiles, maxFiles)] : [])
        ]
        return {
          platform,
          sessionKey,
          messageId,
          text: [shortened(text), ...notes].filter((part) => part !== "").join("\n"),
          attachments
        }
      })

    return { platform, receive, scrub }
  })

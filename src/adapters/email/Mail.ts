/** A mail as a draft. Its parts are decoded within bounds; what cannot be read leaves its headers and a note. */
import { createHash } from "node:crypto"
import { Effect, Stream } from "effect"
import type { Mailbox, Email as Parsed, PostalMimeOptions } from "postal-mime"
import { AdapterError } from "../AdapterError.js"
import type { Draft } from "../Intake.js"
import { type ParsedMail, parseMail, textOf } from "./bodies.js"
import { hasTooManyLines, MAX_LINES, partsIn } from "./parts.js"

export interface MailLimits {
  /** The most bytes that a mail may have: 40 MiB unless told. */
  readonly maxMailBytes?: number | undefined
  /** How many parts a mail may have: 200 unless told. */
  readonly maxParts?: number | undefined
  /** How deep parts may be in one another: 16 unless told. */
  readonly maxNesting?: number | undefined
}

export const MAX_MAIL = 40 * 1024 * 1024
const MAX_PARTS = 200
const MAX_NESTING = 16
const MAX_HEADERS = 256 * 1024

/** Loaded with the first mail: who receives none need not have it. */
const parser = Effect.tryPromise({
  try: () => import("postal-mime"),
  catch: () =>
    new AdapterError({
      code: "SETTING_INVALID",
      platform: "email",
      detail: "mails are read with postal-mime, which is not installed; install postal-mime"
    })
})

const headersOf = (raw: Buffer): Buffer => {
  const ends = [raw.indexOf("\r\n\r\n"), raw.indexOf("\n\n")].filter((at) => at >= 0)
  return raw.subarray(0, Math.min(...ends, raw.length, MAX_HEADERS))
}

const addressOf = (from: Parsed["from"]): string => {
  const [first]: ReadonlyArray<Mailbox> =
    from === undefined ? [] : from.group === undefined ? [from] : from.group
  return (first?.address ?? "").trim().toLowerCase()
}

const idsIn = (header: string | undefined): ReadonlyArray<string> => header?.match(/<[^<>\s]{1,500}>/g) ?? []

/** The first message of a thread names it; a thread is that of one sender, whatever others refer to. */
const identify = (mail: Parsed, raw: Buffer) => {
  const [id = createHash("sha256").update(raw).digest("hex")] = idsIn(mail.messageId)
  const [root = id] = [...idsIn(mail.references), ...idsIn(mail.inReplyTo)]
  return { messageId: id, sessionKey: `email:${addressOf(mail.from)}:${root}` }
}

const contentOf = (content: ArrayBuffer | Uint8Array | string) =>
  Stream.suspend(() =>
    Stream.succeed(typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content))
  )

const titled = (subject: string | undefined, ...parts: ReadonlyArray<string>): string =>
  [...(subject === undefined || subject === "" ? [] : [`Subject: ${subject}`]), ...parts]
    .filter((part) => part !== "")
    .join("\n\n")

const draftFrom = (parsed: ParsedMail, raw: Buffer): Effect.Effect<Draft> =>
  Effect.map(textOf(parsed), (text) => ({
    ...identify(parsed.mail, raw),
    text: titled(parsed.mail.subject, text),
    files: parsed.mail.attachments.map(({ content, filename, mimeType }) => ({
      filename: filename ?? undefined,
      mimeType,
      content: contentOf(content)
    }))
  }))

/** Of a mail that is not read, who sent it and what it is about. */
const withoutParts = (raw: Buffer, why: string, parse: (raw: Uint8Array) => Promise<ParsedMail>) =>
  Effect.promise(() => parse(headersOf(raw))).pipe(
    Effect.map(({ mail }) => mail),
    Effect.catchAllDefect(() => Effect.succeed<Parsed>({ headers: [], headerLines: [], attachments: [] })),
    Effect.map((mail) => ({
      ...identify(mail, raw),
      text: titled(mail.subject, `[the text and the files of this mail were not read: ${why}]`),
      files: []
    }))
  )

export const draftOf = (
  given: Uint8Array | string,
  { maxMailBytes = MAX_MAIL, maxNesting = MAX_NESTING, maxParts = MAX_PARTS }: MailLimits
): Effect.Effect<Draft, AdapterError> =>
  Effect.flatMap(parser, ({ default: PostalMime }) => {
    const raw =
      typeof given === "string"
        ? Buffer.from(given, "utf8")
        : Buffer.from(given.buffer, given.byteOffset, given.byteLength)
    const options: PostalMimeOptions = {
      // A mail in a mail is a file like others, and is not unpacked.
      forceRfc822Attachments: true,
      maxNestingDepth: maxNesting,
      maxHeadersSize: MAX_HEADERS
    }
    const parse = (bytes: Uint8Array) => parseMail(PostalMime, bytes, options)
    if (raw.length > maxMailBytes) return withoutParts(raw, `it has more than ${maxMailBytes} bytes`, parse)
    if (hasTooManyLines(raw)) return withoutParts(raw, `it has more than ${MAX_LINES} lines`, parse)
    if (partsIn(raw) > maxParts) return withoutParts(raw, `it has more than ${maxParts} parts`, parse)
    return Effect.tryPromise(() => parse(raw)).pipe(
      Effect.flatMap((parsed) => draftFrom(parsed, raw)),
      Effect.catchAll(() =>
        withoutParts(raw, "its parts are not as a mail's are, or too deep in one another", parse)
      )
    )
  })

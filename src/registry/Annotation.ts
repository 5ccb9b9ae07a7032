/**
 * The text that tells a model which files came with a turn: one line for each, with the ref by which tools open it,
 * and the text of small text files. Everything that a sender wrote is escaped, so that no model takes it for markup.
 *
 * @since 0.1.0
 */
import type { Attachment } from "../capabilities/attachments/AttachmentsOperations.js"
import { bareType, isTextual } from "../capabilities/attachments/Mime.js"
import { withSize } from "../capabilities/attachments/Size.js"

const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"]
])

const entityOf = (character: string): string =>
  entities.get(character) ?? `&#x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()};`

/**
 * Control and format characters, lone surrogates, separators other than a blank, and characters that are drawn as
 * nothing.
 */
const IN_ATTRIBUTE = /[&<>"'`\p{C}\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs}/gu

/** Of these, the ones that ordinary text is not full of. Without a `<` there is no tag. */
const IN_TEXT = /[&<]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]/gu

/**
 * Escapes text inside markup, so that no reader takes it for markup or is led astray by characters that cannot be
 * seen.
 */
const escapeAttribute = (value: string): string => value.replace(IN_ATTRIBUTE, entityOf)

const escapeText = (text: string): string => text.replace(IN_TEXT, entityOf)

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The contents of attachments, by ref. Text among them that is not too long is shown; the others are only listed. */
  readonly inline?: ReadonlyMap<string, string | Uint8Array>
}

/**
 * @since 0.1.0
 * @category defaults
 */
export const limits = {
  /** The bytes of one file that is shown. */
  inlineBytes: 1_000_000,
  inlineChars: 50_000,
  /** The characters of all files that are shown. */
  totalChars: 100_000,
  /** The images that are shown at once. */
  images: 8
} as const

/**
 * Makes the block to put before the user's text. It is empty when there are no attachments. Give the contents of text
 * files in `inline` to show them; names and contents are escaped.
 *
 * @example
 * ```ts
 * import { Annotation } from "bailiwick"
 *
 * const list = { type: "file", ref: "att-0", url: "file:///c/1", mimeType: "text/plain", filename: "list.txt" } as const
 * console.log(Annotation.buildAttachmentAnnotation([list], { inline: new Map([["att-0", "milk"]]) }))
 * ```
 *
 * ```text output
 * <attachments>
 * <attachment ref="att-0" type="file" mimeType="text/plain" filename="list.txt" />
 * <file ref="att-0">
 * milk
 * </file>
 * </attachments>
 * ```
 *
 * @since 0.1.0
 * @category printing
 */
export const buildAttachmentAnnotation = (
  attachments: ReadonlyArray<Attachment>,
  options: Options = {}
): string => {
  if (attachments.length === 0) return ""
  const images = attachments.filter(({ type }) => type === "image").length
  return [
    "<attachments>",
    ...attachments.map(lineOf),
    ...(images > limits.images ? [noticeOf(images)] : []),
    ...inlined(attachments, options.inline ?? new Map()),
    "</attachments>"
  ].join("\n")
}

/**
 * Where text has the look of the block, or of what is in it, with nothing but what is not seen between. No two parts of the
 * pattern take the same characters: a sender who writes many blanks must not make it slow.
 */
const FORGED = /<(?=[\s\p{C}\p{DI}]*(?:\/[\s\p{C}\p{DI}]*)?(?:attachments?|notice|file)\b)/giu

/**
 * What a model is given to read: the block, and then what the user wrote. Where that has the look of the block it is
 * escaped, so that nobody adds attachments by writing them. Whoever shows attachments to a model composes them with this.
 *
 * @example
 * ```ts
 * import { Annotation } from "bailiwick"
 *
 * const list = { type: "file", ref: "att-0", url: "file:///c/1", mimeType: "text/plain" } as const
 * console.log(Annotation.compose("What is on it?", [list]))
 * ```
 *
 * ```text output
 * <attachments>
 * <attachment ref="att-0" type="file" mimeType="text/plain" />
 * </attachments>
 *
 * What is on it?
 * ```
 *
 * @since 0.1.0
 * @category printing
 */
export const compose = (
  text: string,
  attachments: ReadonlyArray<Attachment>,
  options: Options = {}
): string =>
  [buildAttachmentAnnotation(attachments, options), text.replace(FORGED, "&lt;")]
    .filter((part) => part !== "")
    .join("\n\n")

/**
 * The images to show beside the block, to a model that sees images: all of them, or none when there are too many.
 *
 * @example
 * ```ts
 * import { Annotation, type Turn } from "bailiwick"
 *
 * export const imagesOf = (turn: Turn.Turn) => Annotation.shownImages(turn.attachments).map(({ url }) => url)
 * ```
 *
 * @since 0.1.0
 * @category deciding
 */
export const shownImages = (attachments: ReadonlyArray<Attachment>): ReadonlyArray<Attachment> => {
  const images = attachments.filter(({ type }) => type === "image")
  return images.length > limits.images ? [] : images
}

const lineOf = (attachment: Attachment): string => {
  const { filename, mimeType, ref, sizeBytes, type } = withSize(attachment)
  const attributes = Object.entries({
    ref,
    type,
    mimeType: bareType(mimeType),
    filename: filename === undefined ? undefined : shortened(filename),
    sizeBytes: sizeBytes === undefined ? undefined : String(sizeBytes)
  })
  const written = attributes.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${escapeAttribute(value)}"`]
  )
  return `<attachment ${written.join(" ")} />`
}

const NAME = 255

const shortened = (name: string): string =>
  name.length <= NAME ? name : `${name.slice(0, NAME - 1).replace(/[\uD800-\uDBFF]$/, "")}…`

const noticeOf = (images: number): string =>
  `<notice>${images} images are more than the ${limits.images} that can be shown at once, so none is shown; open them by ref</notice>`

const inlined = (
  attachments: ReadonlyArray<Attachment>,
  bodies: ReadonlyMap<string, string | Uint8Array>
): ReadonlyArray<string> => {
  let room = limits.totalChars
  return attachments.flatMap(({ mimeType, ref }) => {
    const body = isTextual(mimeType) ? textOf(bodies.get(ref)) : undefined
    if (body === undefined || body.length > Math.min(room, limits.inlineChars)) return []
    room -= body.length
    return [`<file ref="${escapeAttribute(ref)}">\n${escapeText(body)}\n</file>`]
  })
}

const strict = new TextDecoder("utf-8", { fatal: true })
const encoder = new TextEncoder()

/** Bytes that are not text, and text that is too long, are not shown. */
const textOf = (body: string | Uint8Array | undefined): string | undefined => {
  if (body === undefined) return undefined
  // Before it is measured in bytes: a character has at least one of them.
  if (body.length > limits.inlineBytes) return undefined
  if (typeof body === "string") {
    return body.includes("\0") || encoder.encode(body).length > limits.inlineBytes ? undefined : body
  }
  if (body.includes(0)) return undefined
  try {
    return strict.decode(body)
  } catch {
    return undefined
  }
}

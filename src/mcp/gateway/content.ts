/** What a server answers to a call, as a value of a tool. All of it is a stranger's, and bounded by its message. */
import { Either } from "effect"
import { isObject } from "../protocol/ReadMessage.js"
import { GatewayError } from "./GatewayError.js"
import type { Limits } from "./Limits.js"
import { quoted } from "./words.js"

const textIn = (value: unknown): string => (typeof value === "string" ? value : "")

/** A kind of data, if that is what it looks like. */
const MIME = /^[\w.+-]{1,64}\/[\w.+-]{1,64}(?:;[ \w.=+"-]{0,64})?$/

const mimeOf = (value: unknown): string =>
  typeof value === "string" && MIME.test(value) ? value : "application/octet-stream"

const dataOf = (type: string, data: unknown, mimeType: unknown, limits: Limits): unknown => {
  const text = textIn(data)
  return text.length <= limits.dataLength
    ? { type, mimeType: mimeOf(mimeType), data: text }
    : { type, mimeType: mimeOf(mimeType), left_out: `${text.length} characters of base64` }
}

const resourceOf = (resource: unknown, limits: Limits): unknown => {
  if (!isObject(resource)) return { type: "resource" }
  const { blob, mimeType, text, uri } = resource
  if (typeof text === "string")
    return { type: "resource", uri: textIn(uri), mimeType: mimeOf(mimeType ?? "text/plain"), text }
  return { ...(dataOf("resource", blob, mimeType, limits) as object), uri: textIn(uri) }
}

const linkOf = ({ mimeType, name, uri }: Readonly<Record<string, unknown>>): string => {
  const kind = typeof mimeType === "string" && MIME.test(mimeType) ? ` (${mimeType})` : ""
  return `${textIn(name)}: ${textIn(uri)}${kind}`
}

/** One block: text as it is, all else as data with its kind. */
const partOf = (block: unknown, limits: Limits): unknown => {
  if (!isObject(block)) return { type: "unknown" }
  switch (block.type) {
    case "text":
      return textIn(block.text)
    case "resource_link":
      return linkOf(block)
    case "image":
    case "audio":
      return dataOf(block.type, block.data, block.mimeType, limits)
    case "resource":
      return resourceOf(block.resource, limits)
    default:
      return { type: "unknown" }
  }
}

const partsOf = (content: unknown, limits: Limits): ReadonlyArray<unknown> => {
  const blocks = Array.isArray(content) ? content : []
  const parts = blocks.slice(0, limits.parts).map((block) => partOf(block, limits))
  return blocks.length > limits.parts ? [...parts, `(${blocks.length - limits.parts} more parts)`] : parts
}

const isText = (part: unknown): part is string => typeof part === "string"

/** Text is one text; where there is other data, all parts in their order. */
const valueOf = (parts: ReadonlyArray<unknown>): unknown =>
  parts.every(isText)
    ? parts.join("\n")
    : parts.map((part) => (isText(part) ? { type: "text", text: part } : part))

/** The value of a call, or that the server says that it failed. */
export const resultOf = (answer: unknown, limits: Limits): Either.Either<unknown, GatewayError> => {
  const { content, isError, structuredContent } = answer as Readonly<Record<string, unknown>>
  const parts = partsOf(content, limits)
  if (isError === true) {
    const detail = quoted(parts.filter(isText).join("\n"))
    return Either.left(new GatewayError({ code: "TOOL_FAILED", detail }))
  }
  return Either.right(isObject(structuredContent) ? structuredContent : valueOf(parts))
}

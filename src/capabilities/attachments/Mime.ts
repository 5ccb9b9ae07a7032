/** Media types, as far as attachments go by them. */
import type { AttachmentKind } from "./AttachmentsOperations.js"

/** A type without its parameters, in its one spelling; what is no type is bytes. */
export const bareType = (mimeType: string): string => {
  const bare = mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? ""
  return /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/.test(bare)
    ? bare
    : "application/octet-stream"
}

/** An image in SVG is a document that can hold a program, and no model is shown it as an image. */
export const kindOf = (mimeType: string): typeof AttachmentKind.Type => {
  const bare = bareType(mimeType)
  if (bare.startsWith("image/")) return bare === "image/svg+xml" ? "file" : "image"
  return bare.startsWith("audio/") ? "audio" : "file"
}

const TEXTUAL = new Set([
  "application/json",
  "application/ld+json",
  "application/xml",
  "application/yaml",
  "application/x-yaml",
  "application/toml",
  "application/javascript",
  "application/typescript",
  "application/sql",
  "application/x-sh",
  "application/x-ndjson",
  "application/rtf"
])

export const isTextual = (mimeType: string): boolean => {
  const bare = bareType(mimeType)
  return bare.startsWith("text/") || TEXTUAL.has(bare) || /\+(?:json|xml|yaml)$/.test(bare)
}

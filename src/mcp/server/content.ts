/** What a client is shown of a value: texts, and what MCP has a word for besides. */
import { isObject, own } from "../protocol/ReadMessage.js"

/** A piece of an answer: a text, a picture, a sound, or a link to a resource. */
export type Content = { readonly type: string; readonly [key: string]: unknown }

export const text = (words: string): Content => ({ type: "text", text: words })

const MAGIC: ReadonlyArray<readonly [head: RegExp, mimeType: string]> = [
  [/^iVBORw0KGgo/, "image/png"],
  [/^\/9j\//, "image/jpeg"],
  [/^R0lGOD[dl]h/, "image/gif"],
  [/^UklGR.{7}XRUJQ/, "image/webp"]
]

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Bytes in base64 that begin as a picture does; what was cut is base64 no more. */
const pictureOf = (value: unknown): { readonly data: string; readonly mimeType: string } | undefined => {
  const data = own(value, "content")
  if (own(value, "encoding") !== "base64" || typeof data !== "string") return undefined
  const kind = MAGIC.find(([head]) => head.test(data))
  return kind === undefined || !BASE64.test(data) ? undefined : { data, mimeType: kind[1] }
}

const isText = (value: unknown): value is string => typeof value === "string"

const isResource = (value: unknown): boolean =>
  isObject(value) && isText(own(value, "uri")) && (isText(own(value, "text")) || isText(own(value, "blob")))

const isContent = (value: unknown): value is Content => {
  switch (own(value, "type")) {
    case "text":
      return isText(own(value, "text"))
    case "image":
    case "audio":
      return isText(own(value, "data")) && isText(own(value, "mimeType"))
    case "resource":
      return isResource(own(value, "resource"))
    case "resource_link":
      return isText(own(value, "uri")) && isText(own(value, "name"))
    default:
      return false
  }
}

const ANSWER = new Set(["content", "structuredContent", "isError", "_meta"])

/** A tool may answer as a server of MCP does, and one of a server does: with `{ content: [...] }` and nothing of its own. */
const contentsOf = (value: unknown): ReadonlyArray<Content> | undefined => {
  const contents = own(value, "content")
  return Array.isArray(contents) &&
    contents.length > 0 &&
    contents.every(isContent) &&
    Object.keys(value as object).every((key) => ANSWER.has(key))
    ? contents
    : undefined
}

/** `words` is the value as a text. A tool that says what it answers with means that, however it looks. */
export const contentOf = (value: unknown, words: string, isDeclared: boolean): ReadonlyArray<Content> => {
  const contents = isDeclared ? undefined : contentsOf(value)
  if (contents !== undefined) return contents
  const picture = pictureOf(value)
  if (picture === undefined || !isObject(value)) return [text(words)]
  const { content: _, ...rest } = value
  return [
    text(JSON.stringify({ ...rest, content: "the picture that follows" })),
    { type: "image", ...picture }
  ]
}

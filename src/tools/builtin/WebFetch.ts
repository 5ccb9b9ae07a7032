/**
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import { placeOf } from "../../capabilities/network/Http.js"
import { Network } from "../../capabilities/network/Network.js"
import { NetworkError } from "../../capabilities/network/NetworkOperations.js"
import * as Ask from "../Ask.js"
import * as Tool from "../Tool.js"
import { decoded, markOf } from "./charset.js"
import { exactText, inBase64 } from "./contents.js"
import { described, Encoding, optional } from "./fields.js"
import { htmlText } from "./page/HtmlText.js"

const Answer = Schema.Struct({
  status: Schema.Finite,
  url: Schema.String.annotations({ description: "The address that answered, after redirects" }),
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  title: Schema.optionalWith(Schema.String, { exact: true }),
  content: Schema.Unknown.annotations({ description: "The text, the parsed JSON, or bytes in base64" }),
  encoding: Schema.optionalWith(Encoding, { exact: true }),
  truncated: Schema.optionalWith(Schema.Boolean, { exact: true }),
  note: Schema.optionalWith(Schema.String, { exact: true })
})

type Body = Omit<typeof Answer.Type, "status" | "url" | "headers">

/**
 * @since 0.1.0
 * @category tools
 */
export const webFetch = Tool.make({
  name: "web_fetch",
  description:
    "Sends an HTTP request and answers with status, headers and content. As text, a page is turned into text to read, " +
    "with its links. A status that is not in the two hundreds is an answer, not an error.",
  parameters: Schema.Struct({
    url: described(Schema.String, "The full address, with http:// or https://"),
    method: optional(Schema.String, "GET (the default), HEAD, OPTIONS, POST, PUT, PATCH or DELETE"),
    headers: optional(Schema.Record({ key: Schema.String, value: Schema.String }), "Headers to send"),
    body: optional(Schema.String, "Text to send"),
    as: optional(
      Schema.Literal("text", "json", "raw"),
      "text (the default) to read, json to parse, raw for the body as it is, in base64 where it is not text"
    )
  }),
  success: Answer,
  category: "web",
  outputIsUntrusted: true,
  capabilities: { network: { allowedHosts: ["*"] } },
  asks: ({ method = "GET", url }) => [Ask.request(method, url)],
  execute: ({ as = "text", body, headers, method = "GET", url }) =>
    Effect.gen(function* () {
      const response = yield* Network.request(method, url, {
        ...(headers === undefined ? {} : { headers }),
        ...(body === undefined ? {} : { body })
      })
      return {
        status: response.status,
        url: response.url,
        headers: usefulHeaders(response),
        ...(yield* bodyOf(response, as))
      }
    })
})

const USEFUL = [
  "content-type",
  "content-length",
  "content-language",
  "last-modified",
  "etag",
  "location",
  "retry-after"
]

/** None that carry a session or a token. */
const usefulHeaders = ({ headers }: Network.Response): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => USEFUL.includes(name))
  )

const bodyOf = (
  response: Network.Response,
  as: "text" | "json" | "raw"
): Effect.Effect<Body, NetworkError> => {
  if (as === "raw") return Effect.succeed(rawBody(response.body))
  if (response.body.length === 0) return Effect.succeed({ content: as === "json" ? null : "" })
  return as === "json" ? jsonBody(response) : textBody(response)
}

const rawBody = (bytes: Uint8Array): Body => {
  const text = exactText(bytes)
  if (text !== undefined) return { content: text, encoding: "utf8" }
  const { content, encoding } = inBase64(bytes, false)
  return { content, encoding }
}

const typeOf = ({ headers }: Network.Response): string =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? ""

const jsonBody = (response: Network.Response): Effect.Effect<Body, NetworkError> =>
  Effect.try(() => {
    const { text, ...noted } = decoded(response.body, typeOf(response), false)
    return { content: JSON.parse(text) as unknown, ...noted }
  }).pipe(
    Effect.catchAll(() =>
      response.status >= 200 && response.status < 300
        ? new NetworkError({
            code: "DECODE_FAILED",
            detail: `the answer of ${placeOf(response.url)} is not JSON; ask with as text`
          })
        : Effect.map(textBody(response), (body) => ({
            ...body,
            note: ["the answer is not JSON", ...(body.note === undefined ? [] : [body.note])].join("; ")
          }))
    )
  )

const MEDIA = /^\s*(?:image|audio|video|font)\/(?!svg\+xml)/i
const BYTES = /^\s*application\/(?:octet-stream|pdf|zip|gzip|x-tar|wasm|vnd\.(?!.*(?:json|xml)))/i
const PAGE = /^\s*(?:text\/html|application\/xhtml\+xml)/i

const textBody = (response: Network.Response): Effect.Effect<Body> => {
  const type = typeOf(response)
  if (MEDIA.test(type) || BYTES.test(type) || isBinary(response.body, type)) {
    return Effect.succeed({
      content: "",
      note: `this is not text but ${response.body.length} bytes; ask with as raw for base64`
    })
  }
  const start = new TextDecoder("latin1").decode(response.body.subarray(0, 256)).trimStart()
  const isPage = PAGE.test(type) || (type === "" && /^<(?:!doctype html|html)[\s>]/i.test(start))
  const { text, ...noted } = decoded(response.body, type, isPage)
  if (!isPage) return Effect.succeed({ content: text, ...noted })
  return Effect.map(htmlText(text, response.url), (page) => ({
    ...(page.title === undefined ? {} : { title: page.title }),
    content: page.text,
    ...(page.truncated ? { truncated: true } : {}),
    ...noted
  }))
}

/** Text in two bytes to a character is full of NULs, and says so. */
const isBinary = (bytes: Uint8Array, type: string): boolean =>
  bytes.subarray(0, 4096).includes(0) && !/utf-?16/i.test(type) && markOf(bytes) === undefined

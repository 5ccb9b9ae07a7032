/** The body of a request: bounded, UTF-8, and one message of JSON-RPC. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { codes, type RequestId } from "../protocol/Message.js"
import type { Refusal } from "./gate.js"

/** A request that cannot be taken, as JSON-RPC says it. */
export interface Unreadable extends Refusal {
  readonly code: number
}

const tooLarge = (bytes: number): Unreadable => ({
  status: 413,
  code: codes.invalidRequest,
  message: `a message has at most ${bytes} bytes`
})

/** Who asks whether to send a body is told so only now. */
const goOn = (request: IncomingMessage, response: ServerResponse): void => {
  if (request.headers.expect !== undefined) response.writeContinue()
}

/** Nothing where the client has left. */
export const bytesOf = (
  request: IncomingMessage,
  response: ServerResponse,
  most: number
): Promise<Buffer | Unreadable | undefined> => {
  if (Number(request.headers["content-length"] ?? 0) > most) return Promise.resolve(tooLarge(most))
  goOn(request, response)
  return new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    let total = 0
    const take = (chunk: Buffer): void => {
      total += chunk.length
      if (total <= most) {
        chunks.push(chunk)
        return
      }
      request.off("data", take).pause()
      resolve(tooLarge(most))
    }
    request
      .on("data", take)
      .once("end", () => resolve(Buffer.concat(chunks)))
      .once("error", () => resolve(undefined))
      .once("close", () => resolve(undefined))
  })
}

const decoder = new TextDecoder("utf-8", { fatal: true })

/** What a message is to a transport: something to be answered, or something to be taken. */
export type Taken =
  | { readonly _tag: "Request"; readonly id: RequestId; readonly method: string; readonly message: unknown }
  | {
      readonly _tag: "Other"
      /** The request that it takes back: nobody will answer that. */
      readonly cancels: RequestId | undefined
      readonly message: unknown
    }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const invalid = (message: string): Unreadable => ({ status: 400, code: codes.invalidRequest, message })

const parsed = (bytes: Buffer): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(decoder.decode(bytes)) }
  } catch {
    return undefined
  }
}

const isId = (id: unknown): id is RequestId =>
  typeof id === "string" || (typeof id === "number" && Number.isFinite(id))

const cancelledBy = (method: string, params: unknown): RequestId | undefined =>
  method === "notifications/cancelled" && isObject(params) && isId(params.requestId)
    ? params.requestId
    : undefined

export const messageIn = (bytes: Buffer): Taken | Unreadable => {
  const found = parsed(bytes)
  if (found === undefined) {
    return { status: 400, code: codes.unreadable, message: "the body is not JSON in UTF-8" }
  }
  const message = found.value
  if (Array.isArray(message)) return invalid("send one message; this protocol has no batches")
  if (!isObject(message) || message.jsonrpc !== "2.0") {
    return invalid('a message is an object with "jsonrpc": "2.0"')
  }
  const { id, method, params } = message
  const has = (key: string): boolean => Object.hasOwn(message, key)
  if (typeof method === "string") {
    if (!has("id")) return { _tag: "Other", message, cancels: cancelledBy(method, params) }
    return isId(id) ? { _tag: "Request", id, method, message } : invalid("an id is a text or a number")
  }
  return isId(id) && has("result") !== has("error")
    ? { _tag: "Other", message, cancels: undefined }
    : invalid("a message is a request, a notification or an answer")
}

/** The body of a request: bounded, UTF-8, and one message of JSON-RPC. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { codes, type Notification, type RequestId } from "../protocol/Message.js"
import { isRequestId, own, readMessage } from "../protocol/ReadMessage.js"
import type { Refusal } from "./Callers.js"

/** A request that cannot be taken, as JSON-RPC says it. */
export interface Unreadable extends Refusal {
  readonly code: number
  /** Of the request that it would have been. */
  readonly id?: RequestId | undefined
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

const parsed = (bytes: Buffer): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(decoder.decode(bytes)) }
  } catch {
    return undefined
  }
}

const cancelledBy = ({ method, params }: Notification): RequestId | undefined => {
  const id = method === "notifications/cancelled" ? own(params, "requestId") : undefined
  return isRequestId(id) ? id : undefined
}

/** What a session could not read is refused here: it would answer nobody in particular, and its client would wait. */
export const messageIn = (bytes: Buffer): Taken | Unreadable => {
  const found = parsed(bytes)
  if (found === undefined) {
    return { status: 400, code: codes.unreadable, message: "the body is not JSON in UTF-8" }
  }
  const message = found.value
  const read = readMessage(message)
  switch (read._tag) {
    case "Unreadable":
      return { status: 400, code: codes.invalidRequest, message: read.detail, id: read.id ?? undefined }
    case "Request":
      return { _tag: "Request", id: read.message.id, method: read.message.method, message }
    case "Notification":
      return { _tag: "Other", message, cancels: cancelledBy(read.message) }
    case "Answer":
      return { _tag: "Other", message, cancels: undefined }
  }
}

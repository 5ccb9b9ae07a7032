/** What is sent to a client as the answer to one request of HTTP: a document, or a stream of events that ends with one. */
import type { ServerResponse } from "node:http"
import { codes, type Message, type RequestId } from "../protocol/Message.js"
import type { Refusal } from "./Callers.js"
import { JSON_TYPE, STREAM_TYPE } from "./media.js"

/** Nothing of it is for a cache, and nothing for a page of another origin to read into. */
const common = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

export class Outgoing {
  private unread: number | undefined
  private isStream = false

  constructor(
    readonly response: ServerResponse,
    private readonly bufferedBytes: number
  ) {}

  get isOpen(): boolean {
    return !this.response.writableEnded && !this.response.destroyed
  }

  /** From now on events may be sent. */
  stream(headers: Readonly<Record<string, string>> = {}): void {
    this.isStream = true
    this.response.writeHead(200, { ...common, "content-type": STREAM_TYPE, ...headers })
    this.response.flushHeaders()
  }

  private event(message: Message): void {
    if (!this.isStream) this.stream()
    this.response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
  }

  /** Whether there was room for it: what a client does not read is not kept for it. */
  report(message: Message): boolean {
    if (!this.isOpen || this.response.writableLength > this.bufferedBytes) return false
    this.event(message)
    return true
  }

  answer(message: Message): void {
    if (!this.isOpen) return
    if (this.isStream) {
      this.event(message)
      this.response.end()
    } else this.document(200, message)
  }

  document(status: number, message: object, headers: Readonly<Record<string, string>> = {}): void {
    if (!this.isOpen || this.response.headersSent) return
    const text = JSON.stringify(message)
    this.response
      .writeHead(status, {
        ...common,
        "content-type": JSON_TYPE,
        "content-length": Buffer.byteLength(text),
        ...headers
      })
      .end(text)
  }

  /** As an error of JSON-RPC, whatever its status. */
  refuse({ headers, message, status }: Refusal, code: number = codes.invalidRequest, id?: RequestId): void {
    if (this.isStream) this.end()
    else this.document(status, { jsonrpc: "2.0", id: id ?? null, error: { code, message } }, headers)
  }

  /** Without an answer: nobody waits for one, or there will be none. */
  end(): void {
    if (!this.isOpen) return
    if (!this.response.headersSent) this.stream()
    this.response.end()
  }

  accepted(): void {
    if (this.isOpen) this.response.writeHead(202, { ...common, "content-length": 0 }).end()
  }

  /** Shows that a stream lives: who has left is found out by it. */
  beat(): void {
    if (this.isStream && this.isOpen && this.response.writableLength === 0) this.response.write(":\n\n")
  }

  /** Whether nothing was read of what waits, since this was asked before. */
  get isStalled(): boolean {
    const waits = this.response.writableLength
    const isStalled = waits > 0 && !this.response.writableFinished && waits === this.unread
    this.unread = waits
    return isStalled
  }

  destroy(): void {
    this.response.destroy()
  }
}

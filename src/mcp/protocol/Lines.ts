/**
 * Messages on a pipe: each is one line of JSON in UTF-8. What comes may be cut anywhere, be no JSON, or never end.
 *
 * @since 0.1.0
 */
import { isUtf8 } from "node:buffer"
import type { Message } from "./Message.js"

/**
 * A line of the other side: a value, which may be anything, or why there is none.
 *
 * @since 0.1.0
 * @category models
 */
export type Line =
  | { readonly _tag: "Value"; readonly value: unknown }
  | { readonly _tag: "Garbled"; readonly why: "too long" | "no UTF-8" | "no JSON" }

/**
 * A message as a line.
 *
 * @since 0.1.0
 * @category printing
 */
export const lineOf = (message: Message): string => `${JSON.stringify(message)}\n`

const NEWLINE = 10

/** What comes byte by byte would fill the memory with what holds the bytes. */
const MAX_PIECES = 1024

const garbled = (why: Extract<Line, { _tag: "Garbled" }>["why"]): Line => ({ _tag: "Garbled", why })

const parsed = (bytes: Buffer): Line | undefined => {
  if (!isUtf8(bytes)) return garbled("no UTF-8")
  const text = bytes.toString("utf8")
  if (text.trim() === "") return undefined
  try {
    return { _tag: "Value", value: JSON.parse(text) as unknown }
  } catch {
    return garbled("no JSON")
  }
}

/**
 * Cuts what comes into lines. Of a line that is too long nothing is kept: the rest of it is skipped, and the next line
 * is read as if nothing had happened.
 *
 * @since 0.1.0
 * @category models
 */
export class Lines {
  private held: Array<Buffer> = []
  private bytes = 0
  private skipping = false

  constructor(
    private readonly maxBytes: number,
    private readonly onLine: (line: Line) => void
  ) {}

  push(chunk: Uint8Array | string): void {
    const given =
      typeof chunk === "string"
        ? Buffer.from(chunk, "utf8")
        : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let from = 0
    for (let end = given.indexOf(NEWLINE); end !== -1; end = given.indexOf(NEWLINE, from)) {
      this.keep(given.subarray(from, end))
      this.finish()
      from = end + 1
    }
    if (from < given.length) this.keep(given.subarray(from))
  }

  /** The input has ended: what was not ended by a newline is a line too. */
  end(): void {
    this.finish()
  }

  private keep(part: Buffer): void {
    if (this.skipping) return
    this.bytes += part.length
    if (this.bytes > this.maxBytes) {
      this.skipping = true
      this.held = []
      // At once: the end of the line may never come.
      this.onLine(garbled("too long"))
    } else if (part.length > 0) {
      if (this.held.length === MAX_PIECES) this.held = [Buffer.concat(this.held)]
      this.held.push(part)
    }
  }

  private finish(): void {
    const { held, skipping } = this
    this.held = []
    this.bytes = 0
    this.skipping = false
    if (skipping || held.length === 0) return
    const line = parsed(held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held))
    if (line !== undefined) this.onLine(line)
  }
}

/**
 * Takes secrets out of what is shown. A tool that reads a secret may return it by mistake, in an error, or encoded in a
 * header that a server echoes; whatever leaves a turn goes through its scrubber first.
 *
 * @since 0.1.0
 */
import { changed } from "./deep.js"
import { type Needles, needlesOf } from "./needles.js"
import { type Span, spansIn } from "./spans.js"
import { withoutTokens } from "./tokenShapes.js"

const REDACTED = "[redacted]"
const ASTERISK = 0x2a

/** How many characters one call may be given as arguments. */
const CHUNK = 8192

const latin1 = (bytes: Uint8Array): string => {
  const chunks: Array<string> = []
  for (let start = 0; start < bytes.length; start += CHUNK) {
    chunks.push(String.fromCharCode(...bytes.subarray(start, start + CHUNK)))
  }
  return chunks.join("")
}

/**
 * Knows the values that were revealed, and finds them as they are and in base64, hexadecimal, and the escapes of URLs,
 * forms, JSON and HTML. It takes time that is linear in the text, and none as long as it knows nothing.
 *
 * @since 0.1.0
 * @category models
 */
export class Scrubber {
  private readonly values = new Set<string>()
  private readonly needles: { [K in keyof Needles]: Array<Needles[K][number]> } = {
    plain: [],
    spaced: [],
    base64: [],
    hex: []
  }

  /** What is shorter holds none of the values: every encoding is at least as long as the value. */
  private shortest = Number.POSITIVE_INFINITY

  /** Whether there is nothing to take out. */
  get isEmpty(): boolean {
    return this.needles.plain.length === 0
  }

  /** Remembers a value. One of fewer than four characters is not taken out: it is in every other text. */
  add(value: string): void {
    if (this.values.has(value)) return
    this.values.add(value)
    const { base64, hex, plain, spaced } = needlesOf(value)
    this.shortest = Math.min(this.shortest, ...plain.map(({ text }) => text.length))
    this.needles.plain.push(...plain)
    this.needles.spaced.push(...spaced)
    this.needles.base64.push(...base64)
    this.needles.hex.push(...hex)
  }

  /** A text without the values. */
  text(text: string): string {
    const spans = this.spans(text)
    if (spans.length === 0) return text
    const out: Array<string> = []
    let last = 0
    for (const [start, end] of spans) {
      out.push(text.slice(last, start), REDACTED)
      last = end
    }
    out.push(text.slice(last))
    return out.join("")
  }

  /** Bytes with asterisks in place of the values, so that what follows stays where it was. */
  bytes(bytes: Uint8Array): Uint8Array {
    const spans = this.isEmpty ? [] : this.spans(latin1(bytes))
    if (spans.length === 0) return bytes
    const copy = Uint8Array.from(bytes)
    for (const [start, end] of spans) copy.fill(ASTERISK, start, end)
    return copy
  }

  /**
   * A value without the values, however deep they are, in keys as well. What holds none of them is the same object as
   * before.
   */
  value<A>(value: A): A {
    if (this.isEmpty) return value
    return changed(value, { text: (text) => this.text(text), bytes: (bytes) => this.bytes(bytes) })
  }

  private spans(text: string): ReadonlyArray<Span> {
    return text.length < this.shortest ? [] : spansIn(text, this.needles)
  }

  /**
   * A text without what looks like a well-known token, whether its value is known or not: for logs and events, which a
   * guess cannot harm. A result is not guessed at.
   */
  static patterns(text: string): string {
    return withoutTokens(text)
  }
}

/**
 * Takes secrets out of what is shown. A tool that reads a secret may return it by mistake, in an error, or encoded in a
 * header that a server echoes; whatever leaves a turn goes through its scrubber first.
 *
 * @since 0.1.0
 */
import { Cause } from "effect"
import type { Scrubbing } from "../../capabilities/secrets/Sealing.js"
import { prettyCause } from "../../policy/text/PrettyCause.js"
import { changed } from "./deep.js"
import { latin1, masked } from "./latin1.js"
import { Sieve } from "./Sieve.js"
import { merged, type Span } from "./spans.js"
import { hasText } from "./texts.js"
import { guesses, tokensIn } from "./tokenShapes.js"
import { Values } from "./values.js"

const REDACTED = "[redacted]"
/** A value that is shorter is found where one text ends and the next begins, although neither holds it. */
const SHORTEST_CROSSING = 8

/** What is shorter is no token. */
const SHORTEST_TOKEN = 15

const without = (text: string, spans: ReadonlyArray<Span>): string => {
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

/**
 * Knows the values that were revealed, and finds them as they are and in base64, hexadecimal, and the escapes of URLs,
 * forms, JSON and HTML, with line breaks and invisible characters in them or without. It may also look for well-known
 * tokens that nobody revealed. It takes time that is linear in the text.
 *
 * @since 0.1.0
 * @category models
 */
export class Scrubber implements Scrubbing {
  /** @internal */
  constructor(
    private readonly tokens = false,
    private readonly known = new Values()
  ) {}

  /** The same values and those that it is given itself, and a look for tokens or none. */
  forTurn(tokens: boolean): Scrubber {
    return new Scrubber(tokens, new Values(this.known))
  }

  /** The same values, and these. */
  with(further: ReadonlyArray<string>): Scrubber {
    const made = this.forTurn(false)
    for (const value of further) made.add(value)
    return made
  }

  /** For bytes that come one after the other. */
  sieve(byLine: boolean): Sieve {
    return new Sieve(this.known, byLine)
  }

  /** Whether there is nothing to take out. */
  get isEmpty(): boolean {
    return !this.tokens && this.known.isEmpty
  }

  /** Remembers a value. One of fewer than four characters is not taken out: it is in every other text. */
  add(value: string): void {
    this.known.add(value)
  }

  /** A text without the values. */
  text(text: string): string {
    return without(text, this.spans(text))
  }

  /**
   * What comes after another text, without the values: also those that began there, and what may be the beginning of one
   * that goes on in the next. `before` is what came, as it was.
   */
  following(before: string, text: string): string {
    const all = before + text
    const begun = this.known.begunIn(all)
    const found = this.spans(all).filter(
      ([start, end]) => start >= before.length || end - start >= SHORTEST_CROSSING
    )
    const here = [...found, ...(begun < all.length ? [[begun, all.length] as const] : [])].flatMap(
      ([start, end]): ReadonlyArray<Span> =>
        end > before.length ? [[Math.max(0, start - before.length), end - before.length]] : []
    )
    return without(text, merged(here))
  }

  /** Bytes with asterisks in place of the values, so that what follows stays where it was. */
  bytes(bytes: Uint8Array): Uint8Array {
    const spans = this.isEmpty ? [] : this.spans(latin1(bytes))
    if (spans.length === 0) return bytes
    return masked(bytes, spans)
  }

  /**
   * A value without the values, however deep they are, in keys as well. What holds none of them is the same object as
   * before.
   */
  value<A>(value: A): A {
    // Numbers and the like hold no text.
    if (value === null || (typeof value !== "object" && typeof value !== "string") || this.isEmpty)
      return value
    const change = {
      text: (text: string) => this.text(text),
      bytes: (bytes: Uint8Array) => this.bytes(bytes)
    }
    return hasText(value, change) ? changed(value, change) : value
  }

  /** A cause as it may be shown: in words, unless there is nothing to take out of it. */
  cause(cause: Cause.Cause<unknown>): Cause.Cause<unknown> {
    if (this.isEmpty || Cause.isEmpty(cause)) return cause
    const pretty = prettyCause(cause)
    const shown = this.text(pretty)
    return this.known.isEmpty && shown === pretty ? cause : Cause.fail(shown)
  }

  private spans(text: string): ReadonlyArray<Span> {
    const values = this.known.spansIn(text)
    const tokens = this.tokens && text.length >= SHORTEST_TOKEN ? tokensIn(text) : []
    return values.length + tokens.length === 0 ? values : merged([...values, ...tokens])
  }

  /**
   * A text without the values, and without what is a well-known token or might be one: for logs and events, which a guess
   * cannot harm. A result is not guessed at.
   */
  guarded(text: string): string {
    const values = this.known.spansIn(text)
    const spans = merged([...values, ...tokensIn(text)])
    return guesses.reduce(
      (left, [pattern, replacement]) => left.replace(pattern, replacement),
      without(text, spans)
    )
  }
}

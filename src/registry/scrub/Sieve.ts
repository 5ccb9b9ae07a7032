/**
 * Takes secrets out of bytes that come one after the other. What may be the beginning of one is held back until it is known
 * how it goes on; all else is handed on at once.
 *
 * @since 0.1.0
 */
import type { Sieve as Sifting } from "../../capabilities/secrets/Sealing.js"
import { latin1, masked } from "./latin1.js"
import type { Values } from "./values.js"

const NOTHING = new Uint8Array(0)

/**
 * @since 0.1.0
 * @category models
 */
export class Sieve implements Sifting {
  readonly #known: Values
  readonly #byLine: boolean
  #held: Uint8Array = NOTHING

  constructor(known: Values, byLine: boolean) {
    this.#known = known
    this.#byLine = byLine
  }

  push(bytes: Uint8Array): Uint8Array {
    if (bytes.length === 0 || (this.#known.isEmpty && this.#held.length === 0)) return bytes
    const all = new Uint8Array(this.#held.length + bytes.length)
    all.set(this.#held)
    all.set(bytes, this.#held.length)
    const text = latin1(all)
    const spans = this.#known.spansIn(text)
    const begun = this.#known.heldBackIn(text, this.#byLine)
    // A value that is there in full, and may go on, is held back in full: half of it would not be found again.
    const from = spans.reduce(
      (least, [start, end]) => (start < least && (end > least || end === text.length) ? start : least),
      begun
    )
    this.#held = all.slice(from)
    return masked(
      all.subarray(0, from),
      spans.filter(([start]) => start < from)
    )
  }

  end(): Uint8Array {
    const rest = this.#held
    this.#held = NOTHING
    return rest.length === 0 ? rest : masked(rest, this.#known.spansIn(latin1(rest)))
  }
}

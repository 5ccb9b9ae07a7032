/** The values that were revealed, and where they stand in a text. */
import { begunIn } from "./begun.js"
import { type Needles, needlesOf } from "./needles.js"
import { type Span, spansIn } from "./spans.js"

/** What a text ends with is taken for the beginning of a value if it is as long as this. */
const SHORTEST_START = 4

/** How much of a value is sought at the end of a text. */
const LONGEST_START = 4096

/** So many characters one character of a value becomes, with every escape that is undone, and so many that are not seen. */
const WIDEST = 24
const SLACK = 256

export class Values {
  /** `shared` are sought as well; what is added is added here alone. */
  constructor(private readonly shared?: Values) {}

  private readonly values = new Set<string>()
  private readonly needles: { [K in keyof Needles]: Array<Needles[K][number]> } = {
    plain: [],
    joined: [],
    spaced: [],
    base64: [],
    hex: []
  }

  /** What is shorter holds none of the values: every encoding is at least as long as the value. */
  private shortest = Number.POSITIVE_INFINITY

  private longest = 0

  get isEmpty(): boolean {
    return this.needles.plain.length === 0 && this.shared?.isEmpty !== false
  }

  add(value: string): void {
    if (this.values.has(value)) return
    this.values.add(value)
    const { base64, hex, joined, plain, spaced } = needlesOf(value)
    this.shortest = Math.min(this.shortest, ...[...plain, ...joined].map(({ text }) => text.length))
    this.longest = Math.max(this.longest, ...[...plain, ...joined].map(({ text }) => text.length))
    this.needles.plain.push(...plain)
    this.needles.joined.push(...joined)
    this.needles.spaced.push(...spaced)
    this.needles.base64.push(...base64)
    this.needles.hex.push(...hex)
  }

  spansIn(text: string): ReadonlyArray<Span> {
    const own = text.length < this.shortest ? [] : spansIn(text, this.needles)
    const shared = this.shared?.spansIn(text) ?? []
    return own.length === 0 ? shared : [...own, ...shared]
  }

  /**
   * The first character of a text that may belong to the beginning of a value in any form; its length, where none may. What
   * is longer than any form of a value is none.
   */
  heldBackIn(text: string, byLine: boolean): number {
    const shared = this.shared?.heldBackIn(text, byLine) ?? text.length
    if (this.longest === 0) return shared
    const skipped = Math.max(0, text.length - this.longest * WIDEST - SLACK)
    return Math.min(shared, skipped + begunIn(text.slice(skipped), this.needles, byLine))
  }

  /** Where a text ends with the beginning of a value; its length, where it does not. */
  begunIn(text: string): number {
    let begun = this.shared?.begunIn(text) ?? text.length
    for (const { text: value } of this.needles.plain) {
      const start = value.slice(0, SHORTEST_START)
      const first = Math.max(0, text.length - Math.min(value.length - 1, LONGEST_START))
      for (let at = text.indexOf(start, first); at !== -1 && at < begun; at = text.indexOf(start, at + 1)) {
        if (value.startsWith(text.slice(at))) begun = at
      }
    }
    return begun
  }
}

/** Text as it is put together from markup: blanks collapsed, blocks apart, and no more of it than fits. */
export class PageWriter {
  readonly #parts: Array<string> = []
  readonly #limit: number
  #length = 0
  /** Line ends that come before the next words, if any come. */
  #gap = 0
  #blank = false
  /** A bullet or the like, which waits for words of its own. */
  #lead = ""
  #isBegun = false
  #isFull = false

  constructor(limit: number) {
    this.#limit = limit
  }

  get length(): number {
    return this.#length
  }

  get isFull(): boolean {
    return this.#isFull
  }

  toString(): string {
    return this.#parts.join("").trimEnd()
  }

  /** The next words start a line, or come after an empty one. What has begun and waits for its words is not left alone. */
  apart(lines: 1 | 2): void {
    if (!this.#isBegun) this.#gap = Math.max(this.#gap, lines)
  }

  /** The next words start a line with this before them. */
  begin(lines: 1 | 2, lead: string): void {
    this.end(lines)
    this.#lead = lead
    this.#isBegun = true
  }

  /** What was begun is over, even if no words came. */
  end(lines: 1 | 2): void {
    this.#lead = ""
    this.#isBegun = false
    this.apart(lines)
  }

  /** The next words stay on this line, after this. */
  beside(separator: string): void {
    this.#gap = 0
    this.#lead += separator
  }

  /** Words of running text, where any blanks are one. */
  words(text: string): void {
    const trimmed = text.replace(BLANKS, " ")
    if (trimmed.startsWith(" ")) this.#blank = true
    const core = trimmed.replace(/^ | $/g, "")
    if (core === "") return
    this.#put(core)
    this.#blank = trimmed.endsWith(" ")
  }

  /** Text in which blanks and line ends stand as they are. */
  verbatim(text: string): void {
    if (text === "") return
    this.#blank = false
    this.#put(text)
  }

  #put(text: string): void {
    if (this.#isFull) return
    const startsLine = this.#gap > 0 || this.#length === 0
    const gap = this.#length === 0 ? "" : "\n".repeat(this.#gap)
    const before = this.#lead !== "" ? this.#lead : this.#blank && !startsLine ? " " : ""
    this.#gap = 0
    this.#lead = ""
    this.#isBegun = false
    this.#blank = false
    const whole = `${gap}${before}${text}`
    const room = this.#limit - this.#length
    if (whole.length > room) this.#isFull = true
    const kept = whole.length > room ? whole.slice(0, room).replace(/[\uD800-\uDBFF]$/, "") : whole
    this.#parts.push(kept)
    this.#length += kept.length
  }
}

const BLANKS = /[\t\n\f\r \u00A0]+/g

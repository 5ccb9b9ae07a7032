/** Messages over a pipe, one in a line. A line that is too long is dropped, however long it goes on. */

export interface Heard {
  readonly line: (text: string) => void
  /** A line was longer than it may be. */
  readonly tooLong: () => void
}

const NEWLINE = 10

export class Lines {
  #parts: Array<Uint8Array> = []
  #length = 0
  #isDropping = false

  constructor(
    private readonly longest: number,
    private readonly heard: Heard
  ) {}

  add(bytes: Uint8Array): void {
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      this.#keep(bytes.subarray(start, end))
      this.#end()
      start = end + 1
    }
    if (start < bytes.length) this.#keep(bytes.subarray(start))
  }

  #keep(part: Uint8Array): void {
    if (this.#isDropping) return
    this.#length += part.length
    if (this.#length <= this.longest) {
      this.#parts.push(part)
      return
    }
    this.#isDropping = true
    this.#parts = []
    this.heard.tooLong()
  }

  #end(): void {
    const [parts, isDropped] = [this.#parts, this.#isDropping]
    this.#parts = []
    this.#length = 0
    this.#isDropping = false
    if (isDropped || parts.length === 0) return
    const text = Buffer.concat(parts).toString("utf8")
    if (text.trim() !== "") this.heard.line(text)
  }
}

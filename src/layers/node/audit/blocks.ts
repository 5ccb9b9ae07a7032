/** Where in a file which times are: the latest of each part of it. Entries of one part may be older than the one before. */

export interface Block {
  /** Where it begins, and how many lines come before. */
  readonly offset: number
  readonly lines: number
  /** The latest entry in it, in ISO 8601; empty where there is none. */
  readonly latest: string
}

/** How much is read for nothing at most. */
const SIZE = 256 * 1024

const START = { offset: 0, lines: 0 }

export class Blocks {
  readonly #blocks: Array<Block>
  #end: number
  #lines: number

  constructor(blocks: ReadonlyArray<Block> = [], end = 0, lines = 0) {
    this.#blocks = [...blocks]
    this.#end = end
    this.#lines = lines
  }

  get all(): ReadonlyArray<Block> {
    return this.#blocks
  }

  /** Up to where the file is known, */
  get end(): number {
    return this.#end
  }

  /** in so many lines. */
  get lines(): number {
    return this.#lines
  }

  /** Whether it is worth to be kept: for what is shorter, the file itself is looked at as fast. */
  isLargerThan(end: number): boolean {
    return this.#end - end >= SIZE
  }

  /** The next line; those that are known already are passed over. */
  add(offset: number, end: number, time: string | undefined): void {
    if (offset !== this.#end) return
    const last = this.#blocks.at(-1)
    if (last === undefined || offset - last.offset >= SIZE) {
      this.#blocks.push({ offset, lines: this.#lines, latest: time ?? "" })
    } else if (time !== undefined && time > last.latest) {
      this.#blocks[this.#blocks.length - 1] = { ...last, latest: time }
    }
    this.#end = end
    this.#lines++
  }

  /** From where on the file has to be read for all entries since a moment, in ISO 8601. */
  from(since: string): Pick<Block, "offset" | "lines"> {
    const first = this.#blocks.find(({ latest }) => latest >= since)
    return first ?? (this.#end === 0 ? START : { offset: this.#end, lines: this.#lines })
  }
}

/** How much one operation may touch. All of it can be set; nothing is without bound. */

export interface Limits {
  /** Bytes that one read answers with. */
  readonly readBytes: number
  /** Bytes that one write takes. */
  readonly writeBytes: number
  /** Entries that one listing, removal or search meets. */
  readonly entries: number
  /** Directories below one another that a removal or a search enters. */
  readonly depth: number
  /** Bytes that a search reads in all. */
  readonly searchBytes: number
  /** A larger file is not searched. */
  readonly searchFileBytes: number
  /** Matches that a search answers with, whatever is asked for. */
  readonly matches: number
  /** Characters of a line that a search looks at. */
  readonly lineCharacters: number
  /** Characters of a line that a search answers with. */
  readonly shownCharacters: number
}

const MiB = 1024 * 1024

const defaults: Limits = {
  readBytes: 64 * MiB,
  writeBytes: 64 * MiB,
  entries: 100_000,
  depth: 64,
  searchBytes: 512 * MiB,
  searchFileBytes: 8 * MiB,
  matches: 10_000,
  lineCharacters: 4096,
  shownCharacters: 500
}

/** What is not a whole number from 1 would lift a limit, so it is no limit at all. */
export const limits = (given: Partial<Limits> = {}): Limits => {
  const all: Limits = { ...defaults, ...given }
  for (const [name, value] of Object.entries(all)) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new RangeError(`the limit '${name}' is not a whole number from 1 on`)
    }
  }
  return all
}

/** What is left out of a file, counted. */

export interface Remark {
  /**
   * `torn`: the beginning of an entry, whose writer ended while it wrote. `foreign`: no entry at all. `version`: an entry
   * of another version. `long`: a line that is longer than any entry.
   */
  readonly kind: "torn" | "foreign" | "version" | "long"
  readonly file: string
  /** The first of them; not a number where lines before it were passed over. */
  readonly line: number
  readonly count: number
}

const WORDS: Readonly<Record<Remark["kind"], readonly [one: string, many: string]>> = {
  torn: ["a line was cut off while it was written", "lines were cut off while they were written"],
  foreign: ["a line is no entry of an audit log", "lines are no entries of an audit log"],
  version: ["an entry is of another version", "entries are of another version"],
  long: ["a line is longer than any entry", "lines are longer than any entry"]
}

/** In one sentence. */
export const sentenceOf = ({ count, file, kind, line }: Remark): string => {
  const [one, many] = WORDS[kind]
  const at = Number.isNaN(line) ? file : `${file}:${line}`
  return count === 1
    ? `${at}: ${one}, and is left out`
    : `${at}: ${count} ${many}, and are left out; this is the first`
}

/** Counts what one file holds besides entries. */
export class Remarks {
  readonly #found = new Map<Remark["kind"], { line: number; count: number }>()

  add(kind: Remark["kind"], line: number): void {
    const found = this.#found.get(kind)
    if (found === undefined) this.#found.set(kind, { line, count: 1 })
    else found.count++
  }

  /** What was counted since this was asked last. */
  taken(file: string): ReadonlyArray<Remark> {
    const found = [...this.#found].map(([kind, counted]) => ({ kind, file, ...counted }))
    this.#found.clear()
    return found
  }
}

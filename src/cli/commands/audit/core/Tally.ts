/** Which names come up most, in bounded room however many names there are. */

export interface Counted {
  readonly name: string
  readonly asked: number
  readonly refused: number
}

interface Count {
  asked: number
  refused: number
}

/** Beyond this, the names that came up least are forgotten. */
const KEPT = 10_000

/** What is longer is told apart by its beginning alone. */
const LONGEST = 512

const byCount = (
  [a, { asked: first }]: readonly [string, Count],
  [b, { asked: second }]: readonly [string, Count]
): number => second - first || (a < b ? -1 : 1)

export class Tally {
  private counts = new Map<string, Count>()
  /** Whether no name was forgotten; otherwise each came up at least as often as it says. */
  isExact = true

  add(name: string, allowed: boolean): void {
    const key = name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name
    const count = this.counts.get(key)
    if (count === undefined) this.counts.set(key, { asked: 1, refused: allowed ? 0 : 1 })
    else {
      count.asked += 1
      if (!allowed) count.refused += 1
    }
    if (this.counts.size > 2 * KEPT) this.forget()
  }

  private forget(): void {
    this.isExact = false
    this.counts = new Map([...this.counts].sort(byCount).slice(0, KEPT))
  }

  /** How many names there are, or are kept. */
  get size(): number {
    return this.counts.size
  }

  /** The most frequent first; of two that are as frequent, by name. */
  top(most: number): ReadonlyArray<Counted> {
    return [...this.counts]
      .sort(byCount)
      .slice(0, most)
      .map(([name, count]) => ({ name, ...count }))
  }
}

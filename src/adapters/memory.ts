/** What was seen lately, by its key: bounded in number and in age, the oldest going first. */
export class Memory<A> {
  readonly #entries = new Map<string, { readonly value: A; readonly until: number }>()

  constructor(
    private readonly millis: number,
    private readonly capacity: number
  ) {}

  get(key: string, now: number): A | undefined {
    const found = this.#entries.get(key)
    return found === undefined || found.until < now ? undefined : found.value
  }

  set(key: string, value: A, now: number): void {
    for (const [oldest, { until }] of this.#entries) {
      if (until >= now && this.#entries.size < this.capacity) break
      this.#entries.delete(oldest)
    }
    this.#entries.set(key, { value, until: now + this.millis })
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}

/** Turns, so many at a time for each key; who waits longest is next. */
export class RequestSlots {
  readonly #inFlight: number
  readonly #waiting: number
  readonly #keys = new Map<string, { held: number; readonly queue: Set<() => void> }>()

  constructor({ inFlight, waiting }: { readonly inFlight: number; readonly waiting: number }) {
    this.#inFlight = inFlight
    this.#waiting = waiting
  }

  /** `taken` at once, `full` where too many wait already, else how to stop waiting; `granted` is called in time. */
  take(key: string, granted: () => void): "taken" | "full" | (() => void) {
    const at = this.#keys.get(key)
    if (at === undefined) {
      this.#keys.set(key, { held: 1, queue: new Set() })
      return "taken"
    }
    if (at.held < this.#inFlight) {
      at.held++
      return "taken"
    }
    if (at.queue.size >= this.#waiting) return "full"
    at.queue.add(granted)
    return () => at.queue.delete(granted)
  }

  release(key: string): void {
    const at = this.#keys.get(key)
    if (at === undefined) return
    const [next] = at.queue
    if (next !== undefined) {
      at.queue.delete(next)
      next()
    } else if (--at.held === 0) this.#keys.delete(key)
  }
}

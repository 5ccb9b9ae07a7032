/**
 * What a source of secrets has given out, whoever asked it. So a value is kept out of what is shown even where it was not a
 * tool's own service that asked.
 */

export class Revealed {
  readonly #values = new Set<string>()
  readonly #listeners = new Set<(value: string) => void>()

  add(value: string): void {
    if (this.#values.has(value)) return
    this.#values.add(value)
    for (const listener of this.#listeners) listener(value)
  }

  /** Hears of what was given out before, and of what will be. */
  listen(listener: (value: string) => void): void {
    this.#listeners.add(listener)
    for (const value of this.#values) listener(value)
  }
}

const known = new WeakMap<object, Revealed>()

/** Of a backend. */
export const of = (backend: object): Revealed => {
  const found = known.get(backend) ?? new Revealed()
  known.set(backend, found)
  return found
}

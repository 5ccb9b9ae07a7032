/** What one child may take of the network, and what is said when it has taken it. */

export interface Caps {
  /** Connections that are open at once. */
  readonly connections: number
  /** Bytes both ways, in all. */
  readonly bytes: number
  /** Different things that are refused. */
  readonly refusals: number
}

export class Budget {
  readonly #caps: Caps
  readonly #note: (text: string) => void
  readonly #onSpent: () => void
  #open = 0
  #jobs = 0
  #left: number

  constructor(caps: Caps, note: (text: string) => void, onSpent: () => void) {
    this.#caps = caps
    this.#left = caps.bytes
    this.#note = note
    this.#onSpent = onSpent
  }

  /** Takes a place for a connection, if there is one. */
  enter(): boolean {
    if (Math.max(this.#open, this.#jobs) >= this.#caps.connections) {
      this.#note(
        `a connection of the command was refused, because ${this.#caps.connections} were open; open fewer at once, or have the operator raise connections of sandbox.limits`
      )
      return false
    }
    this.#open++
    return true
  }

  /** How many more connections there may be. */
  get free(): number {
    return this.#caps.connections - this.#open
  }

  leave(): void {
    this.#open--
  }

  /** Who leaves while a name is looked up for it, or a server called, makes no room for another before that is over. */
  begin(): void {
    this.#jobs++
  }

  end(): void {
    this.#jobs--
  }

  /** Whether so many bytes may still pass. When they may not, nothing does any more. */
  spend(bytes: number): boolean {
    if (this.isSpent) return false
    this.#left -= bytes
    if (this.#left >= 0) return true
    this.#note(
      `the connections of the command were closed after ${this.#caps.bytes} bytes; ask for less, or have the operator raise network_bytes of sandbox.limits`
    )
    this.#onSpent()
    return false
  }

  /** Nothing passes any more, for whatever reason. */
  exhaust(): void {
    this.#left = -1
    this.#onSpent()
  }

  get isSpent(): boolean {
    return this.#left < 0
  }
}

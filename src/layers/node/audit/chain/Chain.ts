/** The chain of one writer, as it grows. */
import { type KeyObject, randomBytes } from "node:crypto"
import { macOf, NOTHING } from "./Digest.js"
import { beginning, ending, type Said } from "./Link.js"

const NAME_BYTES = 9

/** Lines with their links, each with its newline, and what makes them part of the chain once they are written. */
export interface Chained {
  readonly lines: string
  readonly keep: () => void
}

export class Chain {
  #by = ""
  #n = 0
  #mac = NOTHING

  constructor(private readonly key: KeyObject) {
    this.renew()
  }

  get by(): string {
    return this.#by
  }

  /** The digest that the next line stands on, where there is one. */
  get last(): string | undefined {
    return this.#n === 0 ? undefined : this.#mac
  }

  /** Begins anew under another name: nobody knows how much of the last lines was written. */
  renew(): void {
    this.#by = randomBytes(NAME_BYTES).toString("base64url")
    this.#n = 0
    this.#mac = NOTHING
  }

  /** Objects of entries, linked; what there is to say stands in the first. */
  linked(objects: ReadonlyArray<string>, said: Said): Chained {
    let mac = this.#mac
    let lines = ""
    for (const [index, object] of objects.entries()) {
      const place = { by: this.#by, n: this.#n + index }
      const signed = `${object.slice(0, -1)}${beginning(place, index === 0 ? said : {})}`
      mac = macOf(this.key, mac, signed)
      lines += `${signed}${ending(mac)}\n`
    }
    return {
      lines,
      keep: () => {
        this.#n += objects.length
        this.#mac = mac
      }
    }
  }
}

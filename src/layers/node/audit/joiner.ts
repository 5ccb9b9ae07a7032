/** Text as bytes. Most batches fit into one buffer, which is used again and again. */

const ROOM = 256 * 1024

/** UTF-8 takes no more for a unit of UTF-16. */
const BYTES_A_UNIT = 3

export class Joiner {
  #room: Buffer | undefined

  /** To be used before the next call: what is returned is written over then. */
  joined(text: string): Buffer {
    if (text.length * BYTES_A_UNIT > ROOM) return Buffer.from(text)
    this.#room ??= Buffer.allocUnsafeSlow(ROOM)
    return this.#room.subarray(0, this.#room.write(text))
  }
}

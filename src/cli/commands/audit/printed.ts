/** Text that is printed in pieces of some size, so that a large answer is never in memory whole. */
import type { Surroundings } from "../../Surroundings.js"

const PIECE = 64 * 1024

export class Printed {
  private text = ""

  constructor(private readonly print: Surroundings["print"]) {}

  add(text: string): void {
    this.text += text
  }

  /** Settles at once as long as there is little. */
  async some(): Promise<void> {
    if (this.text.length >= PIECE) await this.rest()
  }

  async rest(): Promise<void> {
    const { text } = this
    this.text = ""
    if (text !== "") await this.print(text)
  }
}

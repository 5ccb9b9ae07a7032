/** A terminal for tests: types what it is told to, keeps what it is shown, and knows whether it was given back. */
import type { Tty, Typed } from "../../src/cli/prompt/Tty.js"

export class FakeTty implements Tty {
  shown = ""
  /** How many keyboards are taken at the moment. */
  taken = 0
  /** How often one was. */
  opened = 0
  readonly columns: number
  readonly rows: number
  private readonly typed: Array<Typed>

  constructor(typed: ReadonlyArray<string | Typed>, size: { columns?: number; rows?: number } = {}) {
    this.typed = typed.map((one) =>
      one === "resized" || one === "late" || one === "ended" || typeof one !== "string" ? one : { text: one }
    )
    this.columns = size.columns ?? 80
    this.rows = size.rows ?? 24
  }

  readonly size = () => ({ columns: this.columns, rows: this.rows })

  readonly write = (text: string) => {
    this.shown += text
  }

  readonly open = () => {
    this.taken++
    this.opened++
    let closed = false
    return {
      // What nobody types is the end: a question too many is seen, and never waits.
      read: async (patience?: number): Promise<Typed> =>
        patience !== undefined && this.typed[0] === undefined ? "late" : (this.typed.shift() ?? "ended"),
      // Each of its texts is typed when it is waited for, and none before.
      forget: async () => {},
      close: () => {
        if (!closed) this.taken--
        closed = true
      }
    }
  }
}

/** What is left to read when colours and moves of the cursor are taken away. */
export const plain = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken away
  text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "")

export const keys = {
  up: "\u001b[A",
  down: "\u001b[B",
  home: "\u001b[H",
  end: "\u001b[F",
  enter: "\r",
  escape: "\u001b",
  interrupt: "\u0003",
  endOfInput: "\u0004",
  backspace: "\u007f"
}

/** A terminal with somebody in front of it. What is asked there goes through this, so that a test can answer. */

export interface Tty {
  readonly size: () => { readonly columns: number; readonly rows: number }
  readonly write: (text: string) => void
  /** Takes the keyboard, key by key, until it is given back. */
  readonly open: () => Keyboard
}

/** What came from a keyboard: text, that the terminal has another size, that nothing came in time, or the end. */
export type Typed = { readonly text: string } | "resized" | "late" | "ended"

export interface Keyboard {
  /** What was typed since the last time. With a patience, in milliseconds, it does not wait longer. */
  readonly read: (patience?: number) => Promise<Typed>
  /** Drops what was typed until now, be it still on its way from the terminal. */
  readonly forget: () => Promise<void>
  /** May be called twice. */
  readonly close: () => void
}

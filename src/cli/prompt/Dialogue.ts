/** A talk with somebody at a terminal: the keyboard is taken for as long as it lasts, and given back however it ends. */

import { type Terminal, terminal as terminalOf } from "../report/Terminal.js"
import type { Surroundings } from "../Surroundings.js"
import { type Key, keysOf } from "./Key.js"
import type { Tty } from "./Tty.js"

/** Why there is no answer: the user went back, stopped the program, or is gone. */
export type Unanswered = "escaped" | "interrupted" | "ended"

/** Thrown through a dialogue, and caught by whoever started it. */
export class Abandoned extends Error {
  constructor(readonly why: Unanswered) {
    super(`no answer: ${why}`)
  }
}

export interface Dialogue {
  readonly tty: Tty
  readonly terminal: Terminal
  readonly key: () => Promise<Key>
  /** To be waited for before a question is shown: keys that were typed earlier were not typed for it. */
  readonly forget: () => Promise<void>
  readonly say: (text: string) => void
}

/** A signal ends the talk at once: nobody should have to press a key so that a program stops. */
const stopped = (signal: AbortSignal): { readonly promise: Promise<never>; readonly done: () => void } => {
  let done = () => {}
  const promise = new Promise<never>((_, reject) => {
    const stop = () => reject(new Abandoned("interrupted"))
    if (signal.aborted) return stop()
    signal.addEventListener("abort", stop, { once: true })
    done = () => signal.removeEventListener("abort", stop)
  })
  promise.catch(() => {})
  return { promise, done }
}

export const dialogue = async <A>(
  { env, signal }: Pick<Surroundings, "env" | "signal">,
  tty: Tty,
  talk: (dialogue: Dialogue) => Promise<A>
): Promise<A | { readonly unanswered: Unanswered }> => {
  const keyboard = tty.open()
  const stop = stopped(signal)
  const { forget, next } = keysOf(keyboard)
  const terminal = terminalOf({ isTTY: true, columns: tty.size().columns, env })
  try {
    return await Promise.race([talk({ tty, terminal, key: next, forget, say: tty.write }), stop.promise])
  } catch (error) {
    if (!(error instanceof Abandoned)) throw error
    if (signal.aborted) tty.write("\r\n")
    return { unanswered: error.why }
  } finally {
    stop.done()
    keyboard.close()
  }
}

/** What a command opened for as long as it runs, and what is done when it ends, however it ends. */
import type { Surroundings } from "./Surroundings.js"

const open = new WeakMap<Surroundings, ReadonlyArray<() => Promise<void>>>()

export const whenItEnds = (around: Surroundings, close: () => Promise<void>): void => {
  open.set(around, [close, ...(open.get(around) ?? [])])
}

/** The last that was opened is closed first. */
export const ended = async (around: Surroundings): Promise<void> => {
  const all = open.get(around) ?? []
  open.delete(around)
  for (const close of all) await close()
}

/**
 * Runs code of a tool outside of every fiber. Effect tells whoever asks which fiber runs at the moment, and through that
 * fiber the Context of the program that called the tool could be reached.
 */
import type { Fiber } from "effect"

const CURRENT = "effect/FiberCurrent"

// Effect keeps it there. A plain look-up: this is on the way of every call.
const host = globalThis as { [CURRENT]?: unknown }

export const outside = <A>(run: () => A): A => {
  const fiber = host[CURRENT]
  if (fiber === undefined) return run()
  host[CURRENT] = undefined
  try {
    return run()
  } finally {
    host[CURRENT] = fiber
  }
}

/** The fiber that runs whoever asks: for what an Effect does while it is run, and for nothing else. */
export const inside = (): Fiber.RuntimeFiber<unknown, unknown> =>
  host[CURRENT] as Fiber.RuntimeFiber<unknown, unknown>

/**
 * Runs code of a tool outside of every fiber. Effect tells whoever asks which fiber runs at the moment, and through that
 * fiber the Context of the program that called the tool could be reached.
 */
const CURRENT = "effect/FiberCurrent"

export const outside = <A>(run: () => A): A => {
  const fiber: unknown = Reflect.get(globalThis, CURRENT)
  Reflect.set(globalThis, CURRENT, undefined)
  try {
    return run()
  } finally {
    Reflect.set(globalThis, CURRENT, fiber)
  }
}

import { Effect, Stream } from "effect"

const sentence = (category: string, method: string) =>
  `${category}.${method} was called, but the layerTest in use does not implement it`

/** A whole service from a part of it: a method that is missing dies with a sentence that names it. */
export const complete = <S extends object>(
  category: string,
  methods: { readonly [K in keyof S]: "effect" | "stream" },
  given: Partial<S>
): S => {
  const whole = new Map<string, unknown>()
  for (const [method, kind] of Object.entries(methods)) {
    whole.set(method, () =>
      kind === "stream"
        ? Stream.dieMessage(sentence(category, method))
        : Effect.dieMessage(sentence(category, method))
    )
  }
  for (const method of Object.keys(methods)) {
    const implementation: unknown = Reflect.get(given, method)
    if (typeof implementation === "function") whole.set(method, implementation.bind(given))
  }
  return Object.fromEntries(whole) as S
}

/** What a handler of a mock may answer with: a value, or an Effect of one. */
export type Answer<A, E> = A | Effect.Effect<A, E>

/** Runs the handler when the effect runs, whichever of the two it answers with. */
export const answer = <A, E>(handler: () => Answer<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const given = handler()
    return Effect.isEffect(given) ? given : Effect.succeed(given)
  })

/** Runs the cases of a contract against a layer. */
import { describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"

interface Case<R> {
  readonly name: string
  readonly run: Effect.Effect<void, unknown, R>
}

export const holds = <R, E>(name: string, layer: Layer.Layer<R, E>, cases: ReadonlyArray<Case<R>>): void => {
  describe(name, () => {
    for (const one of cases) it.effect(one.name, () => Effect.provide(one.run, layer))
  })
}

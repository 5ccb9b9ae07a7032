/** Runs the cases of a contract against a layer. */
import { describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"

interface Case<R> {
  readonly name: string
  readonly run: Effect.Effect<void, unknown, R>
}

/**
 * `broken` names the promises that this backend is known not to keep, and why. Such a case must fail: once it does not,
 * its line goes.
 */
export const holds = <R, E>(
  name: string,
  layer: Layer.Layer<R, E>,
  cases: ReadonlyArray<Case<R>>,
  broken: ReadonlyMap<string, string> = new Map()
): void => {
  describe(name, () => {
    for (const one of cases) {
      const run = () => Effect.provide(one.run, layer)
      if (broken.has(one.name)) it.effect.fails(`${one.name} (not kept: ${broken.get(one.name)})`, run)
      else it.effect(one.name, run)
    }
  })
}

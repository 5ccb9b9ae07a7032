/** A client over pipes: one message to a line, in both directions. */
import { Effect } from "effect"
import type { Options, Pipes } from "./Options.js"

export const overPipes = <R>(_options: Options<R>, _pipes: Pipes): Effect.Effect<void, never, R> =>
  Effect.void

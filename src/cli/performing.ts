/** An effect over live backends, run as a command: its layers are built once, and released when it ends however it ends. */
import { Cause, Effect, Exit, type Layer, Logger, Option } from "effect"
import { CliError } from "./CliError.js"
import type { Surroundings } from "./Surroundings.js"

interface Surface {
  readonly backends: Layer.Layer<never, CliError>
  /** Application services of the workspace. A backend goes before a service that passes for one. */
  readonly services: Layer.Layer<never, CliError>
}

/** Throws a `CliError` when a service cannot be built. */
export const performing = async <A>(
  effect: Effect.Effect<A>,
  { backends, services }: Surface,
  { complain, signal }: Surroundings
): Promise<A> => {
  let done: { readonly value: A } | undefined
  const exit = await Effect.runPromiseExit(
    effect.pipe(
      Effect.tap((value) =>
        Effect.sync(() => {
          done = { value }
        })
      ),
      Effect.provide(backends),
      Effect.provide(services),
      // Decisions are in the document; a log between its lines would spoil it.
      Effect.provide(Logger.remove(Logger.defaultLogger))
    ),
    { signal }
  )
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Option.getOrElse(Cause.failureOption(exit.cause), () => Cause.squash(exit.cause))
  if (done === undefined || signal.aborted || failure instanceof CliError) throw failure
  complain("a layer of the workspace's tools failed while it was released; what the command did is done")
  return done.value
}

/** The application services of a team's own tools, as one layer that fails in words. */
import { Cause, Layer, Option } from "effect"
import { CliError } from "../../CliError.js"
import type { Loaded } from "./LoadModule.js"

const nameOf = (failure: unknown): string => {
  try {
    const tag = Reflect.get(Object(failure), "_tag") ?? Reflect.get(Object(failure), "name")
    return typeof tag === "string" && /^[\w/.-]{1,64}$/.test(tag) ? tag : "an error without a name"
  } catch {
    return "an error without a name"
  }
}

/** The name of a failure and not its message: that may hold the address of a database with its password. */
const failed = (file: string, cause: Cause.Cause<unknown>): CliError => {
  const failure = Option.getOrElse(Cause.failureOption(cause), () => Cause.squash(cause))
  return new CliError(
    `the layer of ${file} cannot be built: it failed with ${nameOf(failure)}, whose message may hold secrets and is not shown; build the layer in a test to see it`
  )
}

const guarded = ({ file, layer }: NonNullable<Loaded["layer"]>): Layer.Layer<never, CliError> =>
  Layer.catchAllCause(layer, (cause) =>
    Cause.isInterruptedOnly(cause)
      ? Layer.failCause(cause as Cause.Cause<never>)
      : Layer.fail(failed(file, cause))
  )

/** All of them: a tool may use what another module gives. One that two modules export is built once. */
export const layerOf = (modules: ReadonlyArray<Loaded>): Layer.Layer<never, CliError> =>
  modules
    .flatMap(({ layer }) => layer ?? [])
    .map(guarded)
    .reduce<Layer.Layer<never, CliError>>((all, one) => Layer.merge(all, one), Layer.empty)

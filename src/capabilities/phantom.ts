/**
 * The one place where types and values part. A requirement such as `Network.Host<"a.com">` exists only in types: at
 * run time the tag of its category stands for it. So an accessor asks the context for the tag and claims only the
 * requirement, and a layer that holds the tag's service claims to supply the requirements too.
 */
import { type Context, Effect, Layer, Stream } from "effect"

/** Runs a method of a category's service; the method's own requirement stands for the tag's. */
export const access = <I, S, A, E, R>(
  tag: Context.Tag<I, S>,
  use: (service: S) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.flatMap(tag, use) as Effect.Effect<A, E, R>

/** As `access`, for a method that answers with a stream. */
export const accessStream = <I, S, A, E, R>(
  tag: Context.Tag<I, S>,
  use: (service: S) => Stream.Stream<A, E, R>
): Stream.Stream<A, E, R> => Stream.unwrap(Effect.map(tag, use)) as Stream.Stream<A, E, R>

/** A layer of one service that also supplies the phantom requirements `R` of its category. */
export const layerOf = <R>() => {
  return <I, S>(tag: Context.Tag<I, S>, service: () => S): Layer.Layer<R> =>
    Layer.sync(tag, service) as Layer.Layer<unknown> as Layer.Layer<R>
}

/**
 * What was asked of a capability, as the plain data that would cross a process boundary.
 *
 * @since 0.1.0
 */
import { Effect, type Layer, Stream } from "effect"

/**
 * @since 0.1.0
 * @category models
 */
export interface Call {
  readonly operation: string
  readonly payload: unknown
}

/**
 * A layer, and the calls that it has seen so far, oldest first.
 *
 * @since 0.1.0
 * @category models
 */
export interface Recording<R> {
  readonly layer: Layer.Layer<R>
  readonly calls: Effect.Effect<ReadonlyArray<Call>>
}

/** A call counts when it runs, not when it is described. */
const noting = (note: () => unknown, operation: unknown): unknown => {
  if (Effect.isEffect(operation)) return Effect.zipRight(Effect.sync(note), operation)
  return Stream.unwrap(Effect.as(Effect.sync(note), operation as Stream.Stream<unknown, unknown>))
}

/** The operations of a category: each takes one payload, and some take what comes bit by bit besides. */
type Operations = { readonly [operation: string]: (payload: never, ...rest: ReadonlyArray<never>) => unknown }

/**
 * Operations that note each call before they run it, and the layer that is made of them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const record = <O extends { readonly [K in keyof O]: (payload: never) => unknown }, R>(
  operations: O,
  layer: (operations: O) => Layer.Layer<R>
): Recording<R> => {
  const calls: Array<Call> = []
  const noted = Object.fromEntries(
    Object.entries(operations as Operations).map(([operation, run]) => [
      operation,
      (payload: never, ...rest: ReadonlyArray<never>) =>
        noting(() => calls.push({ operation, payload }), run(payload, ...rest))
    ])
  )
  return { layer: layer(noted as unknown as O), calls: Effect.sync(() => [...calls]) }
}

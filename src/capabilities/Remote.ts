/**
 * The operations of a service as data, so that a process boundary can carry them: what goes in, what comes out, and what
 * comes bit by bit. A service that is made from its operations remembers them, and whoever holds the service can serve it
 * to somebody on the far side.
 *
 * @since 0.1.0
 */
import type { Schema } from "effect"

/**
 * One operation. It takes one value, its payload. Bytes are `Schema.Uint8ArrayFromBase64`, wherever they stand in it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Operation {
  readonly payload: Schema.Schema.AnyNoContext
  readonly success: Schema.Schema.AnyNoContext
  readonly failure: Schema.Schema.AnyNoContext
  /** It answers with a stream, and `success` is one element of it. */
  readonly stream?: true
  /** What goes to it while it runs: streams by name, each with one element of it. They come as a second argument. */
  readonly inputs?: Readonly<Record<string, Schema.Schema.AnyNoContext>>
}

/**
 * Operations by name.
 *
 * @since 0.1.0
 * @category models
 */
export type Operations = Readonly<Record<string, Operation>>

/**
 * A tag whose service is made from its operations, and says which those are.
 *
 * @since 0.1.0
 * @category models
 */
export interface RemoteTag {
  readonly key: string
  readonly operations: Operations
  readonly make: (operations: never) => object
}

const known = new WeakMap<object, object>()

/**
 * A service that remembers what it was made from. They are the same thing twice: who has the one may do the other.
 *
 * @since 0.1.0
 * @category constructors
 */
export const made = <S extends object>(service: S, operations: object): S => {
  known.set(service, operations)
  return service
}

/**
 * What a service was made from; nothing for one that was put together by hand.
 *
 * @since 0.1.0
 * @category accessors
 */
export const operationsOf = (service: unknown): object | undefined =>
  typeof service === "object" && service !== null ? known.get(service) : undefined

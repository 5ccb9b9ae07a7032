/** The `parameters` option: its type is the schema itself when a model can fill it in, and a sentence when not. */
import type { IsAny } from "./effects.js"
import type { Generic } from "./generic.js"

/**
 * What every schema has; to ask for less than a `Schema` spares the compiler most of the comparison.
 *
 * @since 0.1.0
 * @category type-level
 */
export interface AnySchema {
  readonly Type: unknown
  readonly Context: unknown
}

/** The `parameters` of `Tool.make`. */
export type Given<P extends AnySchema> = Generic<P["Context"]> extends never ? GivenKnown<P> : P

// A schema with fields is a struct or a class, and what it decodes is not worked out.
type GivenKnown<P> = P extends { readonly fields: object; readonly Context: never } ? P : GivenOther<P>

type GivenOther<P> = P extends { readonly Context: never; readonly Encoded: infer I }
  ? Generic<I> extends never
    ? IsObject<I> extends true
      ? P
      : NoObject
    : P
  : P extends { readonly Encoded: unknown }
    ? "parameters need a service to be decoded: take plain values, and look things up in execute"
    : "parameters are not a schema: write Schema.Struct({ … })"

type NoObject = "parameters are not an object: give a Schema.Struct, a Schema.Class, or a union of them"

type IsObject<I> =
  IsAny<I> extends true
    ? false
    : [I] extends [object]
      ? [Extract<I, ReadonlyArray<unknown> | ((...args: never) => unknown)>] extends [never]
        ? true
        : false
      : false

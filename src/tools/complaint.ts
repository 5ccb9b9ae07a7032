import type { Scope } from "effect"
import type { Category, ComplaintBy, UnusedBy } from "../capabilities/Capabilities.js"

/**
 * A sentence for each thing that the declaration `C` lists and the requirements `R` never ask for. Use that is not
 * literal asks for the category as a whole, and may be of anything in it.
 */
export type Unused<R, C> = {
  readonly [K in keyof C]-?: K extends Category ? UnusedBy<R, C[K]>[K] : never
}[keyof C]

/** The sentence about one requirement that the declaration does not cover. */
export type Explain<X> = X extends unknown
  ? [ComplaintBy<X>[Category]] extends [never]
    ? ExplainForeign<X>
    : ComplaintBy<X>[Category]
  : never

/** Requirements that are no capability: tags carry their key in `Id`, classes of `Effect.Service` in `_tag`. */
type ExplainForeign<X> = X extends Scope.Scope
  ? "'effect/Scope' is not a capability service: close the scope with Effect.scoped"
  : X extends { readonly Id: infer Key extends string } | { readonly _tag: infer Key extends string }
    ? NotACapability<Key>
    : X extends string
      ? NotACapability<X>
      : "execute requires a service that is not a capability: a tool may not require it"

type NotACapability<Key extends string> = `'${Key}' is not a capability service: a tool may not require it`

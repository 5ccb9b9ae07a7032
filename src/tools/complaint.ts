import type { Scope } from "effect"
import type { Category, ComplaintBy, UnusedBy } from "../capabilities/Capabilities.js"
import type { Foreign, PlatformKey } from "./foreign.js"
import type { AnyListed } from "./listed.js"

/**
 * A sentence for each thing that the declaration `C` lists and the requirements `R` never ask for. Use that is not
 * literal asks for the category as a whole, and may be of anything in it.
 */
export type Unused<R, C> = {
  readonly [K in keyof C]-?: K extends Category ? UnusedBy<R, C[K]>[K] : never
}[keyof C]

/** The sentence about one requirement that the declaration does not cover; `S` is what it supplies. */
export type Explain<X, S = never> = X extends unknown
  ? [ComplaintBy<X, S>[Category]] extends [never]
    ? ExplainForeign<X>
    : ComplaintBy<X, S>[Category]
  : never

/** Requirements that are no capability: tags carry their key in `Id`, classes of `Effect.Service` in `_tag`. */
type ExplainForeign<X> = X extends Scope.Scope
  ? Foreign<"effect/Scope">
  : X extends { readonly Id: infer Key extends string } | { readonly _tag: infer Key extends string }
    ? NotACapability<Key>
    : X extends string
      ? NotACapability<X>
      : X extends AnyListed
        ? "services are 'any': write their tags inline"
        : [PlatformKey<X>] extends [never]
          ? "execute requires a service that is not a capability: add its tag to services, or do without it"
          : Foreign<PlatformKey<X>>

type NotACapability<Key extends string> = [Foreign<Key>] extends [never]
  ? `'${Key}' is not a capability: add its tag to services, or do without it`
  : Foreign<Key>

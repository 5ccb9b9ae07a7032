/**
 * What is known of a tool inside of a function that is generic in a host, a tag or a requirement. The compiler puts
 * off every condition there, and no value fits a condition that is put off. So the checks are written such that it
 * takes their lenient branch: that of which it can rule out the other when type parameters may be anything. What is
 * left for it to check is that `execute` requires no more than the declaration and the list supply, by the
 * constraints of the type parameters.
 */
import type { Context } from "effect"
import type { Category, categories, ServicesOf } from "../capabilities/Capabilities.js"
import type { Files } from "../capabilities/files/Files.js"
import type { Items } from "../capabilities/Literals.js"
import type { Network } from "../capabilities/network/Network.js"

/**
 * `never`; not known yet for a type with a type parameter in it, of which the compiler then assumes that it may fit
 * `never`. So it rules out the first branch of `Generic<T> extends never ? A : B`, and not that of any real type.
 */
export type Generic<T> = [T | 0] extends [never] ? true : never

/** What the compiler shows of `execute` when it puts off the check. */
export type Undeclared =
  "in a generic function execute may need more than is declared: declare the category, or constrain the type parameter, as in 'R extends Network.Everything' or 'E extends NetworkError'"

/** What the compiler shows of `capabilities` when it puts off the check. */
export type Misdeclared =
  "capabilities are wrong, and the function is generic: see how their categories and keys are spelt, and that none is optional"

/**
 * What a declaration supplies where it is not known yet what is in it: its categories, and of paths those that are
 * written and all below them.
 */
export type Reached<C> =
  | ServicesOf<C>
  | {
      readonly [K in keyof C & Category]: C[K] extends Network.ForChildren ? never : TagOf<K>
    }[keyof C & Category]
  | (C extends { readonly fs_reach: infer D }
      ?
          | (D extends { readonly read: infer P } ? Files.Read<Below<Items<P>>> | Climbs<Items<P>> : never)
          | (D extends { readonly write: infer P } ? Files.Write<Below<Items<P>>> | Climbs<Items<P>> : never)
      : never)

type TagOf<K extends Category> = Context.Tag.Identifier<(typeof categories)[K]["tags"][number]>

type Below<P extends string> = P | `${P}/${string}`

/** Whether a path climbs that is not known yet is seen at run time. */
type Climbs<P extends string> = Files.Traversal<Below<P>>

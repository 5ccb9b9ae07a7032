/**
 * The types of the two options that carry a complaint: `capabilities` and `execute`. Each is the option's own type
 * when all is well, and the complaint, a string no value fits, when it is not.
 */
import type {
  Capabilities,
  CapabilityError,
  Category,
  Supplied,
  SuppliedBy
} from "../../capabilities/Capabilities.js"
import type { IsFallback } from "./draft.js"
import type { FailureOf, IsAny, IsPending, RequirementsOf } from "./effects.js"
import type { Explain } from "./explain.js"
import type { Unused } from "./unused.js"

/** The `capabilities` of `Tool.make`, where `execute` returns `X`. */
export type Checked<X, C> = CheckedFor<RequirementsOf<X>, C>

// A value of the wrong type is left to the compiler, which says it where the value stands. The mapped type is there
// to print: it yields the sentences themselves, and not the name of the type they come from.
type CheckedFor<R, C> = unknown extends R
  ? Unchecked<R, C>
  : [R, Supplied<C>] extends [Supplied<C>, object]
    ? C
    : IsFallback<C> extends true
      ? Capabilities
      : Incomplete<C, { [M in Complaints<R, C>]: M }[Complaints<R, C>]>

/** The `capabilities` of `Tool.exact`. */
export type CheckedExact<X, C> = CheckedExactFor<RequirementsOf<X>, C>

type CheckedExactFor<R, C> = unknown extends R
  ? Unchecked<R, C>
  : [R, Supplied<C> | Unused<R, C>] extends [Supplied<C>, object]
    ? C
    : IsFallback<C> extends true
      ? Capabilities
      : Incomplete<C, { [M in ComplaintsExact<R, C>]: M }[ComplaintsExact<R, C>]>

type Unchecked<R, C> =
  IsAny<R> extends true
    ? "execute requires 'any': capability use cannot be checked"
    : IsPending<R> extends true
      ? C
      : "execute requires 'unknown': capability use cannot be checked"

/** What is wrong in the declaration itself may be the cause of the rest, and is worked out first. */
type Complaints<R, C> = Extract<Supplied<C>, string> | Explain<Exclude<R, Supplied<C>>>

type ComplaintsExact<R, C> = [Complaints<R, C>] extends [never] ? Unused<R, C> : Complaints<R, C>

/** The `execute` option, where `FE` is what the failure schema declares. */
export type Execute<Args, X, FE> = ExecuteFor<Args, X, FailureOf<X>, FE>

type ExecuteFor<Args, X, E, FE> = unknown extends E
  ? UncheckedExecute<Args, X, E, FE>
  : [E] extends [FE | CapabilityError]
    ? (args: Args) => X
    : Undeclared<TagOf<Exclude<E, FE | CapabilityError>>>

type UncheckedExecute<Args, X, E, FE> =
  IsAny<E> extends true
    ? Undeclared<"any">
    : unknown extends FE
      ? (args: Args) => X
      : IsPending<E> extends true
        ? (args: Args) => X
        : Undeclared<"unknown">

type TagOf<E> = E extends { readonly _tag: infer Tag extends string }
  ? Tag
  : E extends string
    ? "string"
    : E extends Error
      ? "Error"
      : "unknown"

type Undeclared<Tag extends string> = `failure not declared: add '${Tag}' to the failure schema`

type Missing = `key '${string}' is missing in capability '${string}'`

type MissingIn<C> = {
  readonly [K in keyof C]-?: K extends Category ? Extract<SuppliedBy<C[K]>[K], Missing> : never
}

/**
 * A key that is missing is said of its category, not of the whole declaration: the rest keeps its shape, and an
 * editor goes on completing it.
 */
type Incomplete<C, Otherwise> = [MissingIn<C>[keyof C]] extends [never]
  ? Otherwise
  : { readonly [K in keyof C]: [MissingIn<C>[K]] extends [never] ? C[K] : MissingIn<C>[K] }

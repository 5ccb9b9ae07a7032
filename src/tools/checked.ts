/**
 * The types of the two options that carry a complaint: `capabilities` and `execute`. Each is the option's own type
 * when all is well, and the complaint, a string no value fits, when it is not.
 */
import type { Effect } from "effect"
import type {
  Capabilities,
  CapabilityError,
  Category,
  Supplied,
  SuppliedBy
} from "../capabilities/Capabilities.js"
import type { IsLiteral, NotLiteral } from "../capabilities/Literals.js"
import type { Explain, Unused } from "./complaint.js"
import type { Draft, IsFallback } from "./draft.js"
import type { FailureOf, IsAny, IsPending, RequirementsOf } from "./effects.js"
import type { UndeclaredFailure, UnknownFailure } from "./failures.js"
import type { Generic, Misdeclared, Reached } from "./generic.js"
import type { AnySchema } from "./given.js"
import type { AnyTag, IdentifierOf, NotListed } from "./listed.js"

/** The `capabilities` of `Tool.make`, where `execute` returns `X` and `Tags` are the services that it lists. */
export type Checked<X, C, Tags extends ReadonlyArray<AnyTag>> = Declared<
  Misdeclared,
  NotListed<RequirementsOf<X>, Tags>,
  C,
  X
>

/**
 * The `capabilities` option, where `execute` requires `R`. Inside of a generic function the compiler shows `_Why` where
 * something in it is wrong.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Declared<_Why, R, C, X> =
  Generic<R | Supplied<C>> extends never ? DeclaredKnown<R, C, X> : DeclaredGeneric<C>

// A value of the wrong type is left to the compiler, which says it where the value stands. The mapped type is there
// to print: it yields the sentences themselves, and not the name of the type they come from. That they are strings is
// said again for the compiler, which otherwise loses sight of what a declaration may hold.
type DeclaredKnown<R, C, X> = unknown extends R
  ? Unchecked<R, C, X>
  : [R, Supplied<C>, C] extends [Supplied<C>, object, Whole<C>]
    ? C
    : string extends keyof C
      ? Unlisted<C>
      : IsFallback<C> extends true
        ? Capabilities
        : Incomplete<C, { [M in Complaints<R, C> & string]: M }[Complaints<R, C> & string]>

type DeclaredGeneric<C> =
  Generic<Supplied<C>> extends never
    ? [Supplied<C>, C] extends [object, Whole<C>]
      ? C | Draft
      : never
    : C | Draft

/** The `capabilities` of `Tool.exact`. */
export type CheckedExact<X, C, Tags extends ReadonlyArray<AnyTag>> = DeclaredExact<
  Misdeclared,
  NotListed<RequirementsOf<X>, Tags>,
  C,
  X
>

/**
 * As `Declared`, for `Tool.exact`. What is wrong otherwise comes before what is never used.
 *
 * @since 0.1.0
 * @category type-level
 */
export type DeclaredExact<_Why, R, C, X> =
  Generic<R | Supplied<C>> extends never
    ? unknown extends R
      ? Unchecked<R, C, X>
      : [Unused<R, C>] extends [never]
        ? DeclaredKnown<R, C, X>
        : [C] extends [DeclaredKnown<R, C, X>]
          ? { [M in Unused<R, C> & string]: M }[Unused<R, C> & string]
          : DeclaredKnown<R, C, X>
    : DeclaredGeneric<C>

/**
 * While `execute` has not been looked at, its failures and its requirements are both pending. When only one is, the
 * compiler took it from the expected type, as it does for `Effect.context()`, and nothing is known.
 */
type Unchecked<R, C, X> =
  IsAny<R> extends true
    ? "execute requires 'any': capability use cannot be checked"
    : unknown extends FailureOf<X>
      ? IsPending<R, C, UnknownUse>
      : UnknownUse

type UnknownUse = "execute requires 'unknown': capability use cannot be checked"

/** Keys that nobody listed. `any` fits every sentence, and every other type but `never`, so that is what it meets. */
type Unlisted<C> = IsAny<C> extends true ? never : NotLiteral

/** What is wrong in the declaration itself may be the cause of the rest, and is worked out first. */
type Complaints<R, C> = [DeclaredWrong<R, C>] extends [never] ? NotWhole<C> : DeclaredWrong<R, C>

type DeclaredWrong<R, C> =
  | Spoken<Extract<Supplied<C>, string>>
  | Explain<Exclude<R, Supplied<C>>, Supplied<C>>

/** Sentences that quote what is not literal, as `any` is not, quote nothing. */
type Spoken<M extends string> = M extends unknown ? (IsLiteral<M> extends true ? M : NotLiteral) : never

/** What a declaration must be: all that it lists is there, and one that lists nothing has nothing. */
type Whole<C> = [keyof C] extends [never] ? Listless : { readonly [K in keyof C]-?: Required<C[K]> }

/** An empty literal fits this; an `object`, or an interface without members, may hold anything. */
type Listless = { readonly [key: string]: unknown }

type NotWhole<C> = [keyof C] extends [never]
  ? [C] extends [Listless]
    ? never
    : NotLiteral
  : { readonly [K in keyof C]-?: {} extends Pick<C, K> ? Optional<K> : OptionalIn<K, C[K]> }[keyof C]

type Optional<K> = `capability '${K & string}' is optional: declare it, or leave it out`

type OptionalIn<K, D> =
  D extends ReadonlyArray<unknown>
    ? never
    : {
        readonly [P in keyof D]-?: {} extends Pick<D, P>
          ? `key '${P & string}' is optional in capability '${K & string}': declare it, or leave it out`
          : never
      }[keyof D]

/**
 * The `execute` option, where `FE` is what the failure schema declares. Inside of a generic function the compiler
 * shows `_Why` where it cannot tell that all is declared.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Execute<_Why, P extends AnySchema, X, FE, C, Tags extends ReadonlyArray<AnyTag>> =
  Generic<RequirementsOf<X> | Supplied<C> | FailureOf<X> | FE> extends never
    ? ExecuteFor<P, X, FailureOf<X>, FE>
    : NoInfer<
        (
          args: P["Type"]
        ) => Effect.Effect<unknown, FE | CapabilityError, Reached<C> | IdentifierOf<Tags[number]>>
      >

type ExecuteFor<P extends AnySchema, X, E, FE> = unknown extends E
  ? UncheckedExecute<P, X, E, FE>
  : [E] extends [FE | CapabilityError]
    ? (args: P["Type"]) => X
    : UndeclaredFailure<Exclude<E, FE | CapabilityError>>

type UncheckedExecute<P extends AnySchema, X, E, FE> =
  IsAny<E> extends true
    ? UnknownFailure<"any">
    : unknown extends FE
      ? (args: P["Type"]) => X
      : unknown extends RequirementsOf<X>
        ? IsPending<E, (args: P["Type"]) => X, UnknownFailure<"unknown">>
        : UnknownFailure<"unknown">

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

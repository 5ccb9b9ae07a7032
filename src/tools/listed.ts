/**
 * The `services` option of a tool: tags of the application. Its type is the list itself when all is well, and holds a
 * sentence in the place of each tag that is wrong when it is not.
 */
import type { Context } from "effect"
import type { Capabilities, Category, ComplaintBy, Supplied } from "../capabilities/Capabilities.js"
import type { IsAny } from "./effects.js"
import type { Foreign, PlatformKey } from "./foreign.js"
import type { Generic } from "./generic.js"

/**
 * What every tag has; to ask for less than a `Context.Tag` spares the compiler most of the comparison.
 *
 * @since 0.1.0
 * @category type-level
 */
export interface AnyTag {
  readonly [Context.TagTypeId]: unknown
  readonly key: string
  readonly Identifier: unknown
}

/** What those who run a tool must provide. A reference has a value without them. */
export type RequiredOf<Tags extends ReadonlyArray<AnyTag>> = Tags["length"] extends 0
  ? never
  : IdentifierOf<Tags[number]>

/** What a tag stands for; a reference has a value without being provided. */
export type IdentifierOf<T> = T extends { readonly [Context.ReferenceTypeId]: unknown }
  ? never
  : T extends { readonly Identifier: infer I }
    ? I
    : never

/** What `execute` requires and `services` does not list. */
export type NotListed<R, Tags extends ReadonlyArray<AnyTag>> = Tags["length"] extends 0
  ? R
  : IsAny<Tags> extends true
    ? R | AnyListed
    : IsAny<R> extends true
      ? R
      : Exclude<R, IdentifierOf<Tags[number]>>

declare const anyListed: unique symbol

/** Stands for a list of type `any`, which may hold anything. */
export interface AnyListed {
  readonly [anyListed]: true
}

/** The `services` of `Tool.make`. */
export type Listed<Tags extends ReadonlyArray<AnyTag>> = Tags["length"] extends 0
  ? Tags
  : Generic<IdentifierOf<Tags[number]>> extends never
    ? Literal<Tags, Each<Tags>>
    : Tags | ReadonlyArray<AnyTag>

/** The `services` of `Tool.exact`, where `execute` requires `R`. */
export type ListedExact<R, Tags extends ReadonlyArray<AnyTag>> = Tags["length"] extends 0
  ? Tags
  : Generic<R | IdentifierOf<Tags[number]>> extends never
    ? Literal<Tags, unknown extends R ? Each<Tags> : Used<R, Each<Tags>>>
    : Tags | ReadonlyArray<AnyTag>

// A value of the wrong type is left to the compiler, which then takes the constraint for the list.
type Literal<Tags extends ReadonlyArray<AnyTag>, Said> = [IsAny<Tags[number]>, AnyTag] extends [
  false,
  Tags[number]
]
  ? ReadonlyArray<AnyTag>
  : true extends IsUnion<Tags> | (number extends Tags["length"] ? true : false)
    ? "services are not literal: write their tags inline"
    : [Tags] extends [Said]
      ? Tags
      : Said

/** Each tag, or what is wrong with it. */
type Each<Tags, Before = never> = Tags extends readonly [infer First, ...infer Rest]
  ? readonly [Sound<First, Before>, ...Each<Rest, Before | First>]
  : readonly []

/** `any` fits every sentence, so that it meets `never`. */
type Sound<T, Before> =
  IsAny<T> extends true
    ? never
    : IsUnion<T> extends true
      ? "several tags may stand here: list each of them"
      : T extends { readonly key: infer Key extends string; readonly Identifier: infer I }
        ? [Wrong<T, Key, I, Before>] extends [never]
          ? T
          : Wrong<T, Key, I, Before>
        : T

type Wrong<T, Key extends string, I, Before> = string extends Key
  ? WrongIdentifier<I> | ([T] extends [Before] ? "a service is listed twice: list it once" : never)
  : [Foreign<Key>] extends [never]
    ? WrongIdentifier<I> | ([T] extends [Before] ? `'${Key}' is listed twice: list it once` : never)
    : Foreign<Key>

/** A type that capabilities fit, or that fits one, would make them a service of the application. */
type WrongIdentifier<I> = [Extract<Everything, I>, ComplaintBy<I>[Category]] extends [never, never]
  ? Foreign<PlatformKey<I>>
  : "the identifier of this tag stands for capabilities too: give the tag a class of its own"

type Everything = Exclude<Supplied<Required<Capabilities>>, string>

/** As they are, but for those that nobody asks for. */
type Used<R, Tags> = { readonly [K in keyof Tags]: UsedOne<R, Tags[K]> }

type UsedOne<R, T> = [IdentifierOf<T>] extends [never]
  ? T
  : [Extract<R, IdentifierOf<T>>] extends [never]
    ? T extends { readonly key: infer Key extends string }
      ? string extends Key
        ? "declared but never used: services"
        : `declared but never used: services '${Key}'`
      : T
    : T

type IsUnion<T, All = T> = T extends unknown ? ([All] extends [T] ? false : true) : never

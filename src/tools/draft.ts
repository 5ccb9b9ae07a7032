import type { Capabilities, Category } from "../capabilities/Capabilities.js"

/**
 * The constraint of a declaration: `Loose` lets a misspelled key through to the check, `Capabilities` a variable of
 * that type.
 */
export type Draft = LooseCapabilities | StrictCapabilities

/**
 * True when `C` is the constraint itself, which the compiler falls back to when a declaration does not satisfy it.
 */
export type IsFallback<C> = [LooseCapabilities, keyof C] extends [C, never]
  ? false
  : [LooseCapabilities] extends [C]
    ? true
    : false

/**
 * What the compiler holds a declaration to before the check looks at it: the types of values, not which keys there
 * are, so that a misspelled key meets a sentence of ours. The known keys are here for an editor's completions.
 */
type LooseCapabilities = { readonly [C in Category]?: Loose<NonNullable<Capabilities[C]>> } & {
  readonly [unknown: string]: unknown
}

type StrictCapabilities = { readonly [C in Category]?: Strict<NonNullable<Capabilities[C]>> }

type Strict<D> = D extends ReadonlyArray<string> ? Texts : { readonly [K in keyof D]: LooseList<D[K]> }

type Loose<D> =
  D extends ReadonlyArray<string>
    ? Texts
    : { readonly [K in keyof D]?: LooseList<D[K]> } & { readonly [unknown: string]: unknown }

type LooseList<L> = L extends ReadonlyArray<string> ? (string extends L[number] ? Texts : L) : L

/** That one of the texts is literal here makes the compiler keep what is written in the branches of `cond ? a : b`. */
type Texts = ReadonlyArray<"*" | (string & {})>

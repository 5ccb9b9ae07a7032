import type { Capabilities, Category } from "../capabilities/Capabilities.js"

/**
 * The constraint of a declaration: `Loose` lets a misspelled key through to the check, `Capabilities` a variable of
 * that type.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Draft = LooseCapabilities | Capabilities

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

type Loose<D> =
  D extends ReadonlyArray<string>
    ? Texts
    : { readonly [K in keyof D]?: LooseList<D[K]> } & { readonly [unknown: string]: unknown }

type LooseList<L> = L extends ReadonlyArray<string> ? (string extends L[number] ? Texts : L) : L

declare const written: unique symbol

/**
 * Texts, and what the compiler takes for a literal: where it expects one, it keeps what is written in the branches of
 * `cond ? a : b`. Any other literal would be lost in `string`.
 */
type Texts = ReadonlyArray<string | ("*" & { readonly [written]: never })>

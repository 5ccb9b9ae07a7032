import type { Capabilities } from "../capabilities/Capabilities.js"

/**
 * The constraint of a declaration: `Loose` lets a misspelled key through to the check, `Capabilities` a variable of
 * that type.
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
interface LooseCapabilities {
  readonly network?: Loose<Capabilities["network"]>
  readonly secrets?: ReadonlyArray<string>
  readonly storage?: Loose<Capabilities["storage"]>
  readonly fs_reach?: Loose<Capabilities["fs_reach"]>
  readonly process?: Loose<Capabilities["process"]>
  readonly attachments?: Loose<Capabilities["attachments"]>
  readonly records?: Loose<Capabilities["records"]>
  readonly agents?: Loose<Capabilities["agents"]>
  readonly [unknown: string]: unknown
}

type Loose<D> = Partial<NonNullable<D>> & { readonly [unknown: string]: unknown }

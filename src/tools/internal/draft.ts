import type { Capabilities } from "../../capabilities/Capabilities.js"

/**
 * What the compiler holds a declaration to before the check looks at it: the types of values, not which keys there
 * are, so that a misspelled key meets a sentence of ours. The known keys are here for an editor's completions.
 */
export interface Draft {
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

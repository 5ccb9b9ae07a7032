/** Sentences at the level of types, for whoever declares less than is used, or more. */
import type { Items } from "./Literals.js"

/** Single quotes print unescaped. */
export type Undeclared<What extends string> = `capability not declared: ${What}`

export type NeverUsed<What extends string> = `declared but never used: ${What}`

/** A sentence, unless one of the requirements `R` is among what is covered. */
export type IfUnused<R, Covers, What extends string> = [Extract<R, Covers>] extends [never]
  ? NeverUsed<What>
  : never

/** The strings of a list in a declaration. */
export type List<D, K extends string> = K extends keyof D ? Items<D[K]> : never

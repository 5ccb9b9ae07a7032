/** Sentences at the level of types, for whoever declares less than is used, or more. */
import type { Dynamic, Items } from "./Literals.js"

/** Single quotes print unescaped. */
export type Undeclared<What extends string> = `capability not declared: ${What}`

export type NeverUsed<What extends string> = `declared but never used: ${What}`

/** A sentence, unless one of the requirements `R` is among what is covered. */
export type IfUnused<R, Covers, What extends string> = [Extract<R, Covers>] extends [never]
  ? NeverUsed<What>
  : never

/** A declared string in quotes; what only the run time knows has no name. */
export type Quoted<D extends string> = D extends Dynamic ? "of Tool.dynamic" : `'${D}'`

/** The strings of a list in a declaration. */
export type List<D, K extends string> = K extends keyof D ? Items<D[K]> : never

import type { Category, UnusedBy } from "../capabilities/Capabilities.js"

/**
 * A sentence for each thing that the declaration `C` lists and the requirements `R` never ask for. Use that is not
 * literal asks for the category as a whole, and may be of anything in it.
 */
export type Unused<R, C> = {
  readonly [K in keyof C]-?: K extends Category ? UnusedBy<R, C[K]>[K] : never
}[keyof C]

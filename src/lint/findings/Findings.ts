/** Everything in one file that goes around what a tool declares, in the order of the text. */
import { startOf } from "../syntax/Node.js"
import { code } from "./code.js"
import { escapes } from "./escapes.js"
import type { File, Finding } from "./Finding.js"
import { modules } from "./modules.js"
import { takenApart, values } from "./values.js"

const finders = [modules, values, escapes, code]

export const findingsOf = (file: File): ReadonlyArray<Finding> => {
  const { places, taken } = file.module
  // From the inside out: what is deep inside is known before what stands around it asks.
  const found = [...places].reverse().flatMap((place) => finders.flatMap((find) => find(place, file)))
  return [...found, ...taken.flatMap((one) => takenApart(one, file))].sort(
    (one, other) => startOf(one.node) - startOf(other.node)
  )
}

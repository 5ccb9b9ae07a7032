/** A declaration in words, one line for each category and direction. */
import { type Capabilities, walk } from "../capabilities/Capabilities.js"
import type { SurfaceLine } from "../capabilities/Category.js"

const lineOf = ({ items, label, of }: SurfaceLine): ReadonlyArray<string> => {
  if (items === undefined) return []
  const words = typeof items === "string" ? items : items.length === 0 ? "nothing" : items.join(", ")
  return [`${label}: ${words}${of === undefined ? "" : ` (${of.join(", ")})`}`]
}

export const surfaceOf = (declared: Capabilities): ReadonlyArray<string> =>
  walk(declared, ({ surface }, given) => surface(given))
    .flat()
    .flatMap(lineOf)

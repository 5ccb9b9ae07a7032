/** What a tool declares and lists, in words: one line for each category and direction, and one for the services. */
import { type Capabilities, walk } from "../capabilities/Capabilities.js"
import type { SurfaceLine } from "../capabilities/Category.js"

const lineOf = ({ items, label, of }: SurfaceLine): ReadonlyArray<string> => {
  if (items === undefined) return []
  const words = typeof items === "string" ? items : items.length === 0 ? "nothing" : items.join(", ")
  return [`${label}: ${words}${of === undefined ? "" : ` (${of.join(", ")})`}`]
}

/** As much of a tool as it declares. */
interface Declaring {
  readonly capabilities: Capabilities
  readonly services: ReadonlyArray<string>
}

export const surfaceOf = ({ capabilities, services }: Declaring): ReadonlyArray<string> => [
  ...walk(capabilities, ({ surface }, given) => surface(given))
    .flat()
    .flatMap(lineOf),
  ...(services.length === 0 ? [] : lineOf({ label: "services", items: services }))
]

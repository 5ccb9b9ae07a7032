/** Names as people list them: a text with spaces between, for each reason. */
import type { Remedy } from "./Remedy.js"

export const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

export const byName = (
  lists: Partial<Record<Remedy, string>>
): ReadonlyArray<readonly [name: string, remedy: Remedy]> =>
  Object.entries(lists).flatMap(([remedy, names]) =>
    words(names).map((name) => [name, remedy as Remedy] as const)
  )

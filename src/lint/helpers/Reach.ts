/** What a tool file reaches through the files of the project that it imports, and those that these import. */
import type { Import } from "../files/Look.js"
import { type Helper, helperOf } from "./Helper.js"
import { resolved } from "./resolve.js"

export interface Reached {
  /** The import of the tool file that leads there. */
  readonly through: Import
  readonly file: string
  readonly helper: Helper
}

/** Each file once, for the first import that leads to it. What is a tool file is looked at for itself. */
export const reached = (
  file: string,
  imports: ReadonlyArray<Import>,
  engine: unknown,
  isToolFile: (file: string, helper: Helper) => boolean
): ReadonlyArray<Reached> => {
  const seen = new Set([file])
  const all: Array<Reached> = []
  for (const through of imports) {
    const waiting = [{ from: file, specifier: through.specifier }]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const found = resolved(next.specifier, next.from)
      if (found === undefined || seen.has(found)) continue
      seen.add(found)
      const helper = helperOf(found, engine)
      if (isToolFile(found, helper)) continue
      all.push({ through, file: found, helper })
      waiting.push(...helper.imports.map(({ specifier }) => ({ from: found, specifier })).reverse())
    }
  }
  return all
}

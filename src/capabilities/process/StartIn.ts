/** Where a command starts that is given no directory. */
import type { Authority } from "../../policy/lattice/Authority.js"
import type { Encoded } from "../../policy/lattice/ScopeSet.js"

/** The directories that are roots of what may be run, as they are written in the scopes. */
const rootOf = (scope: Encoded): ReadonlyArray<string> => {
  const within = typeof scope === "object" && "in" in scope ? scope.in : scope
  return typeof within === "string" && within.endsWith("/") ? [within.slice(0, -1) || "/"] : []
}

/**
 * The working directory, where that is permitted; else the first root of what is held that is: an agent that may run
 * things in its own root alone need not be told where that is.
 */
export const startIn = (
  { scopes }: Authority,
  verb: "exec" | "eval",
  workdir: string,
  allows: (directory: string) => boolean
): string =>
  allows(workdir) ? workdir : (scopes.process[verb].encode().flatMap(rootOf).find(allows) ?? workdir)

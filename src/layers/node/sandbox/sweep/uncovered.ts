/**
 * What covers a name is gone once somebody outside removes or replaces that name, as editors, package managers and git itself
 * do when they save. From then on the child has what is there as it has everything around it, and nobody else would tell.
 */
import * as fs from "node:fs"
import type { Cover } from "../../../../policy/confinement/Plan.js"

/** Which file or directory has a name. */
export const identityOf = (path: string): string | undefined => {
  try {
    const stats = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return stats && `${stats.dev}:${stats.ino}`
  } catch {
    return undefined
  }
}

/** Those that are others by now. */
export const uncovered = (
  covers: ReadonlyArray<Cover>,
  identities: ReadonlyArray<string | null>
): ReadonlyArray<Cover> =>
  covers.filter(({ path }, i) => {
    const now = identityOf(path)
    return now !== undefined && now !== identities[i]
  })

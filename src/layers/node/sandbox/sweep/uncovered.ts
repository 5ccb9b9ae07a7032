/**
 * What covers a name is gone once somebody outside removes or replaces that name, as editors, package managers and git itself
 * do when they save. From then on the child has what is there as it has everything around it, and nobody else would tell.
 */
import * as fs from "node:fs"
import type { Cover } from "../../../../policy/confinement/Plan.js"

const identityOf = (path: string): string | undefined => {
  try {
    const stats = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return stats && `${stats.dev}:${stats.ino}`
  } catch {
    return undefined
  }
}

/** Remembers what is covered. What is answered says what is another one by now. */
export const remembered = (covers: ReadonlyArray<Cover>): (() => ReadonlyArray<Cover>) => {
  const known = new Map(covers.map((cover) => [cover, identityOf(cover.path)]))
  return () =>
    covers.filter((cover) => {
      const now = identityOf(cover.path)
      return now !== undefined && now !== known.get(cover)
    })
}

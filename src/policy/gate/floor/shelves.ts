/** The places of the floor, filed by what is refused there and by where they are looked for. */
import { lazy } from "../../Memo.js"
import type { Group } from "./model.js"
import { groups } from "./Places.js"
import { Patterns } from "./patterns.js"
import type { Segments } from "./Trees.js"

/** Where in a path patterns may begin: at its first name, below a home if it lies in one, and at every name. */
export interface Starts {
  readonly segments: Segments
  readonly root: number
  readonly home: number
}

class Shelf {
  private readonly below: { readonly [W in Group["where"]]: Patterns<string> } = {
    root: new Patterns(),
    home: new Patterns(),
    anywhere: new Patterns(),
    workspace: new Patterns()
  }

  constructor(wanted: (group: Group) => boolean) {
    for (const { entries, where } of groups.filter(wanted)) {
      for (const [pattern, reason] of entries) this.below[where].add(pattern, reason)
    }
  }

  /** Why a path is on it. */
  reason({ home, root, segments }: Starts): string | undefined {
    const { anywhere, home: homes, root: roots } = this.below
    return (
      roots.at(segments, root) ??
      (home === 0 ? undefined : homes.at(segments, home)) ??
      anywhere.anywhere(segments)
    )
  }

  /** How many names of a path lead to the deepest place on it. */
  depth({ home, root, segments }: Starts): number {
    const { anywhere, home: homes, root: roots } = this.below
    const ends = segments.map((_, at) => anywhere.endOf(segments, at))
    return Math.max(roots.endOf(segments, root), home === 0 ? 0 : homes.endOf(segments, home), ...ends)
  }
}

/** What no policy lifts: closed to all, and closed to who would change it. What runs later by itself. */
export const shelves = lazy(() => ({
  shut: new Shelf(({ closed }) => closed === "always"),
  kept: new Shelf(({ closed, lifts }) => closed === "to change" && !lifts),
  later: new Shelf(({ lifts }) => lifts)
}))

/** Some systems keep what others have at the root in a directory of this name. */
export const rootOf = ([first]: Segments): number => (first === "private" ? 1 : 0)

/** How many names of a path, which is folded, make up a home in a usual place; 0 where it lies in none. */
export const usualHome = ([first, second]: Segments): number => {
  if (first === "root") return 1
  if (second === undefined) return 0
  return first === "home" || first === "users" || (first === "var" && second === "root") ? 2 : 0
}

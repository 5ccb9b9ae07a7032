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

/** What is in homes of macOS alone; elsewhere a directory of this name is like any other. */
const MAC = "library/"

/** Where a system has its homes that is not macOS. */
const others: ReadonlySet<string | undefined> = new Set(["home", "root"])

type Below = { readonly [W in Group["where"] | "mac"]: Patterns<string> }

const shelfOf = (where: Group["where"], pattern: string): keyof Below =>
  where === "home" && pattern.startsWith(MAC) ? "mac" : where

class Shelf {
  private readonly below: Below = {
    root: new Patterns(),
    home: new Patterns(),
    mac: new Patterns(),
    anywhere: new Patterns(),
    workspace: new Patterns()
  }

  constructor(wanted: (group: Group) => boolean) {
    for (const { entries, where } of groups.filter(wanted)) {
      for (const [pattern, reason] of entries) this.below[shelfOf(where, pattern)].add(pattern, reason)
    }
  }

  /** Whose patterns hold below the home that a path lies in. */
  private homesOf({ home, segments }: Starts): ReadonlyArray<Patterns<string>> {
    if (home === 0) return []
    return others.has(segments[0]) ? [this.below.home] : [this.below.home, this.below.mac]
  }

  /** Why a path is on it. */
  reason(starts: Starts): string | undefined {
    const { home, root, segments } = starts
    const { anywhere, root: roots } = this.below
    const found = roots.at(segments, root)
    if (found !== undefined) return found
    for (const patterns of this.homesOf(starts)) {
      const reason = patterns.at(segments, home)
      if (reason !== undefined) return reason
    }
    return anywhere.anywhere(segments)
  }

  /** Whether something below a path is on it because of the names of that path, and not of its own alone. */
  hasBelow(starts: Starts): boolean {
    const { home, root, segments } = starts
    const { anywhere, root: roots } = this.below
    return (
      roots.goesOn(segments, root) ||
      this.homesOf(starts).some((patterns) => patterns.goesOn(segments, home)) ||
      segments.some((_, at) => anywhere.goesOn(segments, at))
    )
  }

  /** How many names of a path lead to the deepest place on it. */
  depth(starts: Starts): number {
    const { home, root, segments } = starts
    const { anywhere, root: roots } = this.below
    const ends = segments.map((_, at) => anywhere.endOf(segments, at))
    const inHome = this.homesOf(starts).map((patterns) => patterns.endOf(segments, home))
    return Math.max(roots.endOf(segments, root), ...inHome, ...ends)
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
export const usualHome = ([first, second, third]: Segments): number => {
  if (first === "root") return 1
  if (first === "private" && second === "var" && third === "root") return 3
  if (second === undefined) return 0
  return first === "home" || first === "users" || (first === "var" && second === "root") ? 2 : 0
}

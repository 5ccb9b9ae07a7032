/**
 * A set of paths as what is there: trees that are in it as a whole, and single files. A pattern is expanded, and every
 * path that it gives is asked about; nothing is rounded up.
 */
import type { ScopeSet } from "../lattice/ScopeSet.js"
import type { Kind, Look } from "./Look.js"
import { follow, type Way } from "./links.js"
import type { LeftOut, Mount } from "./Plan.js"
import { join, pathOf, type Segments, segmentsOf } from "./paths.js"
import { PATH } from "./reach.js"
import { isLeftOfRoot, isReplaced } from "./system.js"

export type Found = Pick<Mount, "path" | "kind">

export interface Expansion {
  readonly found: ReadonlyArray<Found>
  /** Paths in the set that are links, or lie behind one. */
  readonly ways: ReadonlyArray<{ readonly what: string; readonly way: Way }>
  readonly leftOut: ReadonlyArray<LeftOut>
}

/** Entries that patterns are compared with, and files that they give. */
const LOOKED = 20_000
const FOUND = 256

const reasons = {
  absent: "it is not there",
  unlisted: "it cannot be listed",
  alone: "the directory itself is permitted, and nothing in it; end the path with '/' to mean all of it",
  other: "it is neither a file nor a directory",
  replaced: "a child has its own /dev, /proc and /sys",
  root: "a child has its own /dev, /etc, /proc, /run, /sys and /tmp; name what it needs of them",
  many: `patterns are expanded to at most ${FOUND} places, found among ${LOOKED} entries; name directories instead`
}

export const expand = (set: ScopeSet, verb: "read" | "write", look: Look): Expansion => {
  const found = new Map<string, Found>()
  const ways = new Map<string, Expansion["ways"][number]>()
  const leftOut = new Map<string, LeftOut>()
  const seen = new Set<string>()
  let looked = 0
  let given = 0

  const leave = (what: string, why: string): void => {
    leftOut.set(`${what}\u0000${why}`, { what: `${verb} ${what}`, why })
  }

  const take = (path: string, kind: Mount["kind"], isNamed: boolean, shown: string): void => {
    if (!isNamed && ++given > FOUND) leave(shown, reasons.many)
    else found.set(path, { path, kind })
  }

  /** Who names the root, or all that is in it, does not mean what each child has of its own there. */
  const isLeft = (name: string): boolean =>
    isReplaced(`/${name}`) || (isLeftOfRoot(`/${name}`) && set.holdsBelow(PATH, [name]))

  const list = (path: string, segments: Segments, shown: string): void => {
    const entries = look.entries(path)
    if (entries === undefined) leave(path, reasons.unlisted)
    for (const { kind, name } of sorted(entries ?? [])) {
      if (path === "/" && isLeft(name)) {
        leave(shown, reasons.root)
        continue
      }
      if (++looked > LOOKED) {
        leave(shown, reasons.many)
        break
      }
      visit(join(path, name), [...segments, name], kind, shown)
    }
  }

  const directory = (path: string, segments: Segments, shown: string, isNamed: boolean): void => {
    const isHeld = set.holdsBelow(PATH, segments)
    if (isHeld && path !== "/") take(path, "tree", isNamed, shown)
    else if (isHeld || set.reachesBelow(PATH, segments)) list(path, segments, shown)
    else if (isNamed && set.find({ [PATH]: segments }) !== undefined) leave(shown, reasons.alone)
  }

  const visit = (path: string, segments: Segments, kind: Kind, shown: string, isNamed = false): void => {
    if (seen.has(path)) return
    seen.add(path)
    if (kind === "directory") directory(path, segments, shown, isNamed)
    else if (set.find({ [PATH]: segments }) === undefined) return
    else if (kind === "file") take(path, "file", isNamed, shown)
    else if (kind === "other") leave(path, reasons.other)
    else if (++given <= FOUND) ways.set(path, { what: `${verb} ${path}`, way: follow(look, path) })
  }

  for (const { prefix, shown } of set.starts(PATH)) {
    const path = pathOf(prefix)
    const way = follow(look, path)
    if (isReplaced(path)) leave(shown, reasons.replaced)
    else if (way.link !== undefined) ways.set(shown, { what: `${verb} ${shown}`, way })
    else if (way.kind === undefined) leave(shown, reasons.absent)
    else visit(path, segmentsOf(path), way.kind, shown, true)
  }
  return { found: [...found.values()], ways: [...ways.values()], leftOut: [...leftOut.values()] }
}

const sorted = <A extends { readonly name: string }>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.toSorted((a, b) => (a.name < b.name ? -1 : 1))

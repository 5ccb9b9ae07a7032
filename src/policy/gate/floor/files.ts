/**
 * Paths that the floor closes: credentials and the inside of the system for everyone, and for who writes also what
 * authority and code are read from, and what runs by itself later.
 */
import { Either } from "effect"
import { path } from "../../lattice/dimensions/Path.js"
import type * as Request from "../../lattice/Request.js"
import { fold, foldAll } from "./fold.js"
import { rootOf, type Starts, shelves, usualHome } from "./shelves.js"
import { type Segments, Trees } from "./Trees.js"

export interface Given {
  readonly homes: ReadonlyArray<string>
  readonly guarded: ReadonlyArray<string>
  readonly closed?: ReadonlyArray<string> | undefined
  readonly code?: ReadonlyArray<string> | undefined
  readonly links?: ReadonlyArray<string> | undefined
  readonly lifted?: Lifted | undefined
}

/** Exact paths that a policy names, for each verb that it names them for. */
export interface Lifted {
  readonly write: ReadonlyArray<string>
  readonly delete: ReadonlyArray<string>
}

/** Why a path is refused, and whether a policy lifts that by naming it. */
export interface Forbidden {
  readonly lifts: boolean
  readonly reason: string
}

interface Compiled {
  readonly homes: ReadonlyArray<Segments>
  /** Why each tree of the operator's is closed, and why each is closed to who would change it. */
  readonly shut: Trees<string>
  readonly kept: Trees<string>
  /** Why each of these very paths is closed to who would change it. */
  readonly links: Trees<string>
  readonly lifted: { readonly [V in keyof Lifted]: ReadonlySet<string> }
}

const all = (paths: ReadonlyArray<string> = []) => Either.all(paths.map(path.element))

const keyOf = (segments: Segments): string => segments.join("/")

const trees = (said: ReadonlyArray<readonly [string, ReadonlyArray<Segments>]>): Trees<string> => {
  const made = new Trees<string>()
  for (const [reason, roots] of said) {
    for (const root of roots) made.add(root, reason)
  }
  return made
}

const compile = (given: Given): Compiled | undefined => {
  const read = Either.all({
    homes: all(given.homes),
    closed: all(given.closed),
    guarded: all(given.guarded),
    code: all(given.code),
    links: all(given.links),
    write: all(given.lifted?.write),
    delete: all(given.lifted?.delete)
  })
  // A place of the operator that cannot be read cannot be guarded, so everything is closed.
  if (Either.isLeft(read)) return undefined
  const { closed, code, guarded, homes, links, ...lifted } = read.right
  return {
    homes: homes.map((home) => home.map(fold)),
    shut: trees([["secrets or state of this program", closed]]),
    kept: trees([
      ["what may be done is read from it", guarded],
      ["it decides which code a command loads", code]
    ]),
    links: trees([["a link that leads to what is guarded", links]]),
    lifted: { write: new Set(lifted.write.map(keyOf)), delete: new Set(lifted.delete.map(keyOf)) }
  }
}

const known = new WeakMap<Given, Compiled | undefined>()

const compiled = (given: Given): Compiled | undefined => {
  if (!known.has(given)) known.set(given, compile(given))
  return known.get(given)
}

/** Of all that the kernel shows, what says nothing of a process. */
const harmless: ReadonlySet<string> = new Set(["cpuinfo", "loadavg", "meminfo", "uptime", "version"])

const isHarmless = (segments: Segments): boolean =>
  segments.length === 2 && segments[0] === "proc" && harmless.has(segments[1] ?? "")

const never = (reason: string): Forbidden => ({ lifts: false, reason })

const unreadable = never("the floor of the policy cannot be read")

const startsWith = (long: Segments, short: Segments): boolean =>
  short.length <= long.length && short.every((segment, at) => segment === long[at])

/** A home that is the root of the machine would have everything lie in a home. */
const homeOf = ({ homes }: Compiled, folded: Segments): number => {
  for (const home of homes) {
    if (home.length > 0 && startsWith(folded, home)) return home.length
  }
  return usualHome(folded)
}

const startsOf = (floor: Compiled, folded: Segments): Starts => ({
  segments: folded,
  root: rootOf(folded),
  home: homeOf(floor, folded)
})

/** Everybody's, and so nobody's. */
const SHARED = "/users/shared"

/** How many names of a path make up the home of somebody else; 0 where it is not known whose homes are whose. */
const othersHome = ({ homes }: Compiled, folded: Segments): number => {
  const depth = usualHome(folded)
  if (depth === 0 || homes.length === 0) return 0
  const home = folded.slice(0, depth)
  if (`/${keyOf(home)}` === SHARED) return 0
  return homes.some((own) => startsWith(own, home) || startsWith(home, own)) ? 0 : depth
}

/** Why a path is guarded that a policy may name: because of what runs later by itself, or of whose it is. */
const later = (floor: Compiled, starts: Starts): string | undefined =>
  shelves().later.reason(starts) ??
  (othersHome(floor, starts.segments) === 0 ? undefined : "the home of somebody else")

/** Whether the policy names the path, or one above it that lies no higher than the deepest guarded place. */
const isNamed = (
  named: ReadonlySet<string>,
  floor: Compiled,
  starts: Starts,
  segments: Segments
): boolean => {
  if (named.size === 0) return false
  const from = Math.max(shelves().later.depth(starts), othersHome(floor, starts.segments))
  for (let depth = segments.length; depth >= from; depth--) {
    if (named.has(keyOf(segments.slice(0, depth)))) return true
  }
  return false
}

export const forbidsFile = ({ element, verb }: Request.Scoped, given: Given): Forbidden | undefined => {
  const floor = compiled(given)
  const segments = element.path
  if (floor === undefined || segments === undefined) return unreadable
  const folded = foldAll(segments)
  const starts = startsOf(floor, folded)
  const { kept, shut } = shelves()
  const reads = verb === "read"
  const shown = shut.reason(starts)
  if (shown !== undefined && !(reads && isHarmless(segments))) return never(shown)
  const closed = floor.shut.findFolded(folded)
  if (closed !== undefined) return never(closed)
  if (reads) return undefined
  const guarded = kept.reason(starts) ?? floor.kept.findFolded(folded) ?? floor.links.exactlyFolded(folded)
  if (guarded !== undefined) return never(guarded)
  const reason = later(floor, starts)
  if (reason === undefined) return undefined
  const named = floor.lifted[verb === "delete" ? "delete" : "write"]
  return isNamed(named, floor, starts, segments) ? undefined : { lifts: true, reason }
}

/** Whether a home may lie below a path. */
const hasHomesBelow = ({ homes }: Compiled, folded: Segments): boolean =>
  homes.some((home) => home.length > folded.length && startsWith(home, folded)) ||
  (usualHome(folded) === 0 && usualHome([...folded, "a", "root"]) + usualHome([...folded, "root"]) > 0)

/**
 * Whether something below a path may not be changed because of where that path is. What is closed by its own name alone,
 * wherever it lies, does not count.
 */
export const forbidsBelow = ({ element }: Request.Scoped, given: Given): boolean => {
  const floor = compiled(given)
  const segments = element.path
  if (floor === undefined || segments === undefined) return true
  const folded = foldAll(segments)
  const starts = startsOf(floor, folded)
  const { kept, later, shut } = shelves()
  return (
    hasHomesBelow(floor, folded) ||
    [shut, kept, later].some((shelf) => shelf.hasBelow(starts)) ||
    [floor.shut, floor.kept, floor.links].some((trees) => trees.hasBelowFolded(folded))
  )
}

/** Those of the paths that lift something, in one spelling: they lie at or below what runs later by itself. */
export const lifting = (given: Given, paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const floor = paths.length === 0 ? undefined : compiled(given)
  if (floor === undefined) return []
  const lifts = (segments: Segments) => later(floor, startsOf(floor, foldAll(segments))) !== undefined
  return paths.flatMap((one) =>
    Either.match(path.element(one), {
      onLeft: () => [],
      onRight: (segments) => (lifts(segments) ? [`/${keyOf(segments)}`] : [])
    })
  )
}

/** What of mounts a child does not get: what the judge finds in them, and what layers keep. */

import type { Finding, Judge, Kept, Look } from "./Look.js"
import { follow } from "./links.js"
import { type Cover, type LeftOut, type Mount, viewOf } from "./Plan.js"
import { isWithin, outerFirst } from "./paths.js"

export interface Covering {
  readonly mounts: ReadonlyArray<Mount>
  readonly covers: ReadonlyArray<Cover>
}

interface Covered extends Covering {
  readonly leftOut: ReadonlyArray<LeftOut>
}

/** Each is a mount of its own, and each mount makes the next one slower. */
const MOST = 1000

const TOO_MANY = `more than ${MOST} places in it would have to be kept from a child one by one; name smaller directories`

const coverOf = ({ as, kind, path, reason }: Finding): ReadonlyArray<Cover> =>
  // A link leads to where it leads for the child.
  kind === "link" ? [] : [{ path, kind: kind === "directory" ? kind : "file", as, reason }]

const keptOf = (look: Look, { as, path, reason }: Kept): ReadonlyArray<Cover> => {
  const { kind, link } = follow(look, path)
  return link === undefined && kind !== undefined ? coverOf({ path, kind, as, reason }) : []
}

/** Those that change something: hidden ones anywhere, frozen ones where there would be writing. */
const needed = (mounts: ReadonlyArray<Mount>, all: ReadonlyArray<Cover>): ReadonlyArray<Cover> => {
  const covers = new Map<string, Cover>()
  const accessAt = viewOf({ mounts, covers })
  for (const cover of outerFirst(all)) {
    const access = accessAt(cover.path)
    const isNeeded = cover.as === "hidden" ? access !== "hidden" && access !== "none" : access === "write"
    if (isNeeded) covers.set(cover.path, cover)
  }
  return [...covers.values()]
}

export const coversOf = (
  given: ReadonlyArray<Mount>,
  kept: ReadonlyArray<Kept>,
  judge: Judge,
  look: Look
): Covered => {
  const mounts: Array<Mount> = []
  const leftOut: Array<LeftOut> = []
  const roots: Array<string> = []
  const keptHere = kept.flatMap((one) => keptOf(look, one))
  let all: ReadonlyArray<Cover> = []
  let covers: ReadonlyArray<Cover> = []

  const isLookedAt = (path: string): boolean =>
    roots.some((root) => isWithin(path, root)) && !all.some((cover) => isWithin(path, cover.path))

  /** Takes a mount if all that must be kept from the child in it can be. */
  const take = (mount: Mount, found: ReadonlyArray<Cover>): string | undefined => {
    const here = keptHere.filter(({ path }) => path !== mount.path && isWithin(path, mount.path))
    const more = needed([...mounts, mount], [...all, ...found, ...here])
    if (more.length > MOST) return TOO_MANY
    mounts.push(mount)
    all = [...all, ...found, ...here]
    covers = more
    return undefined
  }

  const why = (mount: Mount): string | undefined => {
    if (viewOf({ mounts, covers })(mount.path) === "hidden") return "it lies in what is kept from a child"
    if (mount.kind === "file" || isLookedAt(mount.path)) return take(mount, [])
    const surveyed = look.survey(mount.path, judge)
    if (!surveyed.isWhole) return surveyed.why
    const itself = surveyed.found.find(({ path }) => path === mount.path)
    if (itself !== undefined) return itself.reason
    const refused = take(mount, surveyed.found.flatMap(coverOf))
    if (refused === undefined) roots.push(mount.path)
    return refused
  }

  for (const mount of outerFirst(given)) {
    const reason = why(mount)
    if (reason !== undefined) leftOut.push({ what: `${mount.access} ${mount.path}`, why: reason })
  }
  return { mounts, covers, leftOut }
}

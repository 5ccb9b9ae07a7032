/**
 * From what a tool may touch to what one child of it sees. `plan` is a pure function: it decides, by the same authority
 * and floor that permitted the command, and asks what is there of a `Look`.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import * as Floor from "../gate/floor/Floor.js"
import type { Authority } from "../lattice/Authority.js"
import * as Request from "../lattice/Request.js"
import type { ScopeSet } from "../lattice/ScopeSet.js"
import { type Covering, coversOf } from "./covers.js"
import { hostsOf } from "./doors.js"
import { type Expansion, expand, type Found } from "./expand.js"
import { hooksOf } from "./hooks.js"
import * as Judge from "./Judge.js"
import type { Kept, Look } from "./Look.js"
import { follow } from "./links.js"
import { type LeftOut, type Mount, outermost, type Plan, viewOf } from "./Plan.js"
import { isWithin, outerFirst, segmentsOf } from "./paths.js"
import { PATH, type Reach, reachOf } from "./reach.js"
import { isSystem } from "./system.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Given {
  readonly authority: Authority
  readonly floor: Floor.Floor
  /** The command that was permitted, or the script. */
  readonly request: Request.Scoped
  /** Where it runs, without links. */
  readonly cwd: string
  /** The file that is executed, without links. */
  readonly binary: string
  readonly kept: ReadonlyArray<Kept>
}

/**
 * The mounts of a plan before anybody has looked into them: what a layer prepares its survey for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Outline {
  readonly given: Given
  readonly reach: Reach
  readonly mounts: ReadonlyArray<Mount>
  readonly ways: Expansion["ways"]
  readonly leftOut: ReadonlyArray<LeftOut>
}

const UNLED = "it is a link, or lies behind one, and leads to what the child does not see; name the real path"

/** Why the floor, or a layer that keeps it, closes a path. */
const closes = ({ floor, kept }: Given, verb: "read" | "write", path: string): string | undefined => {
  const asked = Request.file(verb, path)
  if (Either.isLeft(asked)) return asked.left.detail
  const forbidden = Floor.refuses(floor, asked.right)
  if (forbidden !== undefined) return forbidden.reason
  return kept.find((place) => (verb === "write" || place.as === "hidden") && isWithin(path, place.path))
    ?.reason
}

const isInTree = (path: string, trees: ReadonlyArray<Found>): boolean =>
  trees.some((tree) => tree.kind === "tree" && tree.path !== path && isWithin(path, tree.path))

/** What the floor leaves of an expansion. */
const open = (given: Given, verb: "read" | "write", { found, leftOut }: Expansion) => {
  const left = [...leftOut]
  const kept = found.filter(({ path }) => {
    const why = closes(given, verb, path)
    if (why !== undefined) left.push({ what: `${verb} ${path}`, why })
    return why === undefined
  })
  return { kept: kept.filter(({ path }) => !isInTree(path, kept)), left }
}

/**
 * @since 0.1.0
 * @category planning
 */
export const outline = (given: Given, look: Look): Outline => {
  const reach = reachOf(given.authority, given.request, given.cwd)
  const [reading, writing] = [expand(reach.read, "read", look), expand(reach.write, "write", look)]
  const [read, write] = [open(given, "read", reading), open(given, "write", writing)]
  const isWritten = (path: string) =>
    write.kept.some((one) => one.path === path) || isInTree(path, write.kept)
  const mounts = outerFirst([
    ...write.kept.map((one): Mount => ({ ...one, access: "write" })),
    ...read.kept
      // What the system shows is there already.
      .filter(({ path }) => !isWritten(path) && !isSystem(path))
      .map((one): Mount => ({ ...one, access: "read" }))
  ])
  return {
    given,
    reach,
    mounts,
    ways: [...reading.ways, ...writing.ways],
    leftOut: [...reach.leftOut, ...read.left, ...write.left]
  }
}

/**
 * The outline together with what git runs, or reads settings from, where settings of repositories name it. What would be
 * written in such a place is only read.
 *
 * @since 0.1.0
 * @category planning
 */
export const withHooks = (outlined: Outline, look: Look): Outline => {
  const { given, leftOut, mounts } = outlined
  const written = mounts.filter(({ access }) => access === "write")
  if (written.length === 0) return outlined
  const judge = Judge.of(given.floor)
  const found = outermost(mounts).flatMap((root) => {
    const surveyed = look.survey(root, judge)
    return surveyed.isWhole ? surveyed.found : []
  })
  const asked = { look, homes: given.floor.homes }
  const places = hooksOf(
    asked,
    written.map(({ path }) => path),
    found
  ).filter(({ path }) => written.some((mount) => isWithin(path, mount.path) || isWithin(mount.path, path)))
  if (places.length === 0) return outlined
  const why = ({ access, path }: Mount): string | undefined =>
    access === "write" ? places.find((place) => isWithin(path, place.path))?.reason : undefined
  return {
    ...outlined,
    given: { ...given, kept: [...given.kept, ...places] },
    mounts: mounts.map((mount) => (why(mount) === undefined ? mount : { ...mount, access: "read" })),
    leftOut: [
      ...leftOut,
      ...mounts.flatMap((mount) => {
        const reason = why(mount)
        return reason === undefined ? [] : [{ what: `write ${mount.path}`, why: reason }]
      })
    ]
  }
}

/** Paths that the policy names on the floor, inside of what is not written otherwise. */
const lifted = ({ given, reach }: Outline, look: Look, covering: Covering): ReadonlyArray<Mount> => {
  const accessAt = viewOf(covering)
  return (given.floor.lifted?.write ?? []).flatMap((path) => {
    const way = follow(look, path)
    const kind = way.link !== undefined ? undefined : mountOf(reach.write, path, way.kind)
    return kind !== undefined &&
      closes(given, "write", path) === undefined &&
      ["none", "read"].includes(accessAt(path))
      ? [{ path, kind, access: "write" as const }]
      : []
  })
}

const mountOf = (set: ScopeSet, path: string, kind: string | undefined): Mount["kind"] | undefined => {
  const segments = segmentsOf(path)
  if (kind === "directory") return set.holdsBelow(PATH, segments) ? "tree" : undefined
  return kind === "file" && set.find({ [PATH]: segments }) !== undefined ? "file" : undefined
}

/** Links to what is mounted, where no mount has them already. */
const linksOf = (ways: Expansion["ways"], covering: Covering) => {
  const accessAt = viewOf(covering)
  const links = new Map<string, string>()
  const leftOut: Array<LeftOut> = []
  for (const { what, way } of ways) {
    const isSeen = isSystem(way.path) || accessAt(way.path) !== "none"
    if (way.link === undefined || !isSeen) leftOut.push({ what, why: UNLED })
    else if (accessAt(way.link[0]) === "none" && !isSystem(way.link[0])) links.set(...way.link)
  }
  return { links: [...links].sort(([a], [b]) => (a < b ? -1 : 1)), leftOut }
}

/**
 * The plan of an outline, for who has looked into its mounts.
 *
 * @since 0.1.0
 * @category planning
 */
export const complete = (outlined: Outline, look: Look): Plan => {
  const { given, leftOut, mounts, ways } = outlined
  const judge = Judge.of(given.floor)
  const first = coversOf(mounts, given.kept, judge, look)
  const more = lifted(outlined, look, first)
  const second = more.length === 0 ? first : coversOf([...first.mounts, ...more], given.kept, judge, look)
  const { links, leftOut: unlinked } = linksOf(ways, second)
  const hosts = hostsOf(given.authority)
  return {
    mounts: second.mounts,
    covers: second.covers,
    links,
    cwd: given.cwd,
    binary: given.binary,
    reaches: hosts.reaches,
    doors: hosts.doors,
    leftOut: distinct([...leftOut, ...first.leftOut, ...second.leftOut, ...unlinked, ...hosts.leftOut])
  }
}

const distinct = (all: ReadonlyArray<LeftOut>): ReadonlyArray<LeftOut> => [
  ...new Map(all.map((one) => [`${one.what}\u0000${one.why}`, one])).values()
]

/**
 * What a child sees.
 *
 * @since 0.1.0
 * @category planning
 */
export const plan = (given: Given, look: Look): Plan => complete(withHooks(outline(given, look), look), look)

/**
 * What of a directory is not for a child: what the floor closes, what it guards from changes, and what a mount does not
 * hold (pipes and sockets work through one that is read-only). It is asked one directory at a time, so that whoever looks
 * through large trees can keep the answers.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import * as Floor from "../gate/floor/Floor.js"
import * as Request from "../lattice/Request.js"
import { getOrSet } from "../Memo.js"
import type { Entry, Finding, Judge, Judged, Part, Where } from "./Look.js"
import { inside, insideBare, isRepository, partOf, recognised } from "./repository.js"

/** Names that are not UTF-8 come as text with this in it: such a path leads nowhere. */
const NOT_TEXT = "\uFFFD"

const PACKAGES = "node_modules"

const SPECIAL = "neither a file nor a directory: what listens there is outside"
const UNASKABLE = "a name that nobody can ask for"
const UNTEXTUAL = "it holds something by a name that is no text, and that cannot be kept from a child alone"

interface Verdict {
  readonly finding?: Omit<Finding, "path" | "kind">
  /** How the directory is entered, if it is one and is. */
  readonly enter?: Where
}

const join = (directory: string, name: string): string =>
  directory === "/" ? `/${name}` : `${directory}/${name}`

const frozen = (reason: string, part?: Part): Verdict => ({
  finding: { as: "frozen", reason, ...(part === undefined ? {} : { part }) },
  enter: "frozen"
})

/** What a directory is by its name, where nothing else is known of it. */
const plainly = ({ kind, name }: Entry, forbidden: Floor.Forbidden | undefined): Verdict => {
  if (forbidden?.lifts === true && kind === "directory" && isRepository(name)) return { enter: "git" }
  if (forbidden !== undefined) return frozen(forbidden.reason)
  return { enter: name === PACKAGES ? "packages" : "plain" }
}

/** What may be read, and perhaps not changed. */
const guarded = (where: Where, entry: Entry, forbidden: Floor.Forbidden | undefined): Verdict => {
  const { name } = entry
  const isFirm = forbidden?.lifts === false
  switch (where) {
    case "frozen":
      return { enter: "frozen" }
    case "plain":
      return plainly(entry, forbidden)
    case "bare": {
      const part = partOf(name)
      if (part !== undefined) return frozen(part[1], part[0])
      return forbidden === undefined ? { enter: insideBare(name) } : plainly(entry, forbidden)
    }
    case "bareWorktrees":
      return forbidden === undefined ? { enter: "bare" } : plainly(entry, forbidden)
    case "git": {
      const part = partOf(name)
      // The floor closes all of a repository, and a policy opens parts of it by name.
      if (part !== undefined) return forbidden === undefined ? { enter: "plain" } : frozen(part[1], part[0])
      return isFirm ? frozen(forbidden.reason) : { enter: inside(name) }
    }
    case "worktrees":
      return isFirm ? frozen(forbidden.reason) : { enter: "git" }
    case "settled":
      return isFirm ? frozen(forbidden.reason) : { enter: isRepository(name) ? "git" : where }
    case "modules":
    case "packages":
      return isFirm ? frozen(forbidden.reason) : { enter: where }
  }
}

const verdict = (floor: Floor.Floor, path: string, where: Where, entry: Entry): Verdict => {
  if (entry.kind === "other") return { finding: { as: "hidden", reason: SPECIAL, isSpecial: true } }
  const writing = Request.file("write", path)
  if (Either.isLeft(writing)) {
    const unseen = entry.kind === "directory" ? { unseen: "name" as const } : {}
    return { finding: { as: "hidden", reason: UNASKABLE, isSpecial: true, ...unseen } }
  }
  // Whatever is closed to readers is closed to writers, and most paths are neither.
  const forbidden = Floor.refuses(floor, writing.right)
  const reading = forbidden === undefined ? undefined : Request.file("read", path)
  const shut = reading && Either.isRight(reading) ? Floor.refuses(floor, reading.right) : undefined
  return shut === undefined
    ? guarded(where, entry, forbidden)
    : { finding: { as: "hidden", reason: shut.reason } }
}

const hidden = (path: string, reason: string, unseen: Finding["unseen"]): Finding => ({
  path,
  kind: "directory",
  as: "hidden",
  reason,
  isSpecial: true,
  unseen
})

const judged = (floor: Floor.Floor, path: string, given: Where, entries: ReadonlyArray<Entry>): Judged => {
  const where = recognised(path, given, entries)
  const found: Array<Finding> = []
  const enter: Array<readonly [string, Where]> = []
  let isTextual = true
  for (const entry of entries) {
    const at = join(path, entry.name)
    const { enter: as, finding } = verdict(floor, at, where, entry)
    const isDirectory = entry.kind === "directory"
    if (entry.name.includes(NOT_TEXT) && (isDirectory || finding !== undefined)) {
      // All of it is kept from a child. What else is in it is found all the same, for who clears up after one.
      isTextual = false
      continue
    }
    if (finding !== undefined) found.push({ path: at, kind: entry.kind, ...finding })
    if (isDirectory && as !== undefined) enter.push([entry.name, as])
  }
  return { found: isTextual ? found : [hidden(path, UNTEXTUAL, "text"), ...found], enter }
}

const made = new WeakMap<Floor.Floor, Judge>()

/**
 * The judge of a floor.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = (floor: Floor.Floor): Judge =>
  getOrSet(made, floor, () => ({
    key: JSON.stringify(floor),
    whereOf: (root) => (root.split("/").includes(PACKAGES) ? "packages" : "plain"),
    directory: (path, where, entries) => judged(floor, path, where, entries),
    unreadable: (path, reason) => hidden(path, reason, "locked")
  }))

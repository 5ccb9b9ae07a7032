/**
 * What the layers of this process keep for themselves: stores, caches, files of secrets. The layer that keeps a place
 * says so here, and no tool gets there through files or as a working directory, whatever its policy reaches. A place
 * stays closed for as long as the process lives: what was kept there is still there when its layer is not.
 */
import { resolve } from "node:path"
import { type Segments, Trees } from "../../../policy/gate/floor/Trees.js"
import { holds, type Identity } from "./inodes.js"
import { follow } from "./Links.js"

/** Whether a path below a closed place is open to who reads it in a session. */
type Opens = (path: string, session: string) => boolean

interface Place {
  readonly path: string
  readonly reason: string
  readonly opens: Opens
  /** A directory that this program makes when it needs it. */
  readonly isMade: boolean
}

/** A place as those see it who hold children: hidden from them, or frozen. */
export interface KeptPlace extends Pick<Place, "path" | "reason" | "isMade"> {
  readonly as: "hidden" | "frozen"
}

const toNobody: Opens = () => false

const OWN = "secrets or state of this program"
const RECORDS = "records, which are changed as records"

const closed = new Trees<Place>()
const guarded = new Trees<Place>()
/** Links that lead to these: who replaced one would decide what is found there. */
const links = new Trees<string>()
const places = new Map<string, Place>()
const forChildren = new Map<string, KeptPlace>()

const segmentsOf = (path: string): Segments => path.split("/").filter((name) => name !== "")

const add = (trees: Trees<Place>, given: string, said: Omit<Place, "path">): ReadonlyArray<Place> => {
  const path = resolve(given)
  const way = follow(path)
  for (const link of way.links) {
    links.add(segmentsOf(link), said.reason)
    forChildren.set(link, { path: link, reason: said.reason, isMade: false, as: "frozen" })
  }
  return [...new Set([path, way.path])].map((one) => {
    const place = { path: one, ...said }
    trees.add(segmentsOf(one), place)
    return place
  })
}

/** Closes a file, or a directory with all that is in it, to every tool; by its name, and by where that leads now. */
export const close = (
  path: string,
  { isMade = false, opens = toNobody, reason = OWN }: Partial<Place> = {}
): void => {
  for (const place of add(closed, path, { opens, reason, isMade })) {
    places.set(place.path, place)
    forChildren.set(place.path, { path: place.path, reason, isMade, as: "hidden" })
  }
}

/** The same to who would change it, for records; they may be read. */
export const guard = (path: string): void => {
  for (const place of add(guarded, path, { opens: toNobody, reason: RECORDS, isMade: true })) {
    if (forChildren.get(place.path)?.as === "hidden") continue
    forChildren.set(place.path, { path: place.path, reason: RECORDS, isMade: true, as: "frozen" })
  }
}

/** All of these, and the links that lead to them, for those who hold children. */
export const forChild = (): ReadonlyArray<KeptPlace> => [...forChildren.values()]

/**
 * Why a path is kept from who would read it, or change it, in a session. Of closed places that lie in one another, the
 * innermost decides.
 */
export const why = (path: string, verb: "read" | "write" | "delete", session: string): string | undefined => {
  const found = closed.innermost(path)
  if (found !== undefined) return verb === "read" && found.opens(path, session) ? undefined : found.reason
  return verb === "read" ? undefined : (guarded.find(path)?.reason ?? links.exactly(path))
}

/** Whether any of that lies below a path: who moved the path would move it too, or bring something there. */
export const hasBelow = (path: string): boolean =>
  [closed, guarded, links].some((trees) => trees.hasBelow(path))

/** Whether an open file that has several names is a closed one under another, or too many are closed to tell. */
export const isKept = (identity: Identity): boolean =>
  [...places.values()].some(({ path }) => holds(path, identity))

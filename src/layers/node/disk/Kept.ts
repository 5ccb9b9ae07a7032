/**
 * What the layers of this process keep for themselves: stores, caches, files of secrets. The layer that keeps a place
 * says so here, and no tool gets there through files or as a working directory, whatever its policy reaches. A place
 * stays closed for as long as the process lives: what was kept there is still there when its layer is not.
 */
import * as fs from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { type Segments, Trees } from "../../../policy/gate/floor/Trees.js"

/** Whether a path below a closed place is open to who reads it in a session. */
type Opens = (path: string, session: string) => boolean

interface Place {
  readonly path: string
  readonly reason: string
  readonly opens: Opens
}

const toNobody: Opens = () => false

const OWN = "secrets or state of this program"
const RECORDS = "records, which are changed as records"

const closed = new Trees<Place>()
const guarded = new Trees<Place>()
const places = new Map<string, Place>()

const segmentsOf = (path: string): Segments => path.split("/").filter((name) => name !== "")

/** What a path that need not exist yet will be, once the links above it are followed. */
const realOf = (path: string): string => {
  try {
    return fs.realpathSync.native(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(realOf(above), basename(path))
  }
}

const add = (trees: Trees<Place>, given: string, said: Omit<Place, "path">): ReadonlyArray<Place> => {
  const path = resolve(given)
  return [...new Set([path, realOf(path)])].map((one) => {
    const place = { path: one, ...said }
    trees.add(segmentsOf(one), place)
    return place
  })
}

/** Closes a file, or a directory with all that is in it, to every tool; by its name, and by where that leads now. */
export const close = (path: string, { opens = toNobody, reason = OWN }: Partial<Place> = {}): void => {
  for (const place of add(closed, path, { opens, reason })) places.set(place.path, place)
}

/** The same to who would change it, for records; they may be read. */
export const guard = (path: string): void => {
  add(guarded, path, { opens: toNobody, reason: RECORDS })
}

/** Why a path is kept from who would read it, or change it, in a session. */
export const why = (path: string, verb: "read" | "write" | "delete", session: string): string | undefined => {
  const found = closed.find(path)
  if (found !== undefined) return verb === "read" && found.opens(path, session) ? undefined : found.reason
  return verb === "read" ? undefined : guarded.find(path)?.reason
}

/** How many files of a closed directory a file with several names is compared with. */
const COMPARED = 64

type Identity = Pick<fs.Stats, "dev" | "ino">

const isAt = (path: string, { dev, ino }: Identity): boolean => {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true && found.dev === dev && found.ino === ino
}

const holds = (path: string, identity: Identity): boolean => {
  try {
    if (fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return isAt(path, identity)
    return fs
      .readdirSync(path)
      .slice(0, COMPARED)
      .some((name) => isAt(join(path, name), identity))
  } catch {
    return false
  }
}

/**
 * Whether an open file that has several names is a closed one, under another. In closed directories it is looked for only
 * among what lies directly in them.
 */
export const isKept = (identity: Identity): boolean =>
  [...places.values()].some(({ path }) => holds(path, identity))

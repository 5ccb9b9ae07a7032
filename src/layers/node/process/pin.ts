/** Which file a name stands for, found on the operator's path once, and how to tell later that it is still that file. */
import { accessSync, type BigIntStats, constants, lstatSync, readlinkSync, statSync } from "node:fs"
import { isAbsolute, normalize } from "node:path"
import { Either } from "effect"
import type { ProcessBackend } from "../../../capabilities/process/ProcessBackend.js"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import type { Scoped } from "../../../policy/lattice/Request.js"
import * as refusals from "./refusals.js"

type Pinned = ProcessBackend.Pinned

/** As many links as the system itself follows. */
const LINKS = 40

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))

/** Where a path leads, and every directory and link that has a say in it. */
const follow = (found: string): Pick<Pinned, "path" | "way"> => {
  const way = new Set<string>()
  const pending = found.split("/").reverse()
  let at = ""
  for (let links = 0; pending.length > 0; ) {
    const segment = pending.pop() ?? ""
    if (segment === "" || segment === ".") continue
    if (segment === "..") {
      at = parentOf(at)
      continue
    }
    const next = `${at}/${segment}`
    way.add(next)
    if (!lstatSync(next).isSymbolicLink()) {
      at = next
      continue
    }
    if (++links > LINKS) throw new Error("a loop of links")
    const target = readlinkSync(next)
    if (isAbsolute(target)) at = ""
    pending.push(...target.split("/").reverse())
  }
  return { path: at, way: [...way] }
}

const identityOf = ({ dev, ino, mtimeNs, size }: BigIntStats): string => `${dev}:${ino}:${size}:${mtimeNs}`

/** Only what was looked up here is started: a record that looks like it is not it. */
const made = new WeakSet<Pinned>()

const pinAt = (name: string, found: string): Pinned | undefined => {
  try {
    const { path, way } = follow(found)
    const stats = statSync(path, { bigint: true })
    if (!stats.isFile()) return undefined
    accessSync(path, constants.X_OK)
    const pinned = Object.freeze({ name, found, path, way, identity: identityOf(stats) })
    made.add(pinned)
    return pinned
  } catch {
    return undefined
  }
}

/** The directories of a search path. Relative ones depend on where one stands, and are left out. */
export const directoriesOf = (path: string): ReadonlyArray<string> =>
  path.split(":").filter((directory) => isAbsolute(directory))

/** A path is looked at only in its one spelling, and from the root. */
const placeOf = (path: string): ReadonlyArray<string> =>
  isAbsolute(path) && normalize(path) === path ? [path] : []

export const pin = (
  name: string,
  directories: ReadonlyArray<string>
): Either.Either<Pinned, ProcessError> => {
  const candidates =
    name === "" || name.includes("\u0000")
      ? []
      : name.includes("/")
        ? placeOf(name)
        : directories.map((directory) => normalize(`${directory}/${name}`))
  for (const candidate of candidates) {
    const pinned = pinAt(name, candidate)
    if (pinned !== undefined) return Either.right(pinned)
  }
  return Either.left(refusals.notFound(name))
}

/** The shell is one file, and is not looked for. */
export const pinShell = (path: string): Either.Either<Pinned, ProcessError> =>
  Either.fromNullable(
    placeOf(path)
      .map((place) => pinAt(path, place))
      .at(0),
    () => refusals.shellNotFound(path)
  )

const isStill = (path: string, identity: string): boolean => {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats !== undefined && identityOf(stats) === identity
}

/** Whether a binary is what it was when it was found, at both ends of its links. */
export const verify = (pinned: Pinned, proof: Proof<Scoped>): Either.Either<Pinned, ProcessError> => {
  if (!made.has(pinned)) return Either.left(refusals.notProven(proof))
  const { found, identity, name, path } = pinned
  try {
    if (isStill(path, identity) && (found === path || isStill(found, identity))) return Either.right(pinned)
  } catch {
    // What cannot be looked at is not known to be the same.
  }
  return Either.left(refusals.replaced(name)(proof))
}

/** Where a child runs: a directory that is held open from the moment it is checked until the child stands in it. */
import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { Either } from "effect"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import * as Request from "../../../policy/lattice/Request.js"
import * as Kept from "../disk/Kept.js"
import * as refusals from "./refusals.js"

/** As many as the system itself follows. */
const HOPS = 40

const targetOf = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/").filter((part) => part !== "")

/**
 * Where a path leads, with its links followed by hand. `..` in a link is taken by the letter, so that nothing outside is
 * looked at to find out where a link leads back in. What is missing is no link. In a loop it is the path where following
 * was given up.
 */
const withoutLinks = (asked: string): string => {
  let segments = segmentsOf(asked)
  for (let i = 0, hops = 0; i < segments.length && hops < HOPS; ) {
    const above = `/${segments.slice(0, i).join("/")}`
    const target = targetOf(`/${segments.slice(0, i + 1).join("/")}`)
    if (target === undefined) {
      i++
      continue
    }
    segments = segmentsOf(resolve(above, target, ...segments.slice(i + 1)))
    i = 0
    hops++
  }
  return `/${segments.join("/")}`
}

export interface Directory {
  /** Where it really is. */
  readonly path: string
  /** How a child gets there, whatever has been renamed since. */
  readonly at: string
  readonly close: () => void
}

/** Names a directory without asking for the right to list it. Node has no name for it. */
const O_PATH = 0o10000000

const held = (path: string): Directory => {
  const descriptor = openSync(path, O_PATH | constants.O_DIRECTORY)
  const at = `/proc/self/fd/${descriptor}`
  const close = () => closeSync(descriptor)
  try {
    const real = readlinkSync(at)
    // The name of one that was removed says so; what was asked for is not it.
    if (real !== path && fstatSync(descriptor).nlink === 0) throw new Error("it was removed")
    return { path: real, at, close }
  } catch (error) {
    close()
    throw error
  }
}

/** Without `/proc` a directory is known by its path only. */
const named = (path: string): Directory => {
  const real = realpathSync.native(path)
  if (!statSync(real).isDirectory()) throw new Error("it is no directory")
  return { path: real, at: real, close: () => {} }
}

const opened = process.platform === "linux" ? held : named

/** The same question about another directory. */
const asking = ({ element, verb }: Request.Scoped, directory: string) =>
  verb === "eval" ? Request.shell(directory) : Request.exec(element.argv ?? [], directory)

/** A directory that is at this very path: no link took part. None that this program keeps for itself; records are read. */
const at = (path: string): Directory | undefined => {
  if (Kept.why(path, "read", "") !== undefined) return undefined
  try {
    const directory = opened(path)
    if (directory.path === path) return directory
    directory.close()
  } catch {
    // What is not there and what may not be entered are one answer.
  }
  return undefined
}

const reached = (directory: Directory | undefined, asked: string): Either.Either<Directory, ProcessError> =>
  directory === undefined ? Either.left(refusals.notADirectory(asked)) : Either.right(directory)

/** Who was permitted to run without a directory stands at the root, if that is permitted as well. */
const atRoot = (proof: Proof<Request.Scoped>): Either.Either<Directory, ProcessError> => {
  const also = proof.also(asking(proof.request, "/"))
  return Either.isLeft(also) ? Either.left(refusals.notThere(also.left.denial)) : reached(at("/"), "/")
}

/**
 * The directory of a proof, opened. Where its links lead to another one, that must be permitted as well, and is asked
 * before it is looked at, so that the answer does not depend on what is there.
 */
export const enter = (proof: Proof<Request.Scoped>): Either.Either<Directory, ProcessError> => {
  const segments = proof.request.element.in
  if (segments === undefined) return atRoot(proof)
  const asked = `/${segments.join("/")}`
  const direct = at(asked)
  if (direct !== undefined) return Either.right(direct)
  const real = withoutLinks(asked)
  if (real === asked) return Either.left(refusals.notADirectory(asked))
  return Either.isLeft(proof.also(asking(proof.request, real)))
    ? Either.left(refusals.outside(proof, asked))
    : reached(at(real), asked)
}

/** Where a child runs: a directory that is held open from the moment it is checked until the child stands in it. */
import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync, statSync } from "node:fs"
import { Either } from "effect"
import { ProcessError } from "../../../capabilities/Process.js"
import type { Proof } from "../../../policy/Proof.js"
import * as Request from "../../../policy/Request.js"
import * as refusals from "./refusals.js"

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

const permitted = (
  proof: Proof<Request.Scoped>,
  asked: string | undefined,
  { path }: Directory
): ProcessError | undefined => {
  if (path === asked) return undefined
  const also = proof.also(asking(proof.request, path))
  if (Either.isRight(also)) return undefined
  const refusal = also.left
  return refusal._tag === "Denied"
    ? new ProcessError({ code: "CWD_NOT_REACHABLE", detail: refusal.denial.detail, denial: refusal.denial })
    : new ProcessError({ code: "CWD_NOT_REACHABLE", detail: refusal.invalid.detail })
}

/** The directory of a proof, opened. Where it turns out to be another one, that must be permitted as well. */
export const enter = (proof: Proof<Request.Scoped>): Either.Either<Directory, ProcessError> => {
  const segments = proof.request.element.in
  const asked = segments === undefined ? undefined : `/${segments.join("/")}`
  let directory: Directory
  try {
    directory = opened(asked ?? "/")
  } catch {
    return Either.left(refusals.notADirectory(asked ?? "/"))
  }
  const refusal = permitted(proof, asked, directory)
  if (refusal === undefined) return Either.right(directory)
  directory.close()
  return Either.left(refusal)
}

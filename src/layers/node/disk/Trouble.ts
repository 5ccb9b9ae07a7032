/** Why a path could not be used as it was asked for, before it is known what may be said of it. */
import { Effect } from "effect"
import { FilesError } from "../../../capabilities/files/FilesOperations.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import type { Denial } from "../../../policy/lattice/Denial.js"
import * as Request from "../../../policy/lattice/Request.js"

export type Verb = "read" | "write" | "delete"

/** A code of the operating system, or one of ours. It is turned into words once it is known that no link led there. */
export class Trouble {
  readonly _tag = "Trouble"
  constructor(
    readonly code: string,
    /** How much would have been fine, where that is the trouble. */
    readonly limit = 0
  ) {}
}

/** What is open is not at the path that was asked for. */
export const elsewhere = new Trouble("ELSEWHERE")

export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "UNKNOWN"

const verbs = { read: "read", write: "written", delete: "deleted" } as const

const LINK_REMEDY = "have the policy name the real path, or use a path without symbolic links"

/** What the policy permits by name, and links or the disk do not let be held to that name. */
const denialOf = (proof: Proof<Request.Scoped>, detail: string, remedy: string): Denial => ({
  reason: "scope_violation",
  code: "PATH_NOT_REACHABLE",
  detail,
  tool: proof.tool,
  capability: proof.request.capability,
  asked: Request.summary(proof.request),
  held: [],
  remedy
})

const refused = (denial: Denial): FilesError =>
  new FilesError({ code: "PATH_NOT_REACHABLE", detail: denial.detail, denial })

/** The same for a link to what exists and to what does not, and silent about where it leads. */
export const outside = (proof: Proof<Request.Scoped>, verb: Verb, path: string): FilesError => {
  const detail = `${path} resolves outside what may be ${verbs[verb]}, through a symbolic link; ${LINK_REMEDY}`
  return refused(denialOf(proof, detail, LINK_REMEDY))
}

/** What this process keeps for itself. */
export const kept = (
  proof: Proof<Request.Scoped>,
  verb: Verb,
  path: string,
  reason = "another name of what this program keeps"
): FilesError => {
  const detail = `${verb} not permitted for ${path}: it is always refused (${reason})`
  return refused(proof.refuse(denialOf(proof, detail, "no policy lifts this; use another path")))
}

export const loop = (proof: Proof<Request.Scoped>, path: string): FilesError => {
  const remedy = "remove one of them"
  return refused(proof.refuse(denialOf(proof, `${path} is a loop of symbolic links; ${remedy}`, remedy)))
}

/** What is there is not what the name stands for, however often it is looked at. */
export const unsettled = (proof: Proof<Request.Scoped>, path: string): FilesError =>
  refused(
    proof.refuse(
      denialOf(
        proof,
        `${path} could not be held to exactly that name: it kept changing, or is spelled differently on disk`,
        "use the path as it is spelled on disk, while nothing moves it"
      )
    )
  )

/** Refusals of a permitted path, which may say what is there. */
export const words = (verb: Verb, path: string, trouble: Trouble): FilesError => {
  const error = (code: FilesError["code"], detail: string) => new FilesError({ code, detail })
  switch (trouble.code) {
    case "ENOENT":
      return error(
        "NOT_FOUND",
        verb === "write"
          ? `the directory of ${path} does not exist; make it first, with mkdir`
          : `${path} does not exist`
      )
    case "ENOTDIR":
      return error("NOT_A_DIRECTORY", `${path}, or what is above it, is not a directory`)
    case "EISDIR":
      return error("NOT_A_FILE", `${path} is a directory`)
    case "ENXIO":
    case "SPECIAL":
      return error(
        "NOT_A_FILE",
        `${path} is neither a regular file nor a directory, and nothing else is opened`
      )
    case "EEXIST":
      return error("ALREADY_EXISTS", `${path} already exists`)
    case "ENOTEMPTY":
      return error("FILES_FAILED", `${path} is not empty; remove it with the option 'recursive'`)
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return error("FILES_FAILED", `the operating system does not let ${path} be ${verbs[verb]}`)
    case "EXDEV":
      return error(
        "FILES_FAILED",
        `${path} is on another disk than what would be moved there; read it, write it there, and remove the old one`
      )
    case "ENAMETOOLONG":
      return error("PATH_INVALID", `${path.slice(0, 200)}… is longer than the file system allows`)
    case "MALFORMED":
      return error("PATH_INVALID", "the path holds half of a character, and no file can have that name")
    case "ENOSPC":
    case "EDQUOT":
      return error("FILES_FAILED", `there is no space left to write ${path}`)
    case "EMFILE":
    case "ENFILE":
      return error("FILES_FAILED", `too many files are open to open ${path}; try again later`)
    case "TOO_LARGE":
      return error(
        "LIMIT_EXCEEDED",
        `${path} is larger than the ${trouble.limit} bytes that are read at once; pass offset and length`
      )
    case "UNVERIFIABLE":
      return error(
        "FILES_FAILED",
        `what ${path} opens could not be verified; descriptors are looked up in /proc, which must be mounted`
      )
    default:
      return error("FILES_FAILED", `${path} could not be ${verbs[verb]} (${trouble.code})`)
  }
}

export const fail = (code: FilesError["code"], detail: string): Effect.Effect<never, FilesError> =>
  Effect.fail(new FilesError({ code, detail }))

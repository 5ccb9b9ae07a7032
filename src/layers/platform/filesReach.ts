/**
 * Where a path leads, asked of the platform, and whether that is permitted. Between this and what is done there is a moment:
 * the platform has no way to hold what was checked.
 */
import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import { Effect, Either } from "effect"
import { FilesBackend } from "../../capabilities/files/FilesBackend.js"
import { FilesError } from "../../capabilities/files/FilesOperations.js"
import type { Proof } from "../../policy/gate/Proof.js"
import type { Verb } from "../../policy/lattice/Facets.js"
import * as Request from "../../policy/lattice/Request.js"

/** How much one operation may touch. */
export interface Limits {
  readonly readBytes: number
  readonly writeBytes: number
  readonly entries: number
  readonly searchFileBytes: number
  readonly matches: number
}

export interface Place {
  readonly fs: FileSystem.FileSystem
  readonly limits: Limits
}

export type Given = Proof<Request.Scoped>

export const fail = (code: FilesError["code"], detail: string): FilesError => new FilesError({ code, detail })

export const join = (directory: string, name: string): string =>
  directory === "/" ? `/${name}` : `${directory}/${name}`

export const split = (path: string): { readonly above: string; readonly name: string } => {
  const at = path.lastIndexOf("/")
  return { above: at === 0 ? "/" : path.slice(0, at), name: path.slice(at + 1) }
}

const codes: { readonly [R in string]?: FilesError["code"] } = {
  NotFound: "NOT_FOUND",
  AlreadyExists: "ALREADY_EXISTS",
  BadResource: "NOT_A_DIRECTORY"
}

const details: { readonly [C in FilesError["code"]]?: string } = {
  NOT_FOUND: "does not exist, or the directory above it does not",
  ALREADY_EXISTS: "already exists",
  NOT_A_DIRECTORY: "is not a directory, or lies below a file"
}

/** Without the description, which may name where a link leads. */
const worded = (path: string, error: PlatformError): FilesError => {
  const reason = error._tag === "SystemError" ? error.reason : error._tag
  const code = codes[reason] ?? "FILES_FAILED"
  return fail(code, `${path} ${details[code] ?? `could not be used (${reason})`}`)
}

export const said = <A, R>(
  path: string,
  effect: Effect.Effect<A, PlatformError, R>
): Effect.Effect<A, FilesError, R> => Effect.mapError(effect, (error) => worded(path, error))

/** As many as Linux follows. */
const HOPS = 40

const normal = (path: string): string => {
  const kept: Array<string> = []
  for (const segment of path.split("/")) {
    if (segment === "..") kept.pop()
    else if (segment !== "" && segment !== ".") kept.push(segment)
  }
  return `/${kept.join("/")}`
}

/** Where a link points, if there is one. */
export const targetOf = ({ fs }: Place, path: string): Effect.Effect<string | undefined> =>
  Effect.orElseSucceed(fs.readLink(path), () => undefined)

/** The path without links that a path stands for, whether it is there or not; `undefined` for a loop. */
export const real = (place: Place, path: string, hops = 0): Effect.Effect<string | undefined> =>
  hops > HOPS || path === "/"
    ? Effect.succeed(path === "/" ? path : undefined)
    : Effect.matchEffect(place.fs.realPath(path), {
        onSuccess: (found) => Effect.succeed(found),
        onFailure: () =>
          Effect.gen(function* () {
            const { above, name } = split(path)
            const parent = yield* real(place, above, hops + 1)
            if (parent === undefined) return undefined
            const target = yield* targetOf(place, path)
            if (target === undefined) return join(parent, name)
            return yield* real(
              place,
              normal(target.startsWith("/") ? target : join(parent, target)),
              hops + 1
            )
          })
      })

const LINK_REMEDY = "have the policy name the real path, or use a path without symbolic links"

/** The same for a link to what exists and to what does not, and silent about where it leads. */
const outside = (proof: Given, path: string, detail: string, remedy: string): FilesError =>
  FilesBackend.refusals.denied({
    reason: "scope_violation",
    code: "PATH_NOT_REACHABLE",
    detail: `${path} ${detail}; ${remedy}`,
    tool: proof.tool,
    capability: proof.request.capability,
    asked: Request.summary(proof.request),
    held: [],
    remedy
  })

/** Uses a path where it really leads, if that is permitted for the same verb; a link at the end may be meant itself. */
export const located = <A>(
  place: Place,
  proof: Given,
  verb: Verb<"files">,
  leaf: "follow" | "keep",
  use: (path: string) => Effect.Effect<A, FilesError>
): Effect.Effect<A, FilesError> =>
  Effect.gen(function* () {
    const asked = yield* FilesBackend.pathFor(proof, verb)
    const { above, name } = split(asked)
    const parent = leaf === "keep" && name !== "" ? yield* real(place, above) : undefined
    const found = leaf === "keep" && name !== "" ? parent && join(parent, name) : yield* real(place, asked)
    if (found === undefined) {
      return yield* outside(proof, asked, "is a loop of symbolic links", "remove one of them")
    }
    if (found !== asked && Either.isLeft(FilesBackend.also(proof, verb, found))) {
      return yield* outside(
        proof,
        asked,
        "resolves outside what may be used so, through a symbolic link",
        LINK_REMEDY
      )
    }
    return yield* use(found)
  })

export const reads = (proof: Given, path: string): boolean => proof.permits(Request.file("read", path))

/** What is at a path that has no link in it. */
export const infoAt = ({ fs }: Place, path: string): Effect.Effect<FileSystem.File.Info, FilesError> =>
  said(path, fs.stat(path))

/** `undefined` where there is nothing. */
export const maybeAt = (
  place: Place,
  path: string
): Effect.Effect<FileSystem.File.Info | undefined, FilesError> =>
  Effect.catchIf(
    infoAt(place, path),
    ({ code }) => code === "NOT_FOUND",
    () => Effect.succeed(undefined)
  )

export const notAFile = (path: string, isDirectory: boolean): FilesError =>
  fail(
    "NOT_A_FILE",
    isDirectory
      ? `${path} is a directory`
      : `${path} is neither a regular file nor a directory, and nothing else is opened`
  )

export const namesIn = (place: Place, path: string): Effect.Effect<ReadonlyArray<string>, FilesError> =>
  Effect.gen(function* () {
    const { type } = yield* infoAt(place, path)
    if (type !== "Directory") return yield* fail("NOT_A_DIRECTORY", `${path} is not a directory`)
    const names = yield* said(path, place.fs.readDirectory(path))
    return names.length > place.limits.entries
      ? yield* fail(
          "LIMIT_EXCEEDED",
          `a directory holds more than the ${place.limits.entries} entries that are listed`
        )
      : [...names].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  })

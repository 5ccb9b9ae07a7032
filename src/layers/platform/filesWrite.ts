/** Writing, adding, creating and making directories. */

import type * as FileSystem from "@effect/platform/FileSystem"
import { Effect, Option } from "effect"
import { FilesBackend } from "../../capabilities/files/FilesBackend.js"
import type { FilesError } from "../../capabilities/files/FilesOperations.js"
import { sharedFile } from "../files/Moved.js"
import { fail, type Given, infoAt, join, maybeAt, notAFile, type Place, said, split } from "./filesReach.js"

const temporaryName = (): string =>
  `.${Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("")}.tmp`

const PERMISSIONS = 0o777

/** Why what is at a path does not give way to a file. */
export const occupied = (path: string, { mode, type }: FileSystem.File.Info): FilesError | undefined => {
  if (type !== "File") return notAFile(path, type === "Directory")
  return (mode & 0o222) === 0 ? fail("FILES_FAILED", `the mode of ${path} lets nobody write it`) : undefined
}

/** A directory that may be written into. */
const placed = (place: Place, path: string): Effect.Effect<void, FilesError> =>
  Effect.flatMap(infoAt(place, split(path).above), ({ type }) =>
    type === "Directory" ? Effect.void : fail("NOT_A_DIRECTORY", `what is above ${path} is not a directory`)
  )

/** Writes beside the place, and has it put there; of what fails nothing is left. */
const beside = (
  place: Place,
  path: string,
  content: Uint8Array,
  put: (temporary: string) => Effect.Effect<void, FilesError>
): Effect.Effect<void, FilesError> => {
  const temporary = join(split(path).above, temporaryName())
  return Effect.acquireUseRelease(
    Effect.succeed(temporary),
    () =>
      Effect.zipRight(
        // One that is given up in the middle may make its file after that was removed.
        Effect.uninterruptible(said(path, place.fs.writeFile(temporary, content, { flag: "wx" }))),
        put(temporary)
      ),
    () => Effect.ignore(place.fs.remove(temporary, { force: true }))
  )
}

export const writeAt = (place: Place, path: string, content: Uint8Array): Effect.Effect<void, FilesError> =>
  Effect.gen(function* () {
    const old = yield* maybeAt(place, path)
    const trouble = old && occupied(path, old)
    if (trouble !== undefined) return yield* trouble
    yield* placed(place, path)
    yield* beside(place, path, content, (temporary) =>
      Effect.gen(function* () {
        if (old !== undefined) yield* Effect.ignore(place.fs.chmod(temporary, old.mode & PERMISSIONS))
        yield* said(path, place.fs.rename(temporary, path))
      })
    )
  })

/** A second name is given to one of several only; where the platform knows none, the file is made in its place. */
export const putExclusively = (place: Place, from: string, to: string): Effect.Effect<boolean, FilesError> =>
  Effect.matchEffect(place.fs.link(from, to), {
    onSuccess: () => Effect.succeed(true),
    onFailure: (error) =>
      error._tag === "SystemError" && error.reason === "AlreadyExists"
        ? fail("ALREADY_EXISTS", `${to} already exists`)
        : Effect.succeed(false)
  })

export const createAt = (place: Place, path: string, content: Uint8Array): Effect.Effect<void, FilesError> =>
  Effect.zipRight(
    placed(place, path),
    beside(place, path, content, (temporary) =>
      Effect.flatMap(putExclusively(place, temporary, path), (put) =>
        put ? Effect.void : said(path, place.fs.writeFile(path, content, { flag: "wx" }))
      )
    )
  )

export const appendAt = (place: Place, path: string, content: Uint8Array): Effect.Effect<void, FilesError> =>
  Effect.gen(function* () {
    const old = yield* maybeAt(place, path)
    const trouble = old && occupied(path, old)
    if (trouble !== undefined) return yield* trouble
    if (old !== undefined && Option.getOrElse(old.nlink, () => 1) > 1) return yield* sharedFile(path)
    yield* placed(place, path)
    yield* Effect.uninterruptible(said(path, place.fs.writeFile(path, content, { flag: "a" })))
  })

const PRIVATE = 0o700

export const makeAt = (place: Place, path: string, isPrivate = false): Effect.Effect<void, FilesError> =>
  path === "/"
    ? fail("ALREADY_EXISTS", "/ already exists")
    : Effect.zipRight(
        placed(place, path),
        said(path, place.fs.makeDirectory(path, isPrivate ? { mode: PRIVATE } : {}))
      )

/** A directory and those that are missing above it, each of which needs to be permitted. */
export const makeAllAt = (place: Place, proof: Given, path: string): Effect.Effect<void, FilesError> =>
  Effect.gen(function* () {
    const there = yield* maybeAt(place, path)
    if (there?.type === "Directory") return
    if (there !== undefined) return yield* fail("ALREADY_EXISTS", `${path} already exists`)
    yield* FilesBackend.also(proof, "write", path)
    const { above } = split(path)
    if (above !== path) yield* parents(place, proof, above)
    yield* Effect.catchIf(
      makeAt(place, path),
      ({ code }) => code === "ALREADY_EXISTS",
      () => Effect.void
    )
  })

const parents = (place: Place, proof: Given, path: string): Effect.Effect<void, FilesError> =>
  Effect.mapError(makeAllAt(place, proof, path), (error) =>
    error.code === "ALREADY_EXISTS" ? fail("NOT_A_DIRECTORY", `${path} is not a directory`) : error
  )

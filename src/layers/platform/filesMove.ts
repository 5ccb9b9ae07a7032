/** Removing and moving: all that is in a directory is looked at before any of it is touched. */
import { Effect } from "effect"
import { FilesBackend } from "../../capabilities/files/FilesBackend.js"
import type { FilesError } from "../../capabilities/files/FilesOperations.js"
import { fixedLink, staysInside } from "../files/Moved.js"
import {
  fail,
  type Given,
  join,
  maybeAt,
  namesIn,
  notAFile,
  type Place,
  said,
  targetOf
} from "./filesReach.js"
import { kindAt } from "./filesRead.js"
import { occupied, putExclusively } from "./filesWrite.js"

interface Below {
  readonly path: string
  readonly isDirectory: boolean
}

/** Each directory after what lies in it. */
const below = (
  place: Place,
  root: string,
  permit: (path: string, isLink: boolean) => Effect.Effect<unknown, FilesError>
): Effect.Effect<ReadonlyArray<Below>, FilesError> => {
  const found: Array<Below> = []
  const visit = (directory: string): Effect.Effect<void, FilesError> =>
    Effect.gen(function* () {
      for (const name of yield* namesIn(place, directory)) {
        const path = join(directory, name)
        const kind = yield* kindAt(place, path)
        yield* permit(path, kind === "link")
        if (kind === "directory") yield* visit(path)
        found.push({ path, isDirectory: kind === "directory" })
        if (found.length > place.limits.entries) {
          yield* fail(
            "LIMIT_EXCEEDED",
            `${root} holds more than ${place.limits.entries} entries; do it in parts`
          )
        }
      }
    })
  return Effect.as(visit(root), found)
}

/** The platform removes a directory with what is in it or not at all, so that it is looked into once more. */
const removeOne = (place: Place, { isDirectory, path }: Below): Effect.Effect<void, FilesError> =>
  Effect.gen(function* () {
    if (isDirectory && (yield* namesIn(place, path)).length > 0) {
      return yield* fail("FILES_FAILED", `${path} is not empty; remove it with the option 'recursive'`)
    }
    yield* said(path, place.fs.remove(path, { recursive: isDirectory }))
  })

export const removeAt = (
  place: Place,
  proof: Given,
  path: string,
  recursive: boolean
): Effect.Effect<void, FilesError> =>
  Effect.gen(function* () {
    const kind = (yield* targetOf(place, path)) === undefined ? yield* maybeAt(place, path) : "link"
    if (kind === undefined) return yield* fail("NOT_FOUND", `${path} does not exist`)
    const isDirectory = kind !== "link" && kind.type === "Directory"
    if (isDirectory && recursive) {
      const all = yield* below(place, path, (one) => FilesBackend.also(proof, "delete", one))
      yield* Effect.forEach(all, (one) => removeOne(place, one), { discard: true })
    }
    yield* removeOne(place, { path, isDirectory })
  })

type Rename = FilesBackend.Service["rename"]

const permitted = (
  place: Place,
  proofs: Parameters<Rename>[0],
  options: Parameters<Rename>[1],
  from: string,
  to: string
): Effect.Effect<unknown, FilesError> =>
  Effect.gen(function* () {
    if (to.startsWith(`${from}/`)) yield* fail("FILES_FAILED", `${from} cannot be moved into itself`)
    yield* options.directory(from, to)
    yield* below(place, from, (path, isLink) =>
      Effect.gen(function* () {
        yield* FilesBackend.moves(proofs, path, `${to}${path.slice(from.length)}`)
        if (isLink && !staysInside(from, path, (yield* targetOf(place, path)) ?? "/")) yield* fixedLink(path)
      })
    )
  })

export const renameAt = (
  place: Place,
  proofs: Parameters<Rename>[0],
  options: Parameters<Rename>[1],
  from: string,
  to: string
): Effect.Effect<void, FilesError> =>
  Effect.gen(function* () {
    if ((yield* targetOf(place, from)) !== undefined) return yield* fixedLink(from)
    const source = yield* maybeAt(place, from)
    if (source === undefined) return yield* fail("NOT_FOUND", `${from} does not exist`)
    if (source.type !== "File" && source.type !== "Directory") return yield* notAFile(from, false)
    if (from === to) return
    yield* FilesBackend.moves(proofs, from, to)
    const isDirectory = source.type === "Directory"
    if (isDirectory) yield* permitted(place, proofs, options, from, to)
    const isLink = (yield* targetOf(place, to)) !== undefined
    const old = isLink ? undefined : yield* maybeAt(place, to)
    if ((isLink || old !== undefined) && (isDirectory || !options.replace)) {
      return yield* fail("ALREADY_EXISTS", `${to} already exists`)
    }
    const trouble = old && occupied(to, old)
    if (trouble !== undefined) return yield* trouble
    if (!isDirectory && !options.replace && (yield* putExclusively(place, from, to))) {
      return yield* said(from, place.fs.remove(from))
    }
    yield* said(to, place.fs.rename(from, to))
  })

/** Reading, listing and looking. */
import { Effect, Option } from "effect"
import type { Files } from "../../capabilities/files/Files.js"
import type { FilesError } from "../../capabilities/files/FilesOperations.js"
import {
  fail,
  type Given,
  infoAt,
  join,
  namesIn,
  notAFile,
  type Place,
  reads,
  real,
  said,
  targetOf
} from "./filesReach.js"

const CHUNK = 256 * 1024

const isCount = (value: number | undefined): boolean =>
  value === undefined || (Number.isSafeInteger(value) && value >= 0)

/** At most `limit` bytes, or none at all. */
export const readAt = (
  place: Place,
  path: string,
  { length, offset = 0 }: Files.Range,
  limit: number
): Effect.Effect<Uint8Array, FilesError> =>
  Effect.gen(function* () {
    if (!isCount(offset) || !isCount(length)) {
      return yield* fail("FILES_FAILED", "offset and length are whole numbers from 0 on")
    }
    // Before it is opened, since a pipe would keep whoever opens it waiting.
    const { type } = yield* infoAt(place, path)
    if (type !== "File") return yield* notAFile(path, type === "Directory")
    const file = yield* said(path, place.fs.open(path))
    // Of what is open: another file may stand at the path by now.
    const { size } = yield* said(path, file.stat)
    const wanted = Math.min(length ?? Number(size), Math.max(0, Number(size) - offset))
    if (wanted > limit) {
      return yield* fail(
        "LIMIT_EXCEEDED",
        `${path} is larger than the ${limit} bytes that are read at once; pass offset and length`
      )
    }
    const whole = new Uint8Array(wanted)
    let filled = 0
    yield* file.seek(offset, "start")
    while (filled < wanted) {
      const part = yield* said(path, file.readAlloc(Math.min(CHUNK, wanted - filled)))
      if (Option.isNone(part)) break
      whole.set(part.value, filled)
      filled += part.value.length
    }
    return filled === wanted ? whole : whole.slice(0, filled)
  }).pipe(Effect.scoped)

export const statAt = (place: Place, path: string): Effect.Effect<Files.Stat, FilesError> =>
  Effect.flatMap(infoAt(place, path), ({ mtime, size, type }) =>
    type === "File" || type === "Directory"
      ? Effect.succeed({
          kind: type === "File" ? ("file" as const) : ("directory" as const),
          size: type === "File" ? Number(size) : 0,
          modifiedMillis: Option.match(mtime, {
            onNone: () => 0,
            onSome: (time) => Math.trunc(time.getTime())
          })
        })
      : notAFile(path, false)
  )

/** What a name in a directory is; a link is not followed. */
export const kindAt = (
  place: Place,
  path: string
): Effect.Effect<Exclude<Files.Entry["kind"], "unreachable">> =>
  Effect.flatMap(targetOf(place, path), (target) =>
    target !== undefined
      ? Effect.succeed("link" as const)
      : Effect.match(infoAt(place, path), {
          onFailure: () => "other" as const,
          onSuccess: ({ type }) => (type === "File" ? "file" : type === "Directory" ? "directory" : "other")
        })
  )

export const entriesAt = (
  place: Place,
  proof: Given,
  path: string
): Effect.Effect<ReadonlyArray<Files.Entry>, FilesError> => {
  const entryOf = (name: string): Effect.Effect<Files.Entry> =>
    Effect.gen(function* () {
      const child = join(path, name)
      if (!reads(proof, child)) return { name, kind: "unreachable" }
      const kind = yield* kindAt(place, child)
      if (kind !== "link") return { name, kind }
      const leads = yield* real(place, child)
      return { name, kind: leads !== undefined && reads(proof, leads) ? kind : "unreachable" }
    })
  return Effect.flatMap(namesIn(place, path), (names) => Effect.forEach(names, entryOf, { concurrency: 8 }))
}

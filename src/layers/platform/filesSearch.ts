/** The lines that match a pattern, found by walking. */
import { Effect, Either } from "effect"
import type { Files } from "../../capabilities/files/Files.js"
import { FilesBackend } from "../../capabilities/files/FilesBackend.js"
import type { FilesError } from "../../capabilities/files/FilesOperations.js"
import { compile } from "../files/Matcher.js"
import { isBinary, linesOf } from "../files/Text.js"
import { fail, type Given, join, located, namesIn, type Place, reads, split } from "./filesReach.js"
import { kindAt, readAt, statAt } from "./filesRead.js"

const DEFAULT_MATCHES = 1000
const LINE = 4096
const SHOWN = 500

/** Not entered, unless the search starts at or inside one. */
const ignored: ReadonlySet<string> = new Set([".git", "node_modules"])

interface Candidate {
  readonly path: string
  readonly segments: ReadonlyArray<string>
}

const filesBelow = (place: Place, proof: Given, root: string): Effect.Effect<ReadonlyArray<Candidate>> => {
  const skips = root.split("/").some((segment) => ignored.has(segment)) ? new Set<string>() : ignored
  const files: Array<Candidate> = []
  const visit = (path: string, segments: ReadonlyArray<string>): Effect.Effect<void> =>
    Effect.gen(function* () {
      for (const name of yield* Effect.orElseSucceed(namesIn(place, path), () => [])) {
        const child = join(path, name)
        if (!reads(proof, child)) continue
        const kind = yield* kindAt(place, child)
        if (kind === "directory" && !skips.has(name)) yield* visit(child, [...segments, name])
        if (kind === "file") files.push({ path: child, segments: [...segments, name] })
      }
    })
  return Effect.map(visit(root, []), () =>
    files.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  )
}

export const search = (
  place: Place,
  proof: Given,
  query: Files.Query
): Effect.Effect<Files.Found, FilesError> =>
  Effect.gen(function* () {
    const wanted = query.limit ?? DEFAULT_MATCHES
    if (!Number.isSafeInteger(wanted) || wanted < 1) {
      return yield* fail("FILES_FAILED", "the limit of a search is a whole number from 1 on")
    }
    const limit = Math.min(wanted, place.limits.matches)
    const matcher = yield* compile(query)
    const asked = FilesBackend.pathOf(proof)
    return yield* located(place, proof, "read", "follow", (root) =>
      Effect.gen(function* () {
        const isFile = (yield* statAt(place, root)).kind === "file"
        const files = isFile
          ? [{ path: root, segments: [split(root).name] }]
          : yield* filesBelow(place, proof, root)
        const matches: Array<Files.Found["matches"][number]> = []
        let truncated = false
        for (const { path, segments } of files) {
          if (!matcher.looksInto(segments)) continue
          const read = yield* Effect.either(readAt(place, path, {}, place.limits.searchFileBytes))
          if (Either.isLeft(read)) truncated ||= read.left.code === "LIMIT_EXCEEDED"
          if (Either.isLeft(read) || isBinary(read.right)) continue
          let line = 0
          for (const text of linesOf(new TextDecoder().decode(read.right))) {
            line++
            if (!matcher.matches(text.slice(0, LINE))) continue
            if (matches.length === limit) return { matches, truncated: true }
            const shown = isFile ? asked : join(asked, segments.join("/"))
            matches.push({ path: shown, line, text: text.slice(0, SHOWN) })
          }
          yield* Effect.yieldNow()
        }
        return { matches, truncated }
      })
    )
  })

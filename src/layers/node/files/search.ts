/** The lines that match a pattern, in one file or in the files below a directory. */
import { Effect, Either } from "effect"
import type { Files } from "../../../capabilities/files/Files.js"
import { FilesBackend } from "../../../capabilities/files/FilesBackend.js"
import type { FilesError } from "../../../capabilities/files/FilesOperations.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import type * as Request from "../../../policy/lattice/Request.js"
import { compile, type Matcher } from "../../files/Matcher.js"
import { isBinary, linesOf } from "../../files/Text.js"
import { split } from "../disk/Directory.js"
import type { Disk } from "../disk/Disk.js"
import { readAt } from "../disk/Read.js"
import { join } from "../disk/Reality.js"
import { fail, type Trouble } from "../disk/Trouble.js"
import { located } from "./links.js"
import { reads } from "./reach.js"
import { candidates, type Ripgrep } from "./ripgrep.js"
import { statAt } from "./stat.js"
import { type Candidate, ignores, order, type Walked, walk } from "./walk.js"

type Match = Files.Found["matches"][number]

/** How long lines are matched before others get their turn. */
const SLICE_MILLIS = 10

const DEFAULT_MATCHES = 1000

const breathe = Effect.async<void>((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})

const decoder = new TextDecoder()

const holds = (bytes: Uint8Array, { literal }: Matcher): boolean =>
  literal === undefined ||
  literal.ignoreCase ||
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(literal.text)

/** As ripgrep sees it, where that helps; `undefined` where it does not. */
const hinted = (
  disk: Disk,
  proof: Proof<Request.Scoped>,
  root: string,
  { literal }: Matcher,
  ripgrep: Ripgrep
): Effect.Effect<Walked | undefined> => {
  if (ripgrep === undefined || literal === undefined) return Effect.succeed(undefined)
  const skips = ignores(root)
  const entered = new Map<string, boolean>()
  const enters = (path: string): boolean => {
    const known = entered.get(path)
    if (known !== undefined) return known
    const { above, name } = split(path)
    const answer = path === root || (enters(above) && !skips(name) && reads(proof, path))
    entered.set(path, answer)
    return answer
  }
  const candidate = (relative: string): Candidate => ({
    path: join(root, relative),
    segments: relative.split("/")
  })
  return Effect.map(
    candidates(ripgrep, proof, root, literal, disk.limits, skips(".git")),
    (found) =>
      found && {
        files: found
          .map(candidate)
          .filter(({ path }) => enters(split(path).above) && reads(proof, path))
          .sort((a, b) => order(a.path, b.path)),
        cut: false
      }
  )
}

const matching = (
  disk: Disk,
  matcher: Matcher,
  { cut, files }: Walked,
  limit: number,
  named: (candidate: Candidate) => string
): Effect.Effect<Files.Found> =>
  Effect.gen(function* () {
    const matches: Array<Match> = []
    let truncated = cut
    let left = disk.limits.searchBytes
    let since = performance.now()
    for (const candidate of files) {
      if (!matcher.looksInto(candidate.segments)) continue
      const read = yield* Effect.either(readAt(disk, candidate.path, {}, disk.limits.searchFileBytes))
      if (Either.isLeft(read)) {
        truncated ||= read.left.code === "TOO_LARGE"
        continue
      }
      const bytes = read.right
      left -= bytes.length
      if (left < 0) return { matches, truncated: true }
      if (isBinary(bytes) || !holds(bytes, matcher)) continue
      let line = 0
      for (const text of linesOf(decoder.decode(bytes))) {
        line++
        if (performance.now() - since > SLICE_MILLIS) {
          yield* breathe
          since = performance.now()
        }
        if (!matcher.matches(text.slice(0, disk.limits.lineCharacters))) continue
        if (matches.length === limit) return { matches, truncated: true }
        matches.push({ path: named(candidate), line, text: text.slice(0, disk.limits.shownCharacters) })
      }
    }
    return { matches, truncated }
  })

export const search = (
  disk: Disk,
  ripgrep: Ripgrep,
  proof: Proof<Request.Scoped>,
  query: Files.Query
): Effect.Effect<Files.Found, FilesError> => {
  const asked = FilesBackend.pathOf(proof)
  const wanted = query.limit ?? DEFAULT_MATCHES
  if (!Number.isSafeInteger(wanted) || wanted < 1) {
    return fail("FILES_FAILED", "the limit of a search is a whole number from 1 on")
  }
  const limit = Math.min(wanted, disk.limits.matches)
  const run = (path: string, matcher: Matcher): Effect.Effect<Files.Found, FilesError | Trouble> =>
    Effect.gen(function* () {
      const { kind } = yield* statAt(disk, path)
      if (kind === "file") {
        const only = { path, segments: [split(path).name] }
        return yield* matching(disk, matcher, { files: [only], cut: false }, limit, () => asked)
      }
      const files = (yield* hinted(disk, proof, path, matcher, ripgrep)) ?? (yield* walk(disk, proof, path))
      return yield* matching(disk, matcher, files, limit, ({ segments }) => join(asked, segments.join("/")))
    })
  return Effect.flatMap(compile(query), (matcher) =>
    located({ proof, verb: "read", leaf: "follow" }, (path) => run(path, matcher))
  )
}

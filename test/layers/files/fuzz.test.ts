/** Threat: a path that nobody thought of, which crashes the backend or leads it out of reach. */

import { mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Chunk, Effect, Exit, FastCheck as fc, Logger, LogLevel } from "effect"
import { codePoint } from "../../codePoints.js"
import { times } from "../../deep.js"
import { type Ask, type Rig, rig, SECRET, snapshot } from "./rig.js"

const odd = [
  ".", "..", "...", "", " ", "a", "d", "f", "in", "out", "loop", "dangling", "a.", "a ", "~", "~root", "%2e%2e", "..%2f..",
  "..\\..", "C:", "file:", "\\\\?\\", "a:b", "con", "\u0000", "a\u0000b", "\n", "\u202e", "\u200b", "\uFEFF", "\uFFFD", "\uD800",
  "é", "e\u0301", "ſ", "K", "🗂", "*", "?", "[a]", "{a,b}", "$HOME", "`id`", "-rf", "x".repeat(255), "x".repeat(256),
  "é".repeat(128), "secret", "outside", "reach"
] // biome-ignore format: a table

const segment = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...odd) },
  { weight: 1, arbitrary: fc.string({ unit: codePoint, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 6 }) }
)

const pathIn = ({ outside, reach }: Rig) =>
  fc
    .tuple(
      fc.constantFrom(
        "",
        "/",
        `${reach}/`,
        `${reach}//`,
        `${reach}/./`,
        `${reach}/../`,
        `/${reach}/`,
        `${outside}/`,
        "//",
        "~/",
        "file://",
        `file://${reach}/`
      ),
      fc.array(segment, { maxLength: 8 }),
      fc.constantFrom("/", "//", "/./"),
      fc.constantFrom("", "/", "/.", "/..", ".", " ")
    )
    .map(([root, segments, between, end]) => `${root}${segments.join(between)}${end}`)

const RUNS = times(300)

const prepared = Effect.map(rig({ ripgrep: false }), (place) => {
  place.put("a", "inside")
  place.put("d/f", "inside")
  symlinkSync("d", join(place.reach, "in"))
  symlinkSync(place.outside, join(place.reach, "out"))
  symlinkSync("loop", join(place.reach, "loop"))
  symlinkSync(join(place.outside, "absent"), join(place.reach, "dangling"))
  mkdirSync(join(place.outside, "d"))
  return place
})

const never = (place: Rig, operations: ReadonlyArray<Ask>, check: (value: unknown) => void) =>
  Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(pathIn(place), fc.nat(operations.length - 1), async (path, which) => {
        const operation = operations[which]
        const exit = await Effect.runPromiseExit(
          Logger.withMinimumLogLevel(
            Effect.suspend(() => operation?.(path) ?? Effect.void),
            LogLevel.None
          )
        )
        if (Exit.isSuccess(exit)) check(exit.value)
        else {
          const failures = Chunk.toReadonlyArray(Cause.failures(exit.cause))
          expect(Cause.isDie(exit.cause)).toBe(false)
          expect(failures.map(({ _tag }) => _tag)).toEqual(["FilesError"])
          expect(JSON.stringify(failures)).not.toContain(SECRET)
        }
      }),
      { numRuns: RUNS }
    )
  )

describe("any path at all", () => {
  it.scoped("F42/F43/F20: is read to a right answer or refused in words", () =>
    Effect.gen(function* () {
      const place = yield* prepared
      const { files } = place
      yield* never(
        place,
        [files.read, files.stat, files.list, files.exists, (path) => files.search(path, { pattern: "." })],
        (value) => expect(JSON.stringify(value ?? null)).not.toContain("nobody")
      )
    })
  )

  it.scoped("is written, made or removed in reach, or refused in words", () =>
    Effect.gen(function* () {
      const place = yield* prepared
      const { files } = place
      const before = snapshot(place.outside)
      yield* never(
        place,
        [
          (path) => files.write(path, "written"),
          (path) => files.mkdir(path),
          (path) => files.mkdir(path, { recursive: true }),
          (path) => files.remove(path),
          (path) => (path.includes("..") ? files.remove(path, { recursive: true }) : files.remove(path))
        ],
        () => {}
      )
      expect(snapshot(place.outside)).toEqual(before)
      expect(readdirSync(dirname(place.reach)).sort()).toEqual(["outside", "reach"])
    })
  )
})

/** Patterns come from models, so they run on an engine whose time is linear in what it reads. */
import { type Effect, Either } from "effect"
import { RE2JS } from "re2js"
import type { Files } from "../../capabilities/files/Files.js"
import { FilesError } from "../../capabilities/files/FilesOperations.js"
import { path } from "../../policy/lattice/dimensions/Path.js"
import * as Glob from "../../policy/lattice/Glob.js"
import { type Literal, literalOf } from "./Literal.js"

export interface Matcher {
  readonly matches: (line: string) => boolean
  /** Whether a file is looked into, by its segments below the root of the search. */
  readonly looksInto: (segments: ReadonlyArray<string>) => boolean
  readonly literal: Literal | undefined
}

/** Linear is not cheap: what is written to be expensive is refused. */
const MAX_LENGTH = 1000
const MAX_REPEATS = 2000
const MAX_PROGRAM = 4000

const refused = (detail: string): Either.Either<never, FilesError> =>
  Either.left(new FilesError({ code: "FILES_FAILED", detail }))

const tooLong = refused(
  `the pattern is too large; it may have ${MAX_LENGTH} characters, and repeat things ${MAX_REPEATS} times in all`
)

const repeatsOf = (pattern: string): number =>
  [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].reduce(
    (sum, [, least, most]) => sum + Math.max(Number(least), Number(most ?? 0)),
    0
  )

const expression = (pattern: string): Either.Either<RE2JS, FilesError> => {
  if (typeof pattern !== "string") return refused("the pattern is not text")
  if (pattern.length > MAX_LENGTH || repeatsOf(pattern) > MAX_REPEATS) return tooLong
  try {
    const compiled = RE2JS.compile(pattern)
    return compiled.programSize() > MAX_PROGRAM ? tooLong : Either.right(compiled)
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "unreadable"
    return refused(`the pattern is not a regular expression without look-around and back-references: ${why}`)
  }
}

/** As scopes are written, at any depth: `*.ts`, `src/*.ts`, `src/** /x?.md` without the blank. */
const names = (glob: string | undefined): Either.Either<Matcher["looksInto"], FilesError> =>
  glob === undefined
    ? Either.right(() => true)
    : Either.mapBoth(path.parse(`/**/${glob}`), {
        onLeft: ({ detail }) => new FilesError({ code: "FILES_FAILED", detail: `in the glob, ${detail}` }),
        onRight: (parsed) => (segments: ReadonlyArray<string>) => Glob.matches(parsed, segments)
      })

export const compile = ({ glob, pattern }: Files.Query): Effect.Effect<Matcher, FilesError> =>
  Either.map(Either.all([expression(pattern), names(glob)]), ([compiled, looksInto]) => ({
    matches: (line) => compiled.test(line),
    looksInto,
    literal: literalOf(pattern)
  }))

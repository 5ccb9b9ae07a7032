/**
 * Paths that no policy opens: credentials and the inside of the system for everyone, and for who writes also what
 * runs by itself later. Names are compared without regard to case, because some file systems do that too.
 */
import { Either } from "effect"
import { path } from "../../lattice/dimensions/Path.js"
import * as Glob from "../../lattice/Glob.js"
import { GlobIndex } from "../../lattice/GlobIndex.js"
import type * as Request from "../../lattice/Request.js"
import { Any, Deep, literal, type Token } from "../../lattice/Token.js"
import { getOrSet } from "../../Memo.js"
import { anywhere, authorities, homes, kernel, persistence, repositories, startup, system } from "./places.js"

export interface Trees {
  readonly homes: ReadonlyArray<string>
  /** Trees that hold policy or state, and that no tool may write. */
  readonly guarded: ReadonlyArray<string>
  /** Trees that hold secrets or the state of all, and that no tool may read either. */
  readonly closed?: ReadonlyArray<string> | undefined
}

/** What some file systems take for the same name: the case of letters, and characters that are not seen. */
const fold = (name: string): string => {
  const lower = name.toLowerCase()
  return FOLDED.test(lower) ? lower : lower.normalize("NFC").replace(UNSEEN, "").toUpperCase().toLowerCase()
}
const FOLDED = /^[ -@[-~]*$/
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu

const isFolded = (name: string): boolean => FOLDED.test(name)

type Tokens = ReadonlyArray<Token>

/** The patterns are ours, so one that cannot be read is a mistake in them. */
const tokensOf = (pattern: string): Tokens => Either.getOrThrow(path.parse(fold(pattern))).tokens

const parsed = new Map<ReadonlyArray<string>, ReadonlyArray<Tokens>>()

/** Parsed on first use, and once: there are many floors, and one list of places. */
const places = (patterns: ReadonlyArray<string>): ReadonlyArray<Tokens> =>
  getOrSet(parsed, patterns, () => patterns.map((pattern) => tokensOf(`/${pattern}`)))

const ROOT: Tokens = []
/** Where some systems keep what others have at the root. */
const PRIVATE: Tokens = [literal("private")]
const usualHomes: ReadonlyArray<Tokens> = [
  [literal("root")],
  [literal("home"), Any],
  [literal("users"), Any],
  [literal("var"), literal("root")]
]

/** Whether reading is refused too. */
type Closed = "always" | "to change"

const literals = (text: string): Either.Either<Tokens, unknown> =>
  Either.map(path.element(text), (segments) => segments.map((segment) => literal(fold(segment))))

/** The matcher of scope sets, without their normal form: only membership is asked. */
const compile = (given: Trees): GlobIndex<Closed> | undefined => {
  const [own, guarded] = [Either.all(given.homes.map(literals)), Either.all(given.guarded.map(literals))]
  const shut = Either.all((given.closed ?? []).map(literals))
  // A place of the operator that cannot be read cannot be guarded, so everything is closed.
  if (Either.isLeft(own) || Either.isLeft(guarded) || Either.isLeft(shut)) return undefined
  const index = new GlobIndex<Closed>()
  const close = (closed: Closed, roots: ReadonlyArray<Tokens>, below: ReadonlyArray<Tokens>): void => {
    for (const root of roots) {
      for (const tokens of below) index.add(Glob.make([...root, ...tokens, Deep]), closed)
    }
  }
  const homesOf = [...usualHomes, ...own.right]
  close("always", [ROOT, PRIVATE], places(system))
  close("always", [ROOT], places(kernel))
  close("always", [[Deep]], places(anywhere))
  close("always", homesOf, places(homes))
  close("always", shut.right, [ROOT])
  close("to change", [ROOT, PRIVATE], places(startup))
  close("to change", [[Deep]], places(repositories))
  close("to change", [[Deep]], places(authorities))
  close("to change", homesOf, places(persistence))
  close("to change", guarded.right, [ROOT])
  return index
}

/** Of all that the kernel shows, what says nothing of a process. */
const harmless: ReadonlySet<string> = new Set(["cpuinfo", "loadavg", "meminfo", "uptime", "version"])

const isHarmless = (verb: string, segments: ReadonlyArray<string>): boolean =>
  verb === "read" && segments.length === 2 && segments[0] === "proc" && harmless.has(segments[1] ?? "")

const known = new WeakMap<Trees, GlobIndex<Closed> | undefined>()

const indexOf = (given: Trees): GlobIndex<Closed> | undefined => {
  if (!known.has(given)) known.set(given, compile(given))
  return known.get(given)
}

const toRead = (closed: Closed): boolean => closed === "always"
const toChange = (): boolean => true

export const forbidsFile = ({ element, verb }: Request.Scoped, given: Trees): boolean => {
  const index = indexOf(given)
  const segments = element.path
  if (index === undefined || segments === undefined) return true
  const folded = segments.every(isFolded) ? segments : segments.map(fold)
  const closed = index.find(folded, verb === "read" ? toRead : toChange)
  return closed !== undefined && !isHarmless(verb, segments)
}

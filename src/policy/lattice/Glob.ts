/**
 * The one pattern language of the lattice: a sequence of segments, each literal or with `*` and `?`, and
 * `Deep`, which stands for any number of segments. Paths, command lines, secret refs, record ids, classes and
 * kinds are all written in it, each with a notation of its own (see `Dimension`).
 *
 * Matching, inclusion and overlap of two globs are exact as long as the fuel lasts, which is for all patterns but
 * those that are written to burn it.
 *
 * @since 0.1.0
 */
import * as automaton from "./automaton.js"
import {
  Any,
  Deep,
  isAny,
  literal,
  mayInclude,
  mayOverlap,
  type Token,
  tokenKey,
  tokenMatches
} from "./Token.js"

/**
 * `key` is equal for equal globs; `literals` counts the leading literal tokens.
 *
 * @since 0.1.0
 * @category models
 */
export interface Glob {
  readonly tokens: ReadonlyArray<Token>
  readonly key: string
  readonly literals: number
}

/** In a run of `Any` and `Deep` only the count of `Any` and the presence of `Deep` mean anything. */
const canonical = (tokens: ReadonlyArray<Token>): ReadonlyArray<Token> => {
  const out: Array<Token> = []
  for (const token of tokens) {
    if (out.at(-1) === Deep) {
      if (token === Deep) continue
      if (isAny(token)) {
        out.splice(-1, 0, token)
        continue
      }
    }
    out.push(token._tag === "Deep" ? Deep : token)
  }
  return out
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (tokens: ReadonlyArray<Token>): Glob => {
  const canon = canonical(tokens)
  const open = canon.findIndex((token) => token._tag !== "Literal")
  return { tokens: canon, key: canon.map(tokenKey).join("\u0000"), literals: open < 0 ? canon.length : open }
}

/**
 * These segments and everything below them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const tree = (segments: ReadonlyArray<string>): Glob => make([...segments.map(literal), Deep])

/**
 * Everything below these segments, without them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const below = (segments: ReadonlyArray<string>): Glob => make([...segments.map(literal), Any, Deep])

/**
 * These segments and nothing else.
 *
 * @since 0.1.0
 * @category constructors
 */
export const exact = (segments: ReadonlyArray<string>): Glob => make(segments.map(literal))

/**
 * @since 0.1.0
 * @category predicates
 */
export const isTree = (glob: Glob): boolean =>
  glob.literals === glob.tokens.length - 1 && glob.tokens.at(-1) === Deep

const isExact = (glob: Glob): boolean => glob.literals === glob.tokens.length

/**
 * @since 0.1.0
 * @category predicates
 */
export const matches = (glob: Glob, segments: ReadonlyArray<string>): boolean => {
  const { tokens } = glob
  let g = 0
  let s = 0
  let deep = -1
  let resume = 0
  while (s < segments.length) {
    const token = tokens[g]
    if (token === Deep) {
      deep = g++
      resume = s
    } else if (token !== undefined && tokenMatches(token, segments[s] as string)) {
      g++
      s++
    } else if (deep >= 0) {
      g = deep + 1
      s = ++resume
    } else {
      return false
    }
  }
  while (tokens[g] === Deep) g++
  return g === tokens.length
}

const literalTexts = (glob: Glob): ReadonlyArray<string> =>
  glob.tokens.slice(0, glob.literals).map((token) => (token as Token & { readonly _tag: "Literal" }).text)

/**
 * The segments that all it matches begin with.
 *
 * @since 0.1.0
 * @category rendering
 */
export const prefix = literalTexts

/**
 * The segments that it names, where it is no pattern: these alone, or these and everything below them.
 *
 * @since 0.1.0
 * @category rendering
 */
export const literally = (glob: Glob): ReadonlyArray<string> | undefined =>
  isExact(glob) || isTree(glob) ? literalTexts(glob) : undefined

/** Whether the leading literals of both agree as far as both have them. */
const prefixesAgree = (a: Glob, b: Glob): boolean => {
  const shared = Math.min(a.literals, b.literals)
  for (let i = 0; i < shared; i++) {
    if (tokenKey(a.tokens[i] as Token) !== tokenKey(b.tokens[i] as Token)) return false
  }
  return true
}

/**
 * From one end, as far as every token stands for one segment, segment meets segment. `false` when two that meet
 * fail the test, or when one side ends or goes deep where the other asks for a certain segment.
 */
const meets = (
  a: ReadonlyArray<Token>,
  b: ReadonlyArray<Token>,
  test: (a: Token, b: Token) => boolean
): boolean => {
  for (let i = 0; ; i++) {
    const [x, y] = [a[i], b[i]]
    if (x === undefined || x === Deep || y === Deep) return true
    if (y === undefined || !test(x, y)) return false
  }
}

const isDeep = (glob: Glob): boolean => glob.tokens.includes(Deep)

/** Two globs of fixed depth are compared segment by segment. */
const bySegment = (a: Glob, b: Glob, test: (a: Token, b: Token) => boolean): boolean =>
  a.tokens.length === b.tokens.length && a.tokens.every((token, i) => test(token, b.tokens[i] as Token))

/**
 * Whether all that `inner` matches `outer` matches; `false` when the fuel runs out.
 *
 * @since 0.1.0
 * @category comparing
 */
export const includes = (outer: Glob, inner: Glob, spend: automaton.Fuel = automaton.fuel()): boolean => {
  if (outer.key === inner.key) return true
  if (outer.literals > inner.literals || !prefixesAgree(outer, inner)) return false
  if (isTree(outer)) return true
  if (isExact(inner)) return matches(outer, literalTexts(inner))
  if (!isDeep(outer) && !isDeep(inner)) {
    return (
      bySegment(outer, inner, mayInclude) &&
      bySegment(
        outer,
        inner,
        (x, y) => isAny(x) || y._tag === "Literal" || automaton.includes([x], [y], spend)
      )
    )
  }
  if (!isDeep(outer)) return false
  return (
    meets(outer.tokens, inner.tokens, mayInclude) &&
    meets(outer.tokens.toReversed(), inner.tokens.toReversed(), mayInclude) &&
    automaton.includes(outer.tokens, inner.tokens, spend)
  )
}

/**
 * Whether something matches both; `true` when the fuel runs out.
 *
 * @since 0.1.0
 * @category comparing
 */
export const overlaps = (a: Glob, b: Glob, spend: automaton.Fuel = automaton.fuel()): boolean => {
  if (!prefixesAgree(a, b)) return false
  if (isExact(a)) return matches(b, literalTexts(a))
  if (isExact(b)) return matches(a, literalTexts(b))
  if (isTree(a) && a.literals <= b.literals) return true
  if (isTree(b) && b.literals <= a.literals) return true
  if (!isDeep(a) && !isDeep(b)) {
    return (
      bySegment(a, b, mayOverlap) &&
      bySegment(a, b, (x, y) => x._tag !== "Wild" || y._tag !== "Wild" || automaton.overlaps([x], [y], spend))
    )
  }
  return (
    agreesUpToDeep(a.tokens, b.tokens) &&
    agreesUpToDeep(a.tokens.toReversed(), b.tokens.toReversed()) &&
    automaton.overlaps(a.tokens, b.tokens, spend)
  )
}

const agreesUpToDeep = (a: ReadonlyArray<Token>, b: ReadonlyArray<Token>): boolean =>
  a.length <= b.length ? meets(a, b, mayOverlap) : meets(b, a, mayOverlap)

/**
 * The one pattern language of the lattice: a sequence of segments, each literal or with `*` and `?`, and
 * `Deep`, which stands for any number of segments. Paths, command lines, secret refs, record ids, classes and
 * kinds are all written in it, each with a notation of its own (see `Dimension`).
 *
 * Matching, inclusion and overlap of two globs are exact: `includes` gives up (and says `false`) only past
 * 20,000 explored states, which no pattern of sane length reaches.
 *
 * @since 0.1.0
 */
import * as automaton from "./internal/automaton.js"
import { Deep, isAny, literal, type Token, tokenKey, tokenMatches } from "./internal/token.js"

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

/** Whether the leading literals of both agree as far as both have them. */
const prefixesAgree = (a: Glob, b: Glob): boolean => {
  const shared = Math.min(a.literals, b.literals)
  for (let i = 0; i < shared; i++) {
    if (tokenKey(a.tokens[i] as Token) !== tokenKey(b.tokens[i] as Token)) return false
  }
  return true
}

/**
 * Whether all that `inner` matches `outer` matches.
 *
 * @since 0.1.0
 * @category comparing
 */
export const includes = (outer: Glob, inner: Glob): boolean => {
  if (outer.key === inner.key) return true
  if (outer.literals > inner.literals || !prefixesAgree(outer, inner)) return false
  if (isTree(outer)) return true
  if (isExact(inner)) return matches(outer, literalTexts(inner))
  return automaton.includes(outer.tokens, inner.tokens)
}

/**
 * Whether something matches both.
 *
 * @since 0.1.0
 * @category comparing
 */
export const overlaps = (a: Glob, b: Glob): boolean => {
  if (!prefixesAgree(a, b)) return false
  if (isExact(a)) return matches(b, literalTexts(a))
  if (isExact(b)) return matches(a, literalTexts(b))
  if (isTree(a) && a.literals <= b.literals) return true
  if (isTree(b) && b.literals <= a.literals) return true
  return automaton.overlaps(a.tokens, b.tokens)
}

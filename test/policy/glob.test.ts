/**
 * Threat: an inclusion that is claimed and does not hold (a grant that exceeds its granter), or an overlap that
 * is missed (a meet that keeps what it should drop). Compared with the answer found by trying every word of a
 * small universe.
 */

import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { path } from "../../src/policy/lattice/dimensions/Path.js"
import * as Glob from "../../src/policy/lattice/Glob.js"
import { Any, Deep, segment, type Token } from "../../src/policy/lattice/Token.js"
import { deep, times } from "../deep.js"

const letters = ["a", "z"]

const wordsOf = (length: number): ReadonlyArray<string> =>
  length === 0 ? [""] : letters.flatMap((letter) => wordsOf(length - 1).map((word) => letter + word))

const segments = [1, 2, 3].flatMap(wordsOf)

const universe: ReadonlyArray<ReadonlyArray<string>> = [
  [],
  ...segments.map((one) => [one]),
  ...segments.flatMap((one) => segments.map((two) => [one, two])),
  ...segments.flatMap((one) => segments.flatMap((two) => segments.map((three) => [one, two, three])))
]

/** `z` is never in a pattern: it is what the automaton calls fresh. */
const tokens: ReadonlyArray<Token> = [
  ...["a", "aa", "?", "*", "a*", "*a", "?a", "??", "a?", "?a*", "*a*"].map(segment),
  Deep
]

const glob = fc.array(fc.constantFrom(...tokens), { maxLength: 4 }).map(Glob.make)

/** Short enough that what tells two of them apart is in the universe. */
const short = [
  [],
  ...tokens.map((one) => [one]),
  ...tokens.flatMap((one) => tokens.map((two) => [one, two]))
].map(Glob.make)

const start = Math.floor(Math.random() * 8)

const escapee = (outer: Glob.Glob, inner: Glob.Glob) =>
  universe.find((words) => Glob.matches(inner, words) && !Glob.matches(outer, words))

const shared = (a: Glob.Glob, b: Glob.Glob) =>
  universe.find((words) => Glob.matches(a, words) && Glob.matches(b, words))

/** All of them in the deep; else every eighth, from a different one each time. */
const pairs = short
  .flatMap((one) => short.map((two) => [one, two] as const))
  .filter((_, at) => deep || at % 8 === start)

const show = (pair: readonly [Glob.Glob, Glob.Glob]) => pair.map(({ key }) => key.replaceAll("\u0000", "/"))

/** An independent reading of a glob, by way of regular expressions. */
const reference = (tokens: ReadonlyArray<Token>): RegExp => {
  const one = (item: Token): string =>
    item._tag === "Deep"
      ? "(?:[^/]*/)*"
      : `${(item._tag === "Literal" ? [item.text] : item.units)
          .map((unit) =>
            item._tag === "Literal" ? unit : unit === "*" ? "[^/]*" : unit === "?" ? "[^/]" : unit
          )
          .join("")}/`
  return new RegExp(`^${tokens.map(one).join("")}$`)
}

const line = (words: ReadonlyArray<string>): string => words.map((word) => `${word}/`).join("")

describe("a glob", () => {
  it("matches what a regular expression of the same meaning matches", () => {
    fc.assert(
      fc.property(
        glob,
        fc.constantFrom(...universe),
        (g, words) => Glob.matches(g, words) === reference(g.tokens).test(line(words))
      ),
      { numRuns: times(500) }
    )
  })

  it("includes another exactly when every word of the other is its own: all pairs of short ones", () => {
    const wrong = pairs.filter(
      ([outer, inner]) => Glob.includes(outer, inner) !== (escapee(outer, inner) === undefined)
    )
    expect(wrong.map(show)).toEqual([])
  })

  it("overlaps another exactly when they share a word: all pairs of short ones", () => {
    const wrong = pairs.filter(([a, b]) => Glob.overlaps(a, b) !== (shared(a, b) !== undefined))
    expect(wrong.map(show)).toEqual([])
  })

  it("claims no inclusion that does not hold, and misses no overlap, when it is longer", () => {
    fc.assert(
      fc.property(
        glob,
        glob,
        (a, b) =>
          (!Glob.includes(a, b) || escapee(a, b) === undefined) &&
          (Glob.overlaps(a, b) || shared(a, b) === undefined)
      ),
      { numRuns: times(500) }
    )
  })

  it("has one form for one meaning", () => {
    fc.assert(
      fc.property(glob, glob, (a, b) => (Glob.includes(a, b) && Glob.includes(b, a)) === (a.key === b.key)),
      { numRuns: times(500) }
    )
    expect(Glob.make([Deep, Any]).key).toBe(Glob.make([Any, Deep]).key)
    expect(Glob.make([segment("*?*")]).key).toBe(Glob.make([segment("?*")]).key)
  })

  it("reads back as it was printed", () => {
    const text = fc
      .array(fc.constantFrom("a", "*", "**", "?b", "a*", ".git"), { maxLength: 5 })
      .map((parts) => `/${parts.join("/")}`)
    fc.assert(
      fc.property(text, (written) => {
        const first = Either.getOrThrow(path.parse(written))
        return Either.getOrThrow(path.parse(path.print(first))).key === first.key
      }),
      { numRuns: times(500) }
    )
  })

  it("gives up on inclusion, and says no, when the patterns are built to make it slow", () => {
    const slow = Glob.make([segment(`*a${"?".repeat(40)}`)])
    const other = Glob.make([segment(`*aa${"?".repeat(40)}b*`)])
    expect(Glob.includes(slow, other)).toBe(false)
  })
})

/** Threat: an index that does not find a glob which matches, or finds one that does not. Compared with asking each, in a small universe. */
import { describe, expect, it } from "vitest"
import * as Glob from "../../src/policy/lattice/Glob.js"
import { GlobIndex } from "../../src/policy/lattice/GlobIndex.js"
import { Deep, segment, type Token } from "../../src/policy/lattice/Token.js"

const upTo = <A>(length: number, letters: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  length === 0
    ? [[]]
    : [[], ...letters.flatMap((one) => upTo(length - 1, letters).map((rest) => [one, ...rest]))]

const tokens: ReadonlyArray<Token> = [...["a", "?", "*", "a*"].map(segment), Deep]

const globs = upTo(3, tokens).map(Glob.make)

const paths = upTo(4, ["a", "b", "ab"])

const matching = (path: ReadonlyArray<string>) => new Set(globs.filter((glob) => Glob.matches(glob, path)))

describe("an index of globs", () => {
  it("of one finds it exactly where it matches", () => {
    for (const glob of globs) {
      const index = new GlobIndex<string>()
      index.add(glob, "found")
      const wrong = paths.filter(
        (path) => (index.find(path, () => true) === "found") !== Glob.matches(glob, path)
      )
      expect({ glob: glob.key, wrong }).toEqual({ glob: glob.key, wrong: [] })
    }
  })

  it("of many meets all that match until one is accepted, and no other", () => {
    const index = new GlobIndex<Glob.Glob>()
    for (const glob of globs) index.add(glob, glob)
    for (const path of paths) {
      const met = new Set<Glob.Glob>()
      index.find(path, (glob) => {
        met.add(glob)
        return false
      })
      expect(met).toEqual(matching(path))
    }
  })
})

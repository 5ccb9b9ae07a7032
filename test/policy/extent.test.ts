/** Threat: a set says that it holds a whole tree, or nothing below a place, and is wrong. Compared with asking each path, in a small universe. */
import { describe, expect, it } from "vitest"
import * as Path from "../../src/policy/lattice/dimensions/Path.js"
import * as Glob from "../../src/policy/lattice/Glob.js"
import { ScopeSet } from "../../src/policy/lattice/ScopeSet.js"
import { Deep, segment, type Token } from "../../src/policy/lattice/Token.js"

const upTo = <A>(length: number, letters: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  length === 0
    ? [[]]
    : [[], ...letters.flatMap((one) => upTo(length - 1, letters).map((rest) => [one, ...rest]))]

const distinct = <A>(all: ReadonlyArray<A>, key: (one: A) => string): ReadonlyArray<A> => [
  ...new Map(all.map((one) => [key(one), one])).values()
]

const tokens: ReadonlyArray<Token> = [...["a", "*", "a*"].map(segment), Deep]

const globs = distinct(upTo(3, tokens).map(Glob.make), ({ key }) => key)

const places = distinct(upTo(2, ["a", "b", "ab"]), (path) => path.join("/"))

const below = (place: ReadonlyArray<string>) => upTo(3, ["a", "b", "ab"]).map((rest) => [...place, ...rest])

const inside = (place: ReadonlyArray<string>) => below(place).filter(({ length }) => length > place.length)

const sets = [
  ...globs.map((glob) => [[glob]]),
  // Two patterns that must both match, and two of which one is enough.
  ...globs.flatMap((one, i) =>
    globs.slice(i + 1, i + 4).flatMap((other) => [[[one, other]], [[one], [other]]])
  )
].map((alternatives) =>
  ScopeSet.make(
    [Path.path],
    alternatives.map((path) => ({ path }))
  )
)

describe("how far a set of paths reaches", () => {
  it("where it holds what is below, it holds all of that", () => {
    for (const set of sets) {
      for (const place of places.filter((one) => set.holdsBelow("path", one))) {
        expect(inside(place).filter((path) => set.find({ path }) === undefined)).toEqual([])
      }
    }
  })

  it("what is below, and one of its patterns holds, is seen to be held", () => {
    for (const glob of globs) {
      const set = ScopeSet.make([Path.path], [{ path: [glob] }])
      for (const place of places) {
        expect(set.holdsBelow("path", place)).toBe(inside(place).every((path) => Glob.matches(glob, path)))
      }
    }
  })

  it("below what it does not reach nothing is held", () => {
    for (const set of sets) {
      for (const place of places.filter((one) => !set.reachesBelow("path", one))) {
        expect(inside(place).filter((path) => set.find({ path }) !== undefined)).toEqual([])
      }
    }
  })

  it("everything that it holds begins where one of its alternatives does", () => {
    for (const set of sets) {
      const starts = set.starts("path").map(({ prefix }) => prefix)
      const begins = (path: ReadonlyArray<string>) =>
        starts.some((prefix) => prefix.every((name, at) => name === path[at]))
      expect(below([]).filter((path) => set.find({ path }) !== undefined && !begins(path))).toEqual([])
    }
  })

  it("of those alternatives that hold an element it tells what they ask", () => {
    const roots = ScopeSet.make(
      [Path.path, Path.root],
      [
        { path: [Glob.tree(["a", "b"])], in: [Glob.tree(["w"])] },
        { path: [Glob.tree(["a"])], in: [Glob.tree(["w", "x"])] },
        { path: [Glob.tree(["c"])], in: [] }
      ]
    )
    const asked = (path: ReadonlyArray<string>, place: ReadonlyArray<string>) =>
      roots.asksOf("in", { path, in: place }).map((all) => all.map(Path.root.print))
    expect(asked(["a", "b"], ["w", "x"]).sort()).toEqual([["/w/"], ["/w/x/"]])
    expect(asked(["a"], ["w", "x"])).toEqual([["/w/x/"]])
    expect(asked(["c"], ["v"])).toEqual([[]])
    expect(asked(["d"], ["w"])).toEqual([])
  })
})

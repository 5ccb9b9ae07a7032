/** Trees of the floor, against the plain meaning of "at or below". */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { Trees } from "../../src/policy/gate/floor/Trees.js"
import { times } from "../deep.js"

const name = fc.constantFrom("a", "A", "b", "ab", ".c", "ſ", "s")
const path = fc.array(name, { maxLength: 4 })

const fold = (segments: ReadonlyArray<string>) => segments.join("/").replaceAll("ſ", "s").toLowerCase()

describe("trees of paths", () => {
  it("find the outermost tree that a path lies in, whatever the case of its names", () => {
    fc.assert(
      fc.property(fc.array(path, { maxLength: 5 }), path, (roots, asked) => {
        const trees = new Trees<string>()
        for (const root of roots) trees.add(root, fold(root))
        const expected = roots
          .map(fold)
          .filter((root) => root === "" || fold(asked) === root || fold(asked).startsWith(`${root}/`))
          .sort((a, b) => a.length - b.length)[0]
        expect(trees.find(`/${asked.join("/")}`)).toBe(expected)
        expect(trees.find(`/${asked.join("//")}/`)).toBe(expected)
      }),
      { numRuns: times(500) }
    )
  })
})

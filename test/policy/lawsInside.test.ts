/** The laws of the lattice on all the rest, and the lines that requests are written in. */
import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import * as Request from "../../src/policy/lattice/Request.js"
import { allFacets, asked } from "./generators.js"
import { lawsOf, RUNS } from "./laws.js"

const outside = ["network", "private", "files", "process"]

lawsOf(allFacets.filter((facet) => !outside.includes(facet)))

describe("requests", () => {
  it.each(allFacets)("of %s read back from the line that shows them", (facet) => {
    fc.assert(
      fc.property(asked(facet), (r) => {
        const again = Either.getOrThrow(Request.parse(Request.show(r)))
        expect(Request.show(again)).toBe(Request.show(r))
        expect(again.capability).toBe(r._tag === "Http" ? again.capability : r.capability)
      }),
      { numRuns: RUNS }
    )
  })
})

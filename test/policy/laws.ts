/**
 * Threat: an operation on authorities that gives more than its operands did, or answers differently when it is
 * asked in another order. Every law of the lattice, on every facet.
 */

import { Either, Equal, FastCheck as fc, Hash, Schema } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import * as Authority from "../../src/policy/lattice/Authority.js"
import type { Facet } from "../../src/policy/lattice/Facets.js"
import * as Request from "../../src/policy/lattice/Request.js"
import { seed, times } from "../deep.js"
import { drawn } from "./generators.js"

const { join, meet, permits, within } = Authority

interface Sample {
  readonly a: Authority.Authority
  /** Equal to `a`, by way of JSON: another object, so that nothing is equal only because it is identical. */
  readonly again: Authority.Authority
  readonly b: Authority.Authority
  readonly c: Authority.Authority
  readonly r: Request.Request
}

const allows = (a: Authority.Authority, r: Request.Request): boolean => permits(a, r).allowed

const laws: Readonly<Record<string, (sample: Sample) => boolean>> = {
  "meet is idempotent": ({ a, again }) => Equal.equals(meet(a, again), a),
  "join is idempotent": ({ a, again }) => Equal.equals(join(a, again), a),
  "meet is commutative": ({ a, b }) => Equal.equals(meet(a, b), meet(b, a)),
  "join is commutative": ({ a, b }) => Equal.equals(join(a, b), join(b, a)),
  "meet is associative": ({ a, b, c }) => Equal.equals(meet(a, meet(b, c)), meet(meet(a, b), c)),
  "join is associative": ({ a, b, c }) => Equal.equals(join(a, join(b, c)), join(join(a, b), c)),
  "join of many is join of each": ({ a, b, c }) => Equal.equals(join(a, b, c), join(join(a, b), c)),
  "meet absorbs join": ({ a, b }) => Equal.equals(meet(a, join(a, b)), a),
  "join absorbs meet": ({ a, b }) => Equal.equals(join(a, meet(a, b)), a),
  "meet distributes over join": ({ a, b, c }) =>
    Equal.equals(meet(a, join(b, c)), join(meet(a, b), meet(a, c))),
  "nothing is the bottom": ({ a }) =>
    Equal.equals(meet(a, Authority.nothing), Authority.nothing) &&
    Equal.equals(join(a, Authority.nothing), a) &&
    within(Authority.nothing, a),
  "everything is the top": ({ a }) =>
    Equal.equals(meet(a, Authority.everything), a) && within(a, Authority.everything),
  "meet is monotone": ({ a, b, c }) => within(meet(a, c), meet(join(a, b), c)),
  "join is monotone": ({ a, b, c }) => within(join(a, c), join(a, b, c)),
  "meet is within both": ({ a, b }) => within(meet(a, b), a) && within(meet(a, b), b),
  "both are within join": ({ a, b }) => within(a, join(a, b)) && within(b, join(a, b)),
  "within is reflexive": ({ a, again }) => within(a, again),
  "within is transitive": ({ a, b, c }) => !within(a, b) || !within(b, c) || within(a, c),
  "within is the order of meet": ({ a, b }) => within(a, b) === Equal.equals(meet(a, b), a),
  "within is the order of join": ({ a, b }) => within(a, b) === Equal.equals(join(a, b), b),
  "mutual within is equality": ({ a, b }) => (within(a, b) && within(b, a)) === Equal.equals(a, b),
  "gaps are empty exactly within": ({ a, b }) => (Authority.gaps(a, b).length === 0) === within(a, b),
  "meet permits what both permit": ({ a, b, r }) => allows(meet(a, b), r) === (allows(a, r) && allows(b, r)),
  "join permits what either permits": ({ a, b, r }) =>
    allows(join(a, b), r) === (allows(a, r) || allows(b, r)),
  "within permits no more": ({ a, b, c, r }) => {
    const inner = meet(a, b)
    const outer = join(a, c)
    return (
      within(inner, outer) &&
      (!allows(inner, r) || allows(outer, r)) &&
      (!within(b, c) || !allows(b, r) || allows(c, r))
    )
  },
  "what may be read may be sent sealed": ({ a, b, r }) => {
    if (r.capability !== "secrets.seal" || r._tag !== "Scoped") return true
    const reading = Either.getOrThrow(Request.secret((r.element.ref ?? []).join("/")))
    return [a, meet(a, b), join(a, b)].every((one) => !allows(one, reading) || allows(one, r))
  },
  "what may only be sent sealed is not read, and that is said": ({ a, r }) => {
    if (r.capability !== "secrets.read" || r._tag !== "Scoped") return true
    const decision = permits(a, r)
    return decision.allowed || (decision.denial.code === "SECRET_SEALED") === Authority.isSealed(a, r)
  },
  "nothing permits nothing": ({ r }) => !allows(Authority.nothing, r),
  "everything permits everything": ({ r }) => allows(Authority.everything, r),
  "what is stored and read again is equal, and hashes alike": ({ a, again }) =>
    Equal.equals(again, a) && Hash.hash(again) === Hash.hash(a),
  "a decision names the scope that allows, or what was asked, what is held and a remedy": ({ a, r }) => {
    const decision = permits(a, r)
    if (decision.allowed) return decision.scope !== "" && decision.capability === r.capability
    const { asked, capability, held, reason, remedy } = decision.denial
    // What is held sealed may be named: it is refused because of where it would go.
    const isNamed = decision.denial.code === "SEAL_REFUSED" && r._tag === "Scoped" && asked === r.line
    return (
      (isNamed || asked === Request.summary(r)) &&
      remedy !== "" &&
      capability === r.capability &&
      (reason === "capability_absent") === (held.length === 0)
    )
  }
}

const clone = (a: Authority.Authority): Authority.Authority =>
  Schema.decodeUnknownSync(Authority.FromJson)(
    JSON.parse(JSON.stringify(Schema.encodeSync(Authority.FromJson)(a)))
  )

/**
 * Hundreds of samples a facet (thousands in the deep), drawn once and shared by its laws. A law that fails is run again from the same
 * seed under `fc.assert`, which prints the seed and the smallest counterexample.
 */
export const RUNS = times(500)

export const lawsOf = (facets: ReadonlyArray<Facet>): void =>
  describe.each(facets)("laws of %s", (facet) => {
    // The laws never wait for anything; without a turn of the loop between them the runner thinks they hang.
    afterEach(() => new Promise((resolve) => setImmediate(resolve)))
    const arbitrary: fc.Arbitrary<Sample> = drawn(facet).map((sample) => ({
      ...sample,
      again: clone(sample.a)
    }))
    let samples: ReadonlyArray<Sample> = []
    beforeAll(() => {
      samples = fc.sample(arbitrary, { numRuns: RUNS, seed })
    })
    // Ten facets of them at once are gigabytes.
    afterAll(() => {
      samples = []
    })

    it.each(Object.entries(laws))("%s", (_name, law) => {
      expect(samples.length).toBe(RUNS)
      if (!samples.every(law)) fc.assert(fc.property(arbitrary, law), { numRuns: RUNS, seed })
    })
  })

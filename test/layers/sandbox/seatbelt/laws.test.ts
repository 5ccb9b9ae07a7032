/**
 * The law of confinement, for macOS: what the profile of a plan lets a child read or write, besides the system's own, is what
 * its authority permits; and whatever the plan has, the profile has. Plans come from authorities and trees at random.
 */
import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import * as Seatbelt from "../../../../src/layers/node/sandbox/seatbelt/Seatbelt.js"
import { times } from "../../../deep.js"
import {
  type Case,
  cases,
  isExcepted,
  isOpen,
  mayShow,
  plannedOf,
  shown
} from "../../../policy/confinementCases.js"
import { type Order, read } from "./evaluator.js"

const RUNS = { numRuns: times(200) }

const orders: ReadonlyArray<Order> = ["last", "narrowest"]

/** What is not the system's: `/usr` is, on both systems. */
const isOurs = (path: string): boolean => !/^\/(?:usr|etc|proc)(?:\/|$)/.test(path)

const profiled = (one: Case) => {
  const { made, paths, states } = plannedOf(one)
  const text = Either.getOrThrowWith(
    Seatbelt.profile(made, { tmp: "/private/tmp/x" }),
    ({ detail }) => new Error(detail)
  )
  const profile = read(text)
  return {
    made,
    states,
    paths: paths.filter(([path, kind]) => isOurs(path) && kind !== "link"),
    may: (operation: string, path: string) => {
      const [last, narrowest] = orders.map((order) => profile.permits(operation, path, order))
      expect([path, last]).toEqual([path, narrowest])
      return last === true
    }
  }
}

describe("the profile of any plan", () => {
  it("lets a child read and write nothing but what its tool may", () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { may, paths } = profiled(one)
        const read = paths.filter(
          ([path, kind]) =>
            may("file-read-data", path) &&
            !(mayShow(one, "read", [path, kind]) && isOpen(one.given, "read", path))
        )
        const written = paths.filter(
          ([path, kind]) =>
            may("file-write-data", path) &&
            !(
              mayShow(one, "write", [path, kind]) &&
              (isOpen(one.given, "write", path) || isExcepted(one, path))
            )
        )
        expect([read, written], shown(one)).toEqual([[], []])
      }),
      RUNS
    )
  })

  it("has all that the plan has, and nothing else", () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { may, paths, states } = profiled(one)
        for (const [path] of paths) {
          const state = states.get(path)
          expect([path, may("file-read-data", path), may("file-write-create", path)], shown(one)).toEqual([
            path,
            state === "read" || state === "write",
            state === "write"
          ])
        }
      }),
      RUNS
    )
  })

  it("keeps every directory where it is that leads to what the child may not change", () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { made, may } = profiled(one)
        for (const { path } of made.covers) {
          for (let at = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
            expect([at, may("file-write-unlink", at)], shown(one)).toEqual([at, false])
          }
        }
      }),
      RUNS
    )
  })
})

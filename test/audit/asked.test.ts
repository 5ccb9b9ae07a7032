/**
 * Threat: a line of the log that is read as less than what was done, so that what is suggested from it takes away what was
 * used; and a line that was made to look like another.
 */
import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import * as Asked from "../../src/audit/Asked.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import type { Facet } from "../../src/policy/lattice/Facets.js"
import { HostSet } from "../../src/policy/lattice/HostSet.js"
import * as Least from "../../src/policy/lattice/Least.js"
import * as Request from "../../src/policy/lattice/Request.js"
import * as Use from "../../src/policy/lattice/Use.js"
import { times } from "../deep.js"
import { allFacets, drawn } from "../policy/generators.js"

/** As the log has it: what was asked for a secret that is held is named, arguments never are. */
const lineOf = (request: Request.Request): string =>
  request._tag === "Scoped" && request.facet === "secrets" ? Request.show(request) : Request.summary(request)

const holds = (use: Use.Use, request: Request.Request): boolean => {
  const set = Use.setOf(use)
  if (request._tag === "Http") return set instanceof HostSet && set.has(request.host)
  return !(set instanceof HostSet) && set.find(request.element) !== undefined
}

const entryOf = (request: Request.Request, scope?: string) => ({
  capability: request.capability,
  asked: lineOf(request),
  ...(scope === undefined ? {} : { scope })
})

describe.each(allFacets)("a decision about %s", (facet: Facet) => {
  it("is read back as something that holds what was asked, whatever the scope", () => {
    fc.assert(
      fc.property(
        drawn(facet),
        fc.constantFrom("none" as const, "true" as const, "redacted" as const, "cut" as const),
        ({ a, r }, said) => {
          const decision = Authority.permits(Authority.join(a, Authority.everything), r)
          const narrow = Authority.permits(a, r)
          const scope = narrow.allowed ? narrow.scope : decision.allowed ? decision.scope : ""
          const entry = {
            none: entryOf(r),
            true: entryOf(r, scope),
            redacted: { ...entryOf(r, scope), asked: "[redacted] of it" },
            cut: { ...entryOf(r, scope), asked: `${lineOf(r).slice(0, 7)}…` }
          }[said]
          const asked = Asked.read(entry)
          expect(
            asked?.uses.some((use) => holds(use, r)),
            JSON.stringify(entry)
          ).toBe(true)
        }
      ),
      { numRuns: times(150) }
    )
  })
})

const commandIn = (text: string) => {
  const asked = Asked.read({ capability: "process.exec", asked: text })
  const [use] = asked?.uses ?? []
  return use === undefined ? undefined : Use.setOf(use).encode()
}

describe("a command", () => {
  it.each([
    ["exec git", [{ argv: "git:*", in: "/" }]],
    ["exec git in /work", [{ argv: "git:*", in: "/work/." }]],
    ["exec git with 1 argument in /work", [{ argv: "git:*", in: "/work/." }]],
    ["exec git with 2 arguments in /my work in /it", [{ argv: "git:*", in: "/my work in /it/." }]],
    ['exec "in" with 2 arguments', [{ argv: "in:*", in: "/" }]],
    ["exec with with 2 arguments in /with 3 arguments", [{ argv: "with:*", in: "/with 3 arguments/." }]]
  ])("%s is its name with any arguments, and its directory", (line, encoded) => {
    expect(commandIn(line)).toEqual(encoded)
  })

  it.each([
    "exec git log --all",
    "exec git with two arguments in /work",
    'exec "git in /work',
    "exec git in work",
    "exec git in /work/../etc",
    "git log",
    ""
  ])("of which the line says something else is any command: %s", (line) => {
    expect(commandIn(line)).toEqual([{ argv: "*", in: "/" }])
  })

  it("is held to the pattern that allowed it", () => {
    const read = Asked.read({
      capability: "process.exec",
      asked: "exec git with 2 arguments in /work/site",
      scope: "git log * in /work/"
    })
    expect(Least.least(Authority.everything, read?.uses ?? []).authority.toJSON()).toEqual({
      process: { exec: [{ argv: "git log *", in: "/work/site/." }] }
    })
  })
})

describe("a line about something else than its capability", () => {
  it.each([
    ["files.read", "write /work/x", "/work/"],
    ["files.read", "GET https://example.com/", "/work/"],
    ["files.read", "read /work/[redacted]/x", "/work/"],
    ["files.read", "read /work/a read /work/b", "/work/"]
  ])("is what the scope holds: %s, %s", (capability, asked, scope) => {
    const read = Asked.read({ capability, asked, scope })
    expect(read?.uses.map((use) => Use.setOf(use).encode())).toEqual([["/work/"]])
    expect(read?.request).toBeUndefined()
  })

  it("is no question at all where there is no such capability", () => {
    expect(Asked.read({ capability: "toolset", asked: "call x" })).toBeUndefined()
    expect(Asked.read({ capability: "toString", asked: "call x" })).toBeUndefined()
  })
})

describe("what a request leads to", () => {
  it("is the endpoint of a host, at the port that was asked", () => {
    const also = (asked: string) =>
      Asked.read({ capability: "network.get", asked })?.also.map((use) => Use.setOf(use).encode())
    expect(also("GET http://db.corp.example:8080/x")).toEqual([["db.corp.example:8080"]])
    expect(also("GET https://[::1]/")).toEqual([["[::1]:443"]])
    expect(also("GET [redacted]")).toEqual([["*"]])
  })

  it("is the file behind a link, and one file where it is known to be one", () => {
    const read = Asked.read(
      { capability: "files.read", asked: "read /work/link/a" },
      { real: (path) => path.replace("/work/link", "/data"), isFile: (path) => path.startsWith("/data") }
    )
    expect([...(read?.uses ?? []), ...(read?.also ?? [])].map((use) => Use.setOf(use).encode())).toEqual([
      ["/work/link/a/"],
      ["/data/a"]
    ])
  })
})

it("names that are odd are read as they were", () => {
  const path = '/work/a "b" \\ ü\u{1F600}/in'
  const request = Either.getOrThrow(Request.file("read", path))
  const read = Asked.read({ capability: "files.read", asked: Request.summary(request) })
  expect(read?.request?._tag === "Scoped" && read.request.element).toEqual(request.element)
})

/**
 * Threat: a suggestion that gives more than was held, or takes away what was used. The least authority for a list of
 * uses, on every facet.
 */
import { Equal, FastCheck as fc, Schema } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import * as Authority from "../../src/policy/lattice/Authority.js"
import type { Facet } from "../../src/policy/lattice/Facets.js"
import { HostSet } from "../../src/policy/lattice/HostSet.js"
import * as Least from "../../src/policy/lattice/Least.js"
import * as Request from "../../src/policy/lattice/Request.js"
import type { ScopeSet } from "../../src/policy/lattice/ScopeSet.js"
import * as Use from "../../src/policy/lattice/Use.js"
import { seed, times } from "../deep.js"
import { allFacets, asked, drawn } from "./generators.js"

const RUNS = { numRuns: times(150), seed }

const allows = (authority: Authority.Authority, request: Request.Request): boolean =>
  Authority.permits(authority, request).allowed

const sample = (facet: Facet) =>
  fc.record({
    drawn: drawn(facet),
    requests: fc.array(asked(facet), { maxLength: 12 }),
    others: fc.array(asked(facet), { maxLength: 6 }),
    siblings: fc.integer({ min: 0, max: 4 }),
    isFile: fc.boolean()
  })

describe.each(allFacets)("the least of %s", (facet) => {
  afterEach(() => new Promise((resolve) => setImmediate(resolve)))

  it("is within what is held, and gives the same answers to all that was asked", () => {
    fc.assert(
      fc.property(sample(facet), ({ drawn: { a, b, r }, isFile, requests, siblings }) => {
        const all = [r, ...requests]
        const uses = all.map((one) => Use.ofRequest(one, { isFile }))
        const { authority } = Least.least(a, uses, { siblings, kept: b })
        expect(Authority.within(authority, a)).toBe(true)
        for (const one of all) expect(allows(authority, one)).toBe(allows(a, one))
        expect(Authority.within(Authority.meet(a, b), authority)).toBe(true)
      }),
      RUNS
    )
  })

  it("is the same when it is worked out again, from what is held by then", () => {
    fc.assert(
      fc.property(sample(facet), ({ drawn: { a, b, r }, requests, siblings }) => {
        const uses = [r, ...requests].map((one) => Use.ofRequest(one))
        const once = Least.least(a, uses, { siblings, kept: b }).authority
        expect(Equal.equals(Least.least(once, uses, { siblings, kept: b }).authority, once)).toBe(true)
      }),
      RUNS
    )
  })

  it("gives nothing that was not used, unless it is to stand for siblings", () => {
    fc.assert(
      fc.property(sample(facet), ({ drawn: { a, r }, others, requests, siblings }) => {
        const all = [r, ...requests]
        const uses = all.map((one) => Use.ofRequest(one, { isFile: true }))
        const exactly = Least.least(a, uses).authority
        const lines = new Set(all.map((one) => `${one.capability} ${target(one)}`))
        const unasked = others.filter(
          (one) => !lines.has(`${one.capability} ${target(one)}`) && !isImplied(one, all)
        )
        // A command without a directory is permitted by what is free of one, which permits every directory.
        const isFree = all.some((one) => one._tag === "Scoped" && one.facet === "process" && !one.element.in)
        for (const one of isFree ? [] : unasked) expect(allows(exactly, one)).toBe(false)
        expect(Authority.within(exactly, Least.least(a, uses, { siblings }).authority)).toBe(true)
      }),
      RUNS
    )
  })

  it("what is beyond another set is of the one, and together they hold all of it", () => {
    fc.assert(
      fc.property(drawn(facet), ({ a, b, r }) => {
        const of = (authority: Authority.Authority) => Authority.scopesOf(authority, r.capability) as ScopeSet
        const rest = of(a).beyond(of(b))
        expect(of(a).includes(rest) && of(b).join([rest]).includes(of(a))).toBe(true)
        expect(rest.isEmpty).toBe(of(b).includes(of(a)))
      }),
      RUNS
    )
  })

  it("a scope that a decision names is read back as one that holds what was asked", () => {
    fc.assert(
      fc.property(drawn(facet), ({ a, r }) => {
        const decision = Authority.permits(a, r)
        if (!decision.allowed) return
        const read = Use.ofScope(r.capability, decision.scope)
        const isHeld = read.some((use) => {
          const set = Use.setOf(use)
          if (r._tag === "Http") return set instanceof HostSet && set.has(r.host)
          return !(set instanceof HostSet) && set.find(r.element) !== undefined
        })
        expect(isHeld, decision.scope).toBe(true)
      }),
      RUNS
    )
  })
})

/** What a request is about, without what no scope looks at. */
const target = (request: Request.Request): string =>
  request._tag === "Http" ? request.host : JSON.stringify(request.element)

/** Whether it may be done because of something else that was: what was read may be sent sealed. */
const isImplied = (request: Request.Request, all: ReadonlyArray<Request.Request>): boolean =>
  request.capability === "secrets.seal" &&
  request._tag === "Scoped" &&
  all.some(
    (one) =>
      one.capability === "secrets.read" &&
      one._tag === "Scoped" &&
      JSON.stringify(one.element.ref) === JSON.stringify(request.element.ref)
  )

const held = (encoded: Authority.Encoded): Authority.Authority =>
  Schema.decodeSync(Authority.FromJson)(encoded)

const used = (...lines: ReadonlyArray<string>): ReadonlyArray<Use.Use> =>
  lines.map((line) => Use.ofRequest(Request.parseSync(line), { isFile: true }))

describe("what stands side by side", () => {
  const files = held({ files: { read: ["/work/"] } })
  const reads = used("read /work/docs/a", "read /work/docs/b", "read /work/docs/c", "read /work/x/y")

  it("is a directory when there is enough of it, and that is said", () => {
    const { authority, generalised } = Least.least(files, reads, { siblings: 3 })
    expect(authority.toJSON()).toEqual({ files: { read: ["/work/docs/", "/work/x/y"] } })
    expect(generalised).toEqual([{ capability: "files.read", scope: "/work/docs/", siblings: 3 }])
  })

  it("is named thing by thing when there is not", () => {
    const { authority, generalised } = Least.least(files, reads, { siblings: 4 })
    expect(authority.toJSON()).toEqual({
      files: { read: ["/work/docs/a", "/work/docs/b", "/work/docs/c", "/work/x/y"] }
    })
    expect(generalised).toEqual([])
  })

  it("is met with what is held: nothing is said of a directory that gives no more", () => {
    const exact = held({ files: { read: ["/work/docs/a", "/work/docs/b", "/work/docs/c"] } })
    const { authority, generalised } = Least.least(exact, reads, { siblings: 2 })
    expect(Equal.equals(authority, exact)).toBe(true)
    expect(generalised).toEqual([])
  })

  it("a directory that came about so does not count again", () => {
    const all = ["a", "b", "c"].flatMap((folder) => [1, 2, 3].map((n) => `read /work/${folder}/${n}`))
    expect(Least.least(files, used(...all), { siblings: 3 }).authority.toJSON()).toEqual({
      files: { read: ["/work/a/", "/work/b/", "/work/c/"] }
    })
  })

  it("a suffix stands for hosts, and never one that belongs to many", () => {
    const any = held({ network: { get: ["*"] } })
    const hosts = ["a.x.example", "b.x.example", "a.co.uk", "b.co.uk", "10.0.0.1", "10.0.0.2", "one", "two"]
    const uses = used(...hosts.map((host) => `GET http://${host}/`))
    const { authority, generalised } = Least.least(any, uses, { siblings: 2 })
    expect(authority.toJSON()).toEqual({
      network: { get: ["*.x.example", "10.0.0.1", "10.0.0.2", "a.co.uk", "b.co.uk", "one", "two"] }
    })
    expect(generalised.map(({ scope }) => scope)).toEqual(["*.x.example"])
  })

  it("a prefix stands for records of one class, and for agents", () => {
    const all = held({ records: { update: [{ class: "*", path: "**" }] }, agents: { delete: ["**"] } })
    const uses = used(
      "records.update notes/a of class note",
      "records.update notes/b of class note",
      "records.update notes/c of class task",
      "agents.delete agents/a",
      "agents.delete agents/b"
    )
    expect(Least.least(all, uses, { siblings: 2 }).authority.toJSON()).toEqual({
      records: {
        update: [
          { class: "note", path: "notes/**" },
          { class: "task", path: "notes/c" }
        ]
      },
      agents: { delete: ["agents/**"] }
    })
  })

  it("commands, secrets and endpoints stand for themselves alone", () => {
    const all = held({
      process: { exec: [{ argv: "*", in: "/" }] },
      secrets: { read: ["a/*"] },
      private: { connect: ["*"] }
    })
    const uses = used("secret a/b", "secret a/c", "connect 127.0.0.1:80", "connect 127.0.0.1:81")
    expect(Least.least(all, uses, { siblings: 1 }).authority.toJSON()).toEqual({
      secrets: { read: ["a/b", "a/c"] },
      private: { connect: ["127.0.0.1:80", "127.0.0.1:81"] }
    })
  })
})

describe("more than anybody tells apart", () => {
  it("stays as it is held", () => {
    const files = held({ files: { read: ["/work/"], write: ["/work/"] } })
    const uses = Array.from({ length: 1_500 }, (_, n) => `read /work/${n}/x`)
    const { authority, crowded } = Least.least(files, used(...uses, "write /work/a"))
    expect(crowded).toEqual(["files.read"])
    expect(authority.toJSON()).toEqual({ files: { read: ["/work/"], write: ["/work/a"] } })
  })
})

describe("what is not known", () => {
  it("keeps all that is held of it", () => {
    const all = held({ files: { read: ["/a/", "/b/"], write: ["/a/"] }, network: { get: ["*.x.example"] } })
    const uses = [Use.unknown("files.read"), Use.unknown("network.get")]
    expect(Least.least(all, uses).authority.toJSON()).toEqual({
      files: { read: ["/a/", "/b/"] },
      network: { get: ["*.x.example"] }
    })
  })

  it.each([
    ["files.read", "/a and /b/"],
    ["process.exec", "git log * in /work/ in /x/"],
    ["records.update", "note path path x"]
  ] as const)("a scope of %s that can be read in two ways gives both: %s", (capability, text) => {
    expect(Use.ofScope(capability, text).length).toBeGreaterThan(1)
  })

  it("a scope that cannot be read gives none", () => {
    expect(Use.ofScope("files.read", "somewhere")).toEqual([])
    expect(Use.ofScope("network.get", "https://x/")).toEqual([])
  })
})

/**
 * The law of confinement: whatever a plan lets a child read or write, besides the system's own, the binary and the directory
 * of its grant, authority and floor permit; and whatever they permit that is there, the plan has or says that it has not.
 */
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { plan } from "../../src/policy/confinement/Confinement.js"
import * as Floor from "../../src/policy/gate/floor/Floor.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Request from "../../src/policy/lattice/Request.js"
import { times } from "../deep.js"
import {
  cases,
  decode,
  isExcepted,
  isIn,
  isOpen,
  isSeen,
  mayRead,
  mayShow,
  permits,
  plannedOf,
  requested,
  shown
} from "./confinementCases.js"
import { lookAt } from "./trees.js"

const RUNS = { numRuns: times(400) }

describe("A plan", () => {
  it("lets a child read nothing but what its tool may, and the directory of its grant", () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { paths, states } = plannedOf(one)
        const wrong = paths.filter(
          ([path, kind]) =>
            isSeen(states.get(path)) &&
            kind !== "link" &&
            (kind === "other" || !mayShow(one, "read", [path, kind]) || !isOpen(one.given, "read", path))
        )
        expect(wrong, shown(one)).toEqual([])
      }),
      RUNS
    )
  })

  it("lets a child write nothing but what its tool may write and the child may read", () => {
    let written = 0
    fc.assert(
      fc.property(cases, (one) => {
        const { paths, states } = plannedOf(one)
        const writable = paths.filter(([path, kind]) => states.get(path) === "write" && kind !== "link")
        const wrong = writable.filter(
          ([path, kind]) =>
            !mayShow(one, "write", [path, kind]) ||
            (!isOpen(one.given, "write", path) && !isExcepted(one, path))
        )
        // What it makes anew there must be permitted too, but for names of the floor, which are swept.
        const made = writable.flatMap(([path, kind]) => (kind === "directory" ? [`${path}/anew`] : []))
        const beyond = made.filter((path) => !permits(one.given, "write", path) || !mayRead(one, path))
        expect([wrong, beyond], shown(one)).toEqual([[], []])
        if (writable.length > 0) written++
      }),
      RUNS
    )
    expect(written).toBeGreaterThan(RUNS.numRuns / 10)
  })

  it("has every file that may be read, but for those that the system has otherwise", () => {
    let readable = 0
    fc.assert(
      fc.property(cases, (one) => {
        const { paths, states } = plannedOf(one)
        const files = paths.filter(
          ([path, kind]) =>
            kind === "file" &&
            mayRead(one, path) &&
            isOpen(one.given, "read", path) &&
            !/^\/(?:usr|etc|proc)\//.test(path)
        )
        expect(
          files.filter(([path]) => !isSeen(states.get(path))),
          shown(one)
        ).toEqual([])
        if (files.length > 0) readable++
      }),
      RUNS
    )
    expect(readable).toBeGreaterThan(RUNS.numRuns / 4)
  })

  it("has every file that may be written and read, but for settings and hooks of repositories without files", () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { made, paths, states } = plannedOf(one)
        const files = paths.filter(
          ([path, kind]) =>
            kind === "file" &&
            permits(one.given, "write", path) &&
            mayRead(one, path) &&
            isOpen(one.given, "read", path) &&
            isOpen(one.given, "write", path) &&
            !/^\/proc\//.test(path)
        )
        const isBare = (path: string) =>
          made.covers.some((cover) => isIn(path, cover.path) && /git/.test(cover.reason))
        const missing = files.filter(([path]) => states.get(path) !== "write" && !isBare(path))
        expect(missing, shown(one)).toEqual([])
      }),
      RUNS
    )
  })

  it("can be carried out: all of it is there, where no link leads, outer before inner", () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { made, paths } = plannedOf(one)
        const kinds = new Map(paths)
        const wanted = { tree: "directory", file: "file", directory: "directory" }
        for (const { kind, path } of made.mounts) expect(kinds.get(path), shown(one)).toBe(wanted[kind])
        for (const { as, kind, path } of made.covers) {
          const there = kinds.get(path)
          expect(there === wanted[kind] || (there === "other" && as === "hidden"), shown(one)).toBe(true)
          expect(
            made.mounts.some((mount) => mount.path !== path && isIn(path, mount.path)),
            shown(one)
          ).toBe(true)
        }
        for (const all of [made.mounts, made.covers]) {
          const depths = all.map(({ path }) => path.split("/").length)
          expect(depths).toEqual([...depths].sort((a, b) => a - b))
        }
        const hidden = made.covers.filter(({ as }) => as === "hidden")
        const buried = [...made.mounts, ...made.covers].filter(({ path }) =>
          hidden.some((cover) => cover.path !== path && isIn(path, cover.path))
        )
        expect(buried, shown(one)).toEqual([])
      }),
      RUNS
    )
  })

  it("names what it leaves out: each scope that is not there, or is behind a link", () => {
    fc.assert(
      fc.property(cases, fc.constantFrom("/gone/", "/w/gone/x", "/link/"), (one, scope) => {
        const authority = Authority.join(one.given.authority, decode({ files: { read: [scope] } }))
        const made = plan({ ...one.given, authority }, lookAt(one.tree))
        const isNamed = made.leftOut.some(({ what }) => what === `read ${scope}`)
        const isLinked = made.links.some(([path]) => path === "/link")
        const isWider = Authority.within(decode({ files: { read: [scope] } }), one.given.authority)
        const isInRoot = one.roots.some((root) => isIn(scope, root))
        expect(isNamed || isLinked || isWider || isInRoot, shown(one)).toBe(true)
      }),
      RUNS
    )
  })
})

describe("A door", () => {
  const host = fc.constantFrom(
    "a.example.com",
    "b.example.com",
    "*.example.com",
    "*",
    "1.2.3.4",
    "metadata.goog"
  )
  const endpoint = fc.constantFrom(
    "127.0.0.1:8080",
    "[::1]:1",
    "10.0.0.1:80",
    "db.corp.example:5432",
    "*.corp.example:1"
  )
  const hosts = fc.record({
    network: fc.record({
      get: fc.array(host, { maxLength: 3 }),
      post: fc.array(host, { maxLength: 3 }),
      put: fc.array(host, { maxLength: 3 }),
      delete: fc.array(host, { maxLength: 3 })
    }),
    private: fc.record({ connect: fc.array(endpoint, { maxLength: 2 }) })
  })
  const methods = ["GET", "POST", "PUT", "DELETE"]

  it("leads to a host that is permitted, by TLS only where every verb is", () => {
    fc.assert(
      fc.property(hosts, (encoded) => {
        const authority = decode(encoded)
        const made = plan(
          {
            authority,
            floor: Floor.standard,
            request: requested("/"),
            cwd: "/",
            binary: "/usr/bin/git",
            kept: []
          },
          lookAt({})
        )
        const allowed = (method: string, name: string) =>
          Authority.permits(authority, Either.getOrThrow(Request.http(method, `https://${name}/`))).allowed
        for (const { host: name, port } of made.doors) {
          const isPrivate = Authority.permits(
            authority,
            Either.getOrThrow(Request.connect(name, port))
          ).allowed
          const needed =
            port === 443
              ? methods.every((one) => allowed(one, name))
              : methods.some((one) => allowed(one, name))
          expect(isPrivate || needed).toBe(true)
          expect(Floor.forbidsHost(name)).toBe(false)
        }
        const isAny = [...Object.values(encoded.network), encoded.private.connect].some(
          (all) => all.length > 0
        )
        expect(made.reaches).toBe(isAny)
      }),
      RUNS
    )
  })
})

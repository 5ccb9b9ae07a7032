/**
 * The law of confinement: whatever a plan lets a child read or write, besides the system's own, the binary and the directory
 * of its grant, authority and floor permit; and whatever they permit that is there, the plan has or says that it has not.
 * The evaluator below carries a plan out on a tree that is data, mount by mount, and shares nothing with the planner.
 */
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc, Schema } from "effect"
import { type Given, plan } from "../../src/policy/confinement/Confinement.js"
import type { Plan } from "../../src/policy/confinement/Plan.js"
import * as Floor from "../../src/policy/gate/floor/Floor.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Request from "../../src/policy/lattice/Request.js"
import { times } from "../deep.js"
import { FIFO, FILE, lookAt, pathsOf, type Tree } from "./trees.js"

const RUNS = { numRuns: times(400) }

type State = "none" | "hidden" | "read" | "write"

const isIn = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`)

/** Puts one thing after another onto the paths that there are, as the kernel would. */
const carriedOut = ({ covers, mounts }: Plan, paths: ReadonlyArray<string>): ReadonlyMap<string, State> => {
  const steps = [
    ...mounts.map(({ access, path }) => ({ path, state: access as State, rank: 0 })),
    ...covers.map(({ as, path }) => ({
      path,
      state: (as === "hidden" ? "hidden" : "read") as State,
      rank: 1
    }))
  ].sort((a, b) => a.path.split("/").length - b.path.split("/").length || a.rank - b.rank)
  const states = new Map<string, State>(paths.map((path) => [path, "none"]))
  for (const step of steps) for (const path of paths) if (isIn(path, step.path)) states.set(path, step.state)
  return states
}

const names = fc.constantFrom(
  ...["a", "b", "ab", "x.md", "y.txt", "a", "b"],
  ...[".git", "hooks", "config", "HEAD", "objects", "refs", "modules", "worktrees", "commondir"],
  ...[
    ".ssh",
    "id_rsa",
    ".npmrc",
    ".env",
    "bailiwick.yaml",
    ".vscode",
    "tasks.json",
    "node_modules",
    "bailiwick"
  ],
  ...[".github", "workflows", "records", "agents"]
)

const { tree } = fc.letrec<{ tree: Tree; node: Tree[string] }>((tie) => ({
  tree: fc.dictionary(names, tie("node"), { maxKeys: 5, noNullPrototype: true }),
  node: fc.oneof(
    { maxDepth: 5, depthIdentifier: "tree" },
    { weight: 3, arbitrary: fc.constant(FILE) },
    { weight: 1, arbitrary: fc.constant(FIFO) },
    { weight: 1, arbitrary: fc.constantFrom("/w/a", "../b", "a", "/home/a", "/nowhere", "x.md") },
    { weight: 7, arbitrary: tie("tree") }
  )
}))

const machine: fc.Arbitrary<Tree> = fc
  .tuple(tree, tree, tree, fc.constantFrom<Tree[string]>("/w", "/w/a", "home"))
  .map(([w, home, opt, link]) => ({
    w,
    home: { ada: home },
    opt,
    link,
    usr: { bin: { git: FILE } },
    etc: { hosts: FILE },
    proc: { "1": FILE }
  }))

/** A pattern that has to do with a path: itself, what is around it, or what looks like it. */
const around = (path: string): fc.Arbitrary<string> => {
  const parts = path.split("/").slice(1)
  return fc.nat(parts.length).chain((cut) => {
    const above = parts
      .slice(0, cut)
      .map((name) => `/${name}`)
      .join("")
    const rest = parts
      .slice(cut + 1)
      .map((name) => `/${name}`)
      .join("")
    return fc.constantFrom(
      path,
      `${above}/`,
      `${above}/`,
      `${path}/`,
      `${above}/*${rest}`,
      `${above}/**${rest}`,
      `${above}/**`,
      `${above}/?${rest}`,
      `${above}/*.md`
    )
  })
}

interface Case {
  readonly tree: Tree
  readonly given: Given
  /** The directories of the grants that the command runs by. */
  readonly roots: ReadonlyArray<string>
}

const decode = Schema.decodeSync(Authority.FromJson)

const requested = (cwd: string): Request.Scoped => Either.getOrThrow(Request.exec(["git", "log"], cwd))

const cases: fc.Arbitrary<Case> = machine.chain((tree) => {
  const paths = pathsOf(tree)
  const path = fc.constantFrom(...paths.map(([one]) => one))
  const directories = paths.filter(([, kind]) => kind === "directory").map(([one]) => one)
  const pattern = path.chain(around)
  const scope = fc.oneof(
    { weight: 6, arbitrary: pattern },
    { weight: 1, arbitrary: fc.tuple(pattern, pattern).map((both) => [...both] as [string, string]) }
  )
  const scopes = fc.array(scope, { maxLength: 3 })
  const place = fc.constantFrom(...directories)
  return fc
    .record({
      read: scopes,
      both: scopes,
      write: scopes,
      exec: fc.array(fc.tuple(fc.constantFrom("git:*", "rg:*"), fc.oneof(place, fc.constant("/"))), {
        maxLength: 2
      }),
      cwd: place,
      home: fc.constantFrom("/home/ada", "/home/eve"),
      guarded: fc.array(path, { maxLength: 1 }),
      closed: fc.array(path, { maxLength: 1 }),
      lifted: fc.array(path, { maxLength: 3 }),
      kept: fc.array(fc.tuple(path, fc.constantFrom("hidden" as const, "frozen" as const)), { maxLength: 1 })
    })
    .map(({ both, closed, cwd, exec, guarded, home, kept, lifted, read, write }) => ({
      tree,
      given: {
        authority: decode({
          files: { read: [...read, ...both], write: [...write, ...both] },
          process: { exec: exec.map(([argv, root]) => ({ argv, in: root })) }
        }),
        floor: Floor.lifting({ homes: [home], guarded, closed }, { write: lifted, delete: [] }),
        request: requested(cwd),
        cwd,
        binary: "/usr/bin/git",
        kept: kept.map(([path, as]) => ({ path, as, reason: "kept" }))
      },
      // A grant for any directory makes one for some directory needless, and gives none.
      roots: exec.some(([argv, root]) => argv === "git:*" && root === "/")
        ? []
        : exec.flatMap(([argv, root]) => (argv === "git:*" && isIn(cwd, root) ? [root] : []))
    }))
})

const permits = ({ authority }: Given, verb: "read" | "write", path: string): boolean =>
  Authority.permits(authority, Either.getOrThrow(Request.file(verb, path))).allowed

const refusal = ({ floor }: Given, verb: "read" | "write", path: string) =>
  Floor.refuses(floor, Either.getOrThrow(Request.file(verb, path)))

const isKept = ({ kept }: Given, verb: "read" | "write", path: string): boolean =>
  kept.some((place) => isIn(path, place.path) && (verb === "write" || place.as === "hidden"))

const mayRead = ({ given, roots }: Case, path: string): boolean =>
  permits(given, "read", path) || roots.some((root) => isIn(path, root))

const isOpen = (given: Given, verb: "read" | "write", path: string): boolean =>
  refusal(given, verb, path) === undefined && !isKept(given, verb, path)

/** What runs in a repository, or leads to what runs, at the places where git reads it. */
const RUNS_IN_GIT =
  /\/\.git\/(?:modules\/.+\/|worktrees\/[^/]+\/)?(?:hooks|config|config\.worktree|commondir|gitdir)(?:\/|$)/

/** The two places where what runs later may be changed by a child: inside of repositories, and of packages. */
const isExcepted = (given: Given, path: string): boolean =>
  refusal(given, "write", path)?.lifts === true &&
  !isKept(given, "write", path) &&
  (/\/node_modules\//.test(path) || (/\/\.git(?:\/|$)/.test(path) && !RUNS_IN_GIT.test(path)))

const shown = (one: Case): string =>
  JSON.stringify({ tree: one.tree, ...one.given, kept: one.given.kept, authority: one.given.authority })

const plannedOf = (one: Case) => {
  const made = plan(one.given, lookAt(one.tree))
  const paths = pathsOf(one.tree)
  return {
    made,
    paths,
    states: carriedOut(
      made,
      paths.map(([path]) => path)
    )
  }
}

const isSeen = (state: State | undefined): boolean => state === "read" || state === "write"

describe("A plan", () => {
  it("lets a child read nothing but what its tool may, and the directory of its grant", () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { paths, states } = plannedOf(one)
        const wrong = paths.filter(
          ([path, kind]) =>
            isSeen(states.get(path)) &&
            kind !== "link" &&
            (kind === "other" || !mayRead(one, path) || !isOpen(one.given, "read", path))
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
          ([path]) =>
            !permits(one.given, "write", path) ||
            !mayRead(one, path) ||
            (!isOpen(one.given, "write", path) && !isExcepted(one.given, path))
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

/**
 * Authorities, floors and trees at random, with the plan that is made of them; and what a plan comes to when it is carried out
 * on a tree that is data, mount by mount. It shares nothing with the planner.
 */
import { Either, FastCheck as fc, Schema } from "effect"
import { type Given, plan } from "../../src/policy/confinement/Confinement.js"
import type { Plan } from "../../src/policy/confinement/Plan.js"
import * as Floor from "../../src/policy/gate/floor/Floor.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Request from "../../src/policy/lattice/Request.js"
import { FIFO, FILE, lookAt, pathsOf, type Tree } from "./trees.js"

type State = "none" | "hidden" | "read" | "write"

export const isIn = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`)

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

export interface Case {
  readonly tree: Tree
  readonly given: Given
  /** The directories of the grants that the command runs by. */
  readonly roots: ReadonlyArray<string>
}

export const decode = Schema.decodeSync(Authority.FromJson)

export const requested = (cwd: string): Request.Scoped => Either.getOrThrow(Request.exec(["git", "log"], cwd))

export const cases: fc.Arbitrary<Case> = machine.chain((tree) => {
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

export const permits = ({ authority }: Given, verb: "read" | "write", path: string): boolean =>
  Authority.permits(authority, Either.getOrThrow(Request.file(verb, path))).allowed

const refusal = ({ floor }: Given, verb: "read" | "write", path: string) =>
  Floor.refuses(floor, Either.getOrThrow(Request.file(verb, path)))

const isKept = ({ kept }: Given, verb: "read" | "write", path: string): boolean =>
  kept.some((place) => isIn(path, place.path) && (verb === "write" || place.as === "hidden"))

export const mayRead = ({ given, roots }: Case, path: string): boolean =>
  permits(given, "read", path) || roots.some((root) => isIn(path, root))

/** What may be in a directory, by names that no pattern here is about and by some that one is. */
const ANYTHING = ["anew", ".anew", "x.md", "a", "b/anew", "a/b/c/anew"]

/** A path; and a directory all of which is permitted, be it without its own name. */
export const mayShow = (
  one: Case,
  verb: "read" | "write",
  [path, kind]: readonly [path: string, kind: string]
): boolean => {
  const may = (asked: string): boolean =>
    mayRead(one, asked) && (verb === "read" || permits(one.given, verb, asked))
  return may(path) || (kind === "directory" && ANYTHING.every((rest) => may(`${path}/${rest}`)))
}

export const isOpen = (given: Given, verb: "read" | "write", path: string): boolean =>
  refusal(given, verb, path) === undefined && !isKept(given, verb, path)

/** What runs in a repository, or leads to what runs, at the places where git reads it. */
const RUNS_IN_GIT =
  /\/\.git\/(?:worktrees\/[^/]+\/)?(?:hooks|config|config\.worktree|commondir|gitdir)(?:\/|$)/

const RUNS_IN_MODULE = /\/(?:hooks|config|config\.worktree|commondir|gitdir)(?=\/|$)/g

/** A module is a directory with a `HEAD`; anything else below `modules` git does not look at. */
const runsInModule = ({ tree }: Case, path: string): boolean =>
  [...path.matchAll(RUNS_IN_MODULE)].some(({ index }) => {
    const module = path.slice(0, index)
    return /\/\.git\/modules\/./.test(module) && lookAt(tree).kind(`${module}/HEAD`) !== undefined
  })

/** The two places where what runs later may be changed by a child: inside of repositories, and of packages. */
export const isExcepted = (one: Case, path: string): boolean =>
  refusal(one.given, "write", path)?.lifts === true &&
  !isKept(one.given, "write", path) &&
  (/\/node_modules\//.test(path) ||
    (/\/\.git(?:\/|$)/.test(path) && !RUNS_IN_GIT.test(path) && !runsInModule(one, path)))

export const shown = (one: Case): string =>
  JSON.stringify({ tree: one.tree, ...one.given, kept: one.given.kept, authority: one.given.authority })

export const plannedOf = (one: Case) => {
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

export const isSeen = (state: State | undefined): boolean => state === "read" || state === "write"

/**
 * Threats: a credential that nobody looked for is mounted with the tree around it; what was remembered of a directory is no
 * longer so; a link is followed out of the tree.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, FastCheck as fc, Schema } from "effect"
import * as Kept from "../../../src/layers/node/disk/Kept.js"
import * as Survey from "../../../src/layers/node/sandbox/survey/Survey.js"
import * as Judge from "../../../src/policy/confinement/Judge.js"
import * as Floor from "../../../src/policy/gate/floor/Floor.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"
import * as Request from "../../../src/policy/lattice/Request.js"
import { times } from "../../deep.js"
import { fill, folder, ticked } from "./folders.js"

const judge = Judge.of({ ...Floor.standard })

/** For a clock that is ahead everything is settled. */
const later = { now: () => Date.now() + 60_000 }

const walked = (survey: Survey.Survey, root: string, by = judge) =>
  Effect.map(survey.walk(root, by), (all) => {
    if (!all.isWhole) throw new Error(all.why)
    ticked()
    return {
      read: all.read,
      found: all.found.map(({ as, path }) => `${as} ${path.slice(root.length)}`).sort()
    }
  })

const planned = (survey: Survey.Survey, encoded: Authority.Encoded, cwd: string) =>
  survey.plan({
    authority: Schema.decodeSync(Authority.FromJson)(encoded),
    floor: Floor.standard,
    request: Either.getOrThrow(Request.exec(["true"], cwd)),
    cwd,
    binary: "/usr/bin/true"
  })

describe("A survey", () => {
  it.scoped("finds credentials, what runs later, pipes and sockets, at any depth", () =>
    Effect.gen(function* () {
      const root = yield* folder
      fill(root, { "a/b/id_rsa": "", "a/.vscode/tasks.json": "", "x.ts": "", ".netrc": "->x.ts" })
      execFileSync("mkfifo", [join(root, "a/queue")])
      const server = createServer()
      yield* Effect.acquireRelease(
        Effect.async<void>((resume) => void server.listen(join(root, "socket"), () => resume(Effect.void))),
        () => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
      )
      const { found } = yield* walked(Survey.make(), root)
      expect(found).toEqual([
        "frozen /a/.vscode/tasks.json",
        "hidden /.netrc",
        "hidden /a/b/id_rsa",
        "hidden /a/queue",
        "hidden /socket"
      ])
    })
  )

  it.scoped("reads again only what has changed", () =>
    Effect.gen(function* () {
      const root = yield* folder
      fill(root, { "a/b/c/x": "", "a/d/y": "", "e/z": "" })
      const survey = Survey.make(later)
      expect((yield* walked(survey, root)).read).toBe(6)
      expect((yield* walked(survey, root)).read).toBe(0)
      fill(root, { "a/d/.netrc": "", "a/b/c/x": "changed" })
      expect(yield* walked(survey, root)).toEqual({ read: 1, found: ["hidden /a/d/.netrc"] })
      rmSync(join(root, "a/d/.netrc"))
      expect(yield* walked(survey, root)).toEqual({ read: 1, found: [] })
    })
  )

  it.scoped(
    "does not trust what was read so soon after a change that another one would show the same time",
    () =>
      Effect.gen(function* () {
        const root = yield* folder
        const survey = Survey.make()
        for (let round = 0; round < 50; round++) {
          mkdirSync(join(root, `a${round}`))
          expect((yield* walked(survey, root)).found).toEqual([])
          writeFileSync(join(root, `a${round}`, ".netrc"), "")
          expect((yield* walked(survey, root)).found).toEqual([`hidden /a${round}/.netrc`])
          rmSync(join(root, `a${round}`, ".netrc"))
        }
      })
  )

  it.scoped("takes a directory in the place of another for what it is", () =>
    Effect.gen(function* () {
      const root = yield* folder
      fill(root, { "tree/a/x": "", "other/.netrc": "" })
      const survey = Survey.make(later)
      const tree = join(root, "tree")
      expect((yield* walked(survey, tree)).found).toEqual([])
      renameSync(join(tree, "a"), join(root, "away"))
      renameSync(join(root, "other"), join(tree, "a"))
      expect((yield* walked(survey, tree)).found).toEqual(["hidden /a/.netrc"])
    })
  )

  it.scoped("follows no link, neither inside nor on the way", () =>
    Effect.gen(function* () {
      const root = yield* folder
      fill(root, { "tree/x": "", "outside/.netrc": "", "tree/out": "->../outside", link: "->tree" })
      const survey = Survey.make(later)
      expect((yield* walked(survey, join(root, "tree"))).found).toEqual([])
      expect((yield* walked(survey, join(root, "link"))).found).toEqual(["hidden "])
      // A directory that was known, and is a link now.
      fill(root, { "tree/sub/y": "" })
      yield* walked(survey, join(root, "tree"))
      renameSync(join(root, "tree/sub"), join(root, "gone"))
      symlinkSync("../outside", join(root, "tree/sub"))
      expect((yield* walked(survey, join(root, "tree"))).found).toEqual([])
    })
  )

  it.scoped("keeps what it knows for each floor apart", () =>
    Effect.gen(function* () {
      const root = yield* folder
      fill(root, { "a/secret": "" })
      const survey = Survey.make(later)
      const other = Judge.of({ ...Floor.standard, closed: [join(root, "a/secret")] })
      expect((yield* walked(survey, root)).found).toEqual([])
      expect((yield* walked(survey, root, other)).found).toEqual(["hidden /a/secret"])
      expect((yield* walked(survey, root)).found).toEqual([])
    })
  )

  it.scoped("serves many who ask at once, and each sees what was there when it asked", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const survey = Survey.make()
      const all = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, i) => i),
        (i) =>
          Effect.suspend(() => {
            fill(root, { [`d${i}/.netrc`]: "" })
            return Effect.map(walked(survey, root), ({ found }) => found.includes(`hidden /d${i}/.netrc`))
          }),
        { concurrency: "unbounded" }
      )
      expect(all).toEqual(all.map(() => true))
    })
  )

  it.effect("does not look into what the kernel shows", () =>
    Effect.gen(function* () {
      if (process.platform !== "linux") return
      const { found, read } = yield* walked(Survey.make(), `/proc/${process.pid}/task`)
      expect([found, read]).toEqual([["hidden "], 0])
    })
  )

  it.scoped("leaves out a tree that is too large, and says so", () =>
    Effect.gen(function* () {
      const root = yield* folder
      fill(root, Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}`, ""])))
      const { plan } = yield* planned(Survey.make({ entries: 10 }), { files: { read: [`${root}/`] } }, root)
      expect(plan.mounts).toEqual([])
      expect(plan.leftOut).toEqual([
        {
          what: `read ${root}`,
          why: "it has more than 10 entries, and all would have to be looked through; name smaller directories"
        }
      ])
    })
  )

  it.scoped("plans by what is there, and makes the directories of this program before a child can", () =>
    Effect.gen(function* () {
      const root = yield* folder
      fill(root, { "src/a.ts": "", ".git/config": "", ".git/hooks/": "" })
      Kept.close(join(root, "state/storage"), { isMade: true })
      const files = { read: [`${root}/`], write: [`${root}/`] }
      const { plan } = yield* planned(Survey.make(), { files }, root)
      expect(existsSync(join(root, "state/storage"))).toBe(true)
      expect(plan.mounts).toEqual([{ path: root, kind: "tree", access: "write" }])
      expect(plan.covers.map(({ as, path }) => `${as} ${path.slice(root.length)}`)).toEqual([
        "frozen /.git/config",
        "frozen /.git/hooks",
        "hidden /state/storage"
      ])
    })
  )

  const name = fc.constantFrom(
    "a",
    "b",
    ".git",
    "hooks",
    "config",
    "HEAD",
    "objects",
    "refs",
    ".netrc",
    "node_modules"
  )
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"))
  const change = fc.tuple(fc.constantFrom("write", "remove", "move", "link", "directory"), path, path)

  const apply = (root: string, [what, one, other]: readonly [string, string, string]): void => {
    const at = join(root, one)
    try {
      if (what === "remove") rmSync(at, { recursive: true, force: true })
      else if (what === "move") renameSync(at, join(root, other))
      else fill(root, { [what === "directory" ? `${one}/` : one]: what === "link" ? "->a" : "" })
    } catch {
      // Not every change is possible.
    }
  }

  it.effect("that knows a tree finds what one finds that has never seen it, whatever changed", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 6 }), (rounds) =>
          Effect.runPromise(
            Effect.scoped(
              Effect.gen(function* () {
                const root = yield* folder
                const survey = Survey.make(later)
                for (const changes of rounds) {
                  for (const one of changes) apply(root, one)
                  const [known, fresh] = [yield* walked(survey, root), yield* walked(Survey.make(), root)]
                  expect(known.found).toEqual(fresh.found)
                }
              })
            )
          )
        ),
        { numRuns: times(40) }
      )
    )
  )
})

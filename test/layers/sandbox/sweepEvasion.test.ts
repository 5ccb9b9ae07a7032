/** Threats: a child leaves behind what the sweep does not find, or cannot move (P15). */
import * as fs from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { fill } from "./folders.js"
import { git, rig } from "./swept.js"

const HEAD = "ref: refs/heads/main\n"
const RUNS = "[core]\n\trepositoryformatversion = 0\n[alias]\n\trun = !echo it ran\n"

const runs = (directory: string): boolean => {
  try {
    return git(directory, "run").includes("it ran")
  } catch {
    return false
  }
}

describe("What a child leaves behind is found", () => {
  it.scoped("beside a directory whose name is no text, which goes", () =>
    Effect.gen(function* () {
      const { child, root, there } = yield* rig()
      const named = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])])
      const { notes } = yield* child(() => {
        fs.mkdirSync(named)
        fs.writeFileSync(Buffer.concat([named, Buffer.from("/.envrc")]), "run me")
        fill(root, { ".envrc": "run me", "sub/.vscode/tasks.json": "run me", "kept.txt": "" })
      })
      expect([there("/.envrc"), there("/sub/.vscode/tasks.json"), there("/kept.txt")]).toEqual([
        false,
        false,
        true
      ])
      expect(fs.existsSync(named)).toBe(false)
      expect(notes.length).toBe(3)
    })
  )

  it.scoped("in a directory that nobody can ask for, which goes as a whole", () =>
    Effect.gen(function* () {
      const { child, quarantined, root, there } = yield* rig()
      yield* child(() => fill(root, { "a\nb/.envrc": "run me", "a\nb/.git/hooks/pre-commit": "run me" }))
      expect(there("/a\nb")).toBe(false)
      expect(Object.keys(quarantined())).toEqual(["/a\nb"])
    })
  )

  it.scoped("in what git takes for a repository because a pointer leads to the rest of it", () =>
    Effect.gen(function* () {
      const { child, root } = yield* rig()
      yield* child(() =>
        fill(root, {
          "lib/HEAD": HEAD,
          "lib/commondir": "../rest\n",
          "up/worktrees/x/HEAD": HEAD,
          "up/worktrees/x/commondir": "../..\n",
          "up/objects/": "",
          "up/refs/": "",
          "up/config": RUNS,
          "rest/objects/": "",
          "rest/refs/": "",
          "rest/config": RUNS
        })
      )
      expect(["lib", "up/worktrees/x"].filter((path) => runs(join(root, path)))).toEqual([])
    })
  )

  it.scoped("in a repository inside of another one's directories, where a `.git` leads", () =>
    Effect.gen(function* () {
      const { child, root } = yield* rig()
      fill(root, { ".git/HEAD": HEAD, ".git/objects/": "", ".git/refs/": "", ".git/config": "[core]\n" })
      const hidden = ["modules/a/x", "modules/node_modules/x", "worktrees/node_modules"]
      yield* child(() => {
        fill(root, {
          ".git/modules/a/HEAD": HEAD,
          "rest/objects/": "",
          "rest/refs/": "",
          "rest/config": RUNS
        })
        for (const [i, path] of hidden.entries()) {
          fill(root, {
            [`.git/${path}/HEAD`]: HEAD,
            [`.git/${path}/objects/`]: "",
            [`.git/${path}/refs/`]: "",
            [`.git/${path}/config`]: RUNS,
            [`${i}/.git`]: `gitdir: ../.git/${path}\n`
          })
        }
        fill(root, { ".git/worktrees/node_modules/commondir": "../../../rest\n" })
      })
      expect([...hidden.keys()].filter((i) => runs(join(root, String(i))))).toEqual([])
    })
  )

  it.scoped("if another child that ran meanwhile made it first, and took it away", () =>
    Effect.gen(function* () {
      const { begun, root, there } = yield* rig()
      const endFirst = yield* begun
      fill(root, { ".envrc": "" })
      const endSecond = yield* begun
      fs.rmSync(join(root, ".envrc"))
      yield* endFirst
      fill(root, { ".envrc": "run me" })
      expect((yield* endSecond).length).toBe(1)
      expect(there("/.envrc")).toBe(false)
    })
  )

  it.scoped("if it is a link of another child that ran meanwhile: it is not put back", () =>
    Effect.gen(function* () {
      const { begun, root, there } = yield* rig()
      const endFirst = yield* begun
      fill(root, { ".envrc": "->run.me" })
      const endSecond = yield* begun
      yield* endFirst
      yield* endSecond
      expect(there("/.envrc")).toBe(false)
    })
  )

  it.scoped("under a name as long as the system has them", () =>
    Effect.gen(function* () {
      const { child, root, there } = yield* rig()
      const name = `aa${"漢".repeat(83)}.ppk`
      expect((yield* child(() => fill(root, { [name]: "" }))).notes).toEqual([
        expect.stringContaining("was moved to")
      ])
      expect(there(`/${name}`)).toBe(false)
    })
  )

  it.scoped("however many there are, and all of it is listed", () =>
    Effect.gen(function* () {
      const { child, quarantined, root } = yield* rig()
      const files = Array.from({ length: 100 }, (_, i) => `/${i}/.envrc`)
      yield* child(() => fill(root, Object.fromEntries(files.map((path) => [path, ""]))))
      expect(Object.keys(quarantined()).sort()).toEqual(files.sort())
    })
  )

  it.scoped("in a tree that has grown beyond what would be mounted", () =>
    Effect.gen(function* () {
      const { child, root, there } = yield* rig({ survey: { entries: 10 } })
      yield* child(() => {
        fill(root, { ".envrc": "run me" })
        for (let i = 0; i < 40; i++) fill(root, { [`many/${i}`]: "" })
      })
      expect(there("/.envrc")).toBe(false)
    })
  )
})

describe("What covers a name is gone once somebody outside replaces it", () => {
  it.scoped("and that is said of what a child could change, or read, from then on", () =>
    Effect.gen(function* () {
      const { child, root, there } = yield* rig()
      fill(root, { ".git/HEAD": HEAD, ".git/config": "[core]\n", id_rsa: "key", ".envrc": "mine" })
      const { heard, notes } = yield* child(() => {
        for (const path of [".git/config", "id_rsa"]) {
          fill(root, { "saved.tmp": "anew" })
          fs.renameSync(join(root, "saved.tmp"), join(root, path))
        }
      })
      expect(heard.map((line) => line.split(" ").at(-1))).toEqual(["/id_rsa", "/.git/config"])
      expect(notes.join("\n")).toContain("which could read it from then on")
      expect(notes.join("\n")).toContain("which could change it from then on")
      expect([there("/.git/config"), there("/id_rsa"), there("/.envrc")]).toEqual([true, true, true])
    })
  )
})

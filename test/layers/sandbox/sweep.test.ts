/**
 * Threats: a child leaves something behind that runs later by itself, or that authority is read from (P15); what is done
 * about it follows a link, loses what it moves, or breaks what may stay.
 */
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Kept from "../../../src/layers/node/disk/Kept.js"
import * as Floor from "../../../src/policy/gate/floor/Floor.js"
import { fill, folder } from "./folders.js"
import { git, rig } from "./swept.js"

describe("What a child makes anew under a name of the floor", () => {
  it.scoped("is moved into the quarantine, named in the result and heard", () =>
    Effect.gen(function* () {
      const { child, quarantined, root, there } = yield* rig()
      fill(root, { "kept.ts": "", ".vscode/settings.json": "{}" })
      const { heard, notes } = yield* child(() =>
        fill(root, {
          "sub/.envrc": "run me",
          ".vscode/tasks.json": "run me",
          ".vscode/other.json": "",
          "bailiwick.yaml": "tools: []",
          ".github/workflows/ci.yml": "run me",
          id_rsa: "key",
          "new.ts": ""
        })
      )
      const gone = ["/.github/workflows", "/.vscode/tasks.json", "/bailiwick.yaml", "/id_rsa", "/sub/.envrc"]
      expect(Object.keys(quarantined()).sort()).toEqual(gone)
      expect(gone.filter(there)).toEqual([])
      expect(["/kept.ts", "/new.ts", "/.vscode/settings.json", "/.vscode/other.json"].every(there)).toBe(true)
      expect([...heard].sort()).toEqual(gone.map((path) => `PATH_NOT_REACHABLE files.write write ${path}`))
      expect(notes.length).toBe(gone.length)
      expect(notes.find((note) => note.includes("/.envrc"))).toBe(
        `${root}/sub/.envrc was made by the child, and was moved to ${quarantined()["/sub/.envrc"]} (what entering the directory runs)`
      )
      expect(fs.readFileSync(quarantined()["/sub/.envrc"] ?? "", "utf8")).toBe("run me")
      expect(fs.readFileSync(join(quarantined()["/.github/workflows"] ?? "", "ci.yml"), "utf8")).toBe(
        "run me"
      )
    })
  )

  it.scoped("was there before, and stays", () =>
    Effect.gen(function* () {
      const { child, quarantined, root, there } = yield* rig()
      fill(root, { ".envrc": "mine", "bailiwick.yaml": "" })
      expect(yield* child(() => fill(root, { x: "" }))).toEqual({ notes: [], heard: [] })
      expect([quarantined(), there("/.envrc")]).toEqual([{}, true])
    })
  )

  it.scoped("stays if the policy names exactly it", () =>
    Effect.gen(function* () {
      const floor = (root: string) =>
        Floor.lifting({ ...Floor.standard }, { write: [`${root}/.envrc`], delete: [] })
      const { child, root, there } = yield* rig({ floor })
      expect((yield* child(() => fill(root, { ".envrc": "", "a/.envrc": "" }))).notes.length).toBe(1)
      expect([there("/.envrc"), there("/a/.envrc")]).toEqual([true, false])
    })
  )

  it.scoped("stays inside of packages, but for the command itself", () =>
    Effect.gen(function* () {
      const { child, quarantined, root, there } = yield* rig()
      const files = [
        "/node_modules/a/.npmrc",
        "/node_modules/a/test/id_rsa",
        "/node_modules/a/.github/workflows/x.yml"
      ]
      yield* child(() =>
        fill(root, {
          ...Object.fromEntries(files.map((path) => [path, ""])),
          "node_modules/bailiwick/x.js": ""
        })
      )
      expect(files.filter((path) => !there(path))).toEqual([])
      expect(Object.keys(quarantined())).toEqual(["/node_modules/bailiwick"])
    })
  )

  it.scoped("is moved itself if it is a link, and what it led to stays", () =>
    Effect.gen(function* () {
      const { child, quarantined, root, there } = yield* rig()
      fill(root, { "real/x": "" })
      yield* child(() => fill(root, { ".ssh": "->real", ".envrc": "->/etc/hostname" }))
      expect([there("/.ssh"), there("/.envrc"), there("/real/x")]).toEqual([false, false, true])
      expect(fs.readlinkSync(quarantined()["/.ssh"] ?? "")).toBe("real")
    })
  )

  it.scoped("is put back if it was a link that the child replaced or removed", () =>
    Effect.gen(function* () {
      const { child, quarantined, root } = yield* rig()
      fill(root, { "bailiwick.yaml": "->/etc/hostname", ".envrc": "->x" })
      const { notes } = yield* child(() => {
        fs.rmSync(join(root, "bailiwick.yaml"))
        fs.writeFileSync(join(root, "bailiwick.yaml"), "tools: [./evil.js]")
        fs.rmSync(join(root, ".envrc"))
      })
      expect(fs.readlinkSync(join(root, "bailiwick.yaml"))).toBe("/etc/hostname")
      expect(fs.readlinkSync(join(root, ".envrc"))).toBe("x")
      expect(Object.keys(quarantined())).toEqual(["/bailiwick.yaml"])
      expect(notes.length).toBe(2)
    })
  )

  it.scoped("is moved if a layer keeps the place", () =>
    Effect.gen(function* () {
      const { child, quarantined, root, there } = yield* rig()
      Kept.close(join(root, "secrets.txt"))
      yield* child(() => fill(root, { "secrets.txt": "KEY=fake" }))
      expect([there("/secrets.txt"), Object.keys(quarantined())]).toEqual([false, ["/secrets.txt"]])
    })
  )

  it.scoped("is moved from where it is, whatever is put in the place of its directory meanwhile", () =>
    Effect.gen(function* () {
      const { child, quarantined, root } = yield* rig()
      const outside = yield* folder
      fill(outside, { "e/.envrc": "mine" })
      // Somebody who still runs in the tree, and makes what is to be moved. It ends by itself.
      const swapping = `
        const fs = require("node:fs")
        for (let i = 0; i < 120; i++) {
          fs.mkdirSync("d" + i + "/e", { recursive: true })
          fs.writeFileSync("d" + i + "/e/.envrc", "theirs")
          for (let turn = 0; turn < 15; turn++) {
            fs.renameSync("d" + i, "a" + i)
            fs.symlinkSync(process.argv[1], "d" + i)
            fs.unlinkSync("d" + i)
            fs.renameSync("a" + i, "d" + i)
          }
        }`
      const other = spawn(process.execPath, ["-e", swapping, outside], { cwd: root, stdio: "ignore" })
      yield* Effect.addFinalizer(() => Effect.sync(() => void other.kill("SIGKILL")))
      while (other.exitCode === null) yield* child(() => {})
      const moved = Object.values(quarantined()).map((path) => fs.readFileSync(path, "utf8"))
      expect(moved.length).toBeGreaterThan(0)
      expect(moved.filter((text) => text !== "theirs")).toEqual([])
      expect(fs.readFileSync(join(outside, "e/.envrc"), "utf8")).toBe("mine")
    })
  )

  it.scoped("is said to be unknown where the tree has become too large", () =>
    Effect.gen(function* () {
      const { child, root } = yield* rig({ survey: { entries: 30 } })
      const { notes } = yield* child(() =>
        fill(root, Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}`, ""])))
      )
      expect(notes).toEqual([
        `what the child made in ${root} could not be looked through: it has more than 240 entries, and all would have to be looked through; name smaller directories`
      ])
    })
  )

  it.scoped("is copied to a quarantine on another disk, and is gone from the tree", () =>
    Effect.gen(function* () {
      const other = "/dev/shm"
      if (!fs.existsSync(other)) return
      const quarantine = yield* Effect.acquireRelease(
        Effect.sync(() => fs.mkdtempSync(join(other, "bailiwick-quarantine-"))),
        (path) => Effect.sync(() => fs.rmSync(path, { recursive: true, force: true }))
      )
      const { child, quarantined, root, there } = yield* rig({ quarantine })
      yield* child(() => {
        fill(root, { ".husky/a/run": "x".repeat(600_000), ".husky/b/": "", ".husky/link": "->/etc/hostname" })
        fs.chmodSync(join(root, ".husky/a/run"), 0o755)
        execFileSync("mkfifo", [join(root, ".husky/queue")])
      })
      const moved = quarantined()["/.husky"] ?? ""
      expect(moved.startsWith(other)).toBe(true)
      expect(fs.readdirSync(moved).sort()).toEqual(["a", "b", "link"])
      expect(fs.readFileSync(join(moved, "a/run"), "utf8").length).toBe(600_000)
      expect(fs.readlinkSync(join(moved, "link"))).toBe("/etc/hostname")
      expect([there("/.husky"), fs.readdirSync(root)]).toEqual([false, []])
    })
  )
})

describe("A repository that a child makes", () => {
  it.scoped("by git init stays as it is [P15]", () =>
    Effect.gen(function* () {
      const { child, quarantined, root, there } = yield* rig()
      const { heard, notes } = yield* child(() => void git(root, "init", "-q", "project"))
      expect([notes, heard, quarantined(), there("/project/.git/config")]).toEqual([[], [], {}, true])
      git(join(root, "project"), "commit", "-q", "--allow-empty", "-m", "x")
    })
  )

  it.scoped("by git clone stays, of a repository with modules too", () =>
    Effect.gen(function* () {
      const { child, quarantined, root, there } = yield* rig()
      const base = yield* folder
      git(base, "init", "-q", "lib")
      git(join(base, "lib"), "commit", "-q", "--allow-empty", "-m", "x")
      git(base, "init", "-q", "app")
      git(join(base, "app"), "submodule", "add", "-q", join(base, "lib"), "deps/lib")
      git(join(base, "app"), "commit", "-q", "-m", "x")
      const { notes } = yield* child(
        () => void git(root, "clone", "-q", "--recurse-submodules", join(base, "app"))
      )
      // A file of the tree that says what else is fetched is on the floor itself.
      expect(Object.keys(quarantined())).toEqual(["/app/.gitmodules"])
      expect(notes.length).toBe(1)
      expect(there("/app/deps/lib/.git")).toBe(true)
      expect(git(join(root, "app/deps/lib"), "log", "--oneline").trim()).toMatch(/ x$/)
      expect(git(join(root, "app"), "remote", "-v")).toContain(join(base, "app"))
      git(join(root, "app"), "fetch", "-q")
    })
  )

  it.scoped("by git worktree stays, and its pointers with it", () =>
    Effect.gen(function* () {
      const { child, quarantined, root } = yield* rig()
      git(root, "init", "-q", "a")
      git(join(root, "a"), "commit", "-q", "--allow-empty", "-m", "x")
      yield* child(() => void git(join(root, "a"), "worktree", "add", "-q", "../b"))
      expect(quarantined()).toEqual({})
      expect(git(join(root, "b"), "log", "--oneline").trim()).toMatch(/ x$/)
    })
  )

  it.scoped("loses its hooks and what its settings run, with files and without", () =>
    Effect.gen(function* () {
      const { child, quarantined, root, there } = yield* rig()
      const { notes } = yield* child(() => {
        git(root, "init", "-q", "a")
        git(root, "init", "-q", "--bare", "b")
        for (const place of ["a/.git", "b"]) {
          fill(root, { [`${place}/hooks/pre-commit`]: "#!/bin/sh\nexit 1\n" })
          fs.chmodSync(join(root, place, "hooks/pre-commit"), 0o755)
          fs.appendFileSync(join(root, place, "config"), "[core]\n\tfsmonitor = /tmp/x\n[user]\n\tname = a\n")
        }
        fill(root, {
          "a/.git/commondir": "/elsewhere\n",
          "c/.git": "gitdir: /elsewhere\n",
          "d/.git": "->../a/.git"
        })
      })
      expect(Object.keys(quarantined()).sort()).toEqual([
        "/a/.git/commondir",
        "/a/.git/config",
        "/a/.git/hooks",
        "/b/config",
        "/b/hooks",
        "/c/.git",
        "/d/.git"
      ])
      expect(notes.filter((note) => note.includes("lost core.fsmonitor")).length).toBe(2)
      expect(fs.readFileSync(join(root, "a/.git/config"), "utf8")).toBe(
        "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n[user]\n\tname = a\n"
      )
      expect(fs.readFileSync(quarantined()["/a/.git/config"] ?? "", "utf8")).toContain("fsmonitor = /tmp/x")
      expect([there("/a/.git/hooks"), there("/b/hooks")]).toEqual([false, false])
      git(join(root, "a"), "commit", "-q", "--allow-empty", "-m", "x")
    })
  )

  it.scoped("and that was there keeps what it had, while hooks that were put into it go", () =>
    Effect.gen(function* () {
      const { child, quarantined, root, there } = yield* rig()
      git(root, "init", "-q", "--template=", ".")
      fill(root, { "x.ts": "" })
      const { notes } = yield* child(() => {
        git(root, "add", "x.ts")
        git(root, "commit", "-q", "-m", "x")
        fill(root, { ".git/hooks/post-commit": "" })
      })
      expect([Object.keys(quarantined()), notes.length]).toEqual([["/.git/hooks"], 1])
      expect([there("/.git/config"), there("/.git/HEAD")]).toEqual([true, true])
    })
  )
})

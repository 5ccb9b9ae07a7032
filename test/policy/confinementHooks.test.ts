/**
 * Threat: settings of a repository name hooks, or more settings, at a place that a child may write; what it puts there runs with
 * the operator's next commit (P15).
 */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { plan } from "../../src/policy/confinement/Confinement.js"
import type { Text } from "../../src/policy/confinement/Look.js"
import { viewOf } from "../../src/policy/confinement/Plan.js"
import { times } from "../deep.js"
import { decode, requested } from "./confinementCases.js"
import { FILE, lookAt, pathsOf, type Tree } from "./trees.js"

const repository = { HEAD: FILE, objects: {}, refs: {}, config: FILE }

const here: Tree = {
  w: {
    ".git": {
      ...repository,
      "config.worktree": FILE,
      modules: { lib: repository },
      worktrees: { side: { HEAD: FILE, gitdir: FILE, commondir: FILE, "config.worktree": FILE } }
    },
    githooks: { "pre-commit": FILE },
    tools: { hooks: { "pre-commit": FILE }, more: FILE },
    led: "tools",
    lib: { githooks: { "pre-commit": FILE }, ".git": FILE },
    side: { githooks: { "pre-commit": FILE }, ".git": FILE },
    inner: { ".git": repository, githooks: { "pre-commit": FILE } },
    src: { "a.ts": FILE }
  },
  home: { ada: { ".gitconfig": FILE, hooks: { "pre-commit": FILE } } },
  etc: { gitconfig: FILE },
  usr: { bin: { git: FILE } }
}

const texts = (given: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map([
    ["/w/lib/.git", "gitdir: ../.git/modules/lib\n"],
    ["/w/side/.git", "gitdir: /w/.git/worktrees/side\n"],
    ["/w/.git/worktrees/side/gitdir", "/w/side/.git\n"],
    ["/w/.git/worktrees/side/commondir", "../..\n"],
    ...Object.entries(given)
  ])

const planned = (
  given: Readonly<Record<string, string>>,
  writes: ReadonlyArray<string> = ["/w/", "/home/ada/"],
  tree = here
) =>
  plan(
    {
      authority: decode({
        files: { read: [...writes, "/w/"], write: writes },
        process: { exec: [{ argv: "*", in: "/w" }] }
      }),
      floor: { homes: ["/home/ada"], guarded: [] },
      request: requested("/w"),
      cwd: "/w",
      binary: "/usr/bin/git",
      kept: []
    },
    lookAt(tree, { texts: texts(given) })
  )

const accessIn = (...given: Parameters<typeof planned>) => viewOf(planned(...given))

const hooksAt = (value: string): string => `[core]\n\thooksPath = ${value}\n`

describe("A directory that settings name for hooks is frozen", () => {
  it.each<[said: string, file: string, text: string, hooks: ReadonlyArray<string>]>([
    [
      "from the files of the repository",
      "/w/.git/config",
      hooksAt("githooks"),
      ["/w/githooks", "/w/side/githooks"]
    ],
    ["by steps up and down", "/w/.git/config", hooksAt("./src/../tools/hooks"), ["/w/tools/hooks"]],
    ["by its full path", "/w/.git/config", hooksAt("/w/tools/hooks"), ["/w/tools/hooks"]],
    ["in a home", "/w/.git/config", hooksAt("~/hooks"), ["/home/ada/hooks"]],
    ["in the home of somebody by name", "/w/.git/config", hooksAt("~ada/hooks"), ["/home/ada/hooks"]],
    ["in quotes", "/w/.git/config", hooksAt('"githooks" ; ours'), ["/w/githooks"]],
    ["in one line with its section", "/w/.git/config", "[core] HOOKSPATH=githooks # ours", ["/w/githooks"]],
    ["in two lines", "/w/.git/config", "[CORE]\r\n  hooksPath = git\\\r\nhooks\r\n", ["/w/githooks"]],
    [
      "behind other settings",
      "/w/.git/config",
      '[a "]"]\nb\n;[c]\n[core]\nhookspath=githooks',
      ["/w/githooks"]
    ],
    [
      "and all of them, where there are several",
      "/w/.git/config",
      `${hooksAt("x")}${hooksAt("githooks")}`,
      ["/w/githooks"]
    ],
    ["behind a link", "/w/.git/config", hooksAt("led/hooks"), ["/w/tools/hooks"]],
    ["by settings of one work tree", "/w/.git/config.worktree", hooksAt("githooks"), ["/w/githooks"]],
    [
      "by settings of another work tree",
      "/w/.git/worktrees/side/config.worktree",
      hooksAt("githooks"),
      ["/w/side/githooks"]
    ],
    [
      "of a module",
      "/w/.git/modules/lib/config",
      `${hooksAt("githooks")}worktree = ../../../lib\n`,
      ["/w/lib/githooks"]
    ],
    ["of a repository further in", "/w/inner/.git/config", hooksAt("githooks"), ["/w/inner/githooks"]],
    [
      "by settings of the user",
      "/home/ada/.gitconfig",
      hooksAt("githooks"),
      ["/w/githooks", "/w/inner/githooks", "/w/side/githooks"]
    ],
    ["by settings of the system", "/etc/gitconfig", hooksAt("githooks"), ["/w/githooks", "/w/inner/githooks"]]
  ])("%s", (_, file, text, hooks) => {
    const accessAt = accessIn({ [file]: text })
    for (const path of hooks) {
      expect([path, accessAt(path), accessAt(`${path}/pre-commit`)]).toEqual([path, "read", "read"])
    }
    expect([accessAt("/w/src/a.ts"), accessAt("/w/tools/more"), accessAt("/w/.git/HEAD")]).toEqual([
      "write",
      "write",
      "write"
    ])
  })

  it("by settings that others include, under conditions too, and these are frozen as well", () => {
    const accessAt = accessIn({
      "/w/.git/config": '[include]\n\tpath = ../tools/more\n[includeIf "gitdir:/x/"]\n\tpath = ~/more\n',
      "/w/tools/more": hooksAt("githooks")
    })
    expect(["/w/tools/more", "/w/githooks/pre-commit", "/w/tools/hooks"].map(accessAt)).toEqual([
      "read",
      "read",
      "write"
    ])
  })

  it("if the repository is above what may be written, or is only read", () => {
    expect(accessIn({ "/w/.git/config": hooksAt("tools/hooks") }, ["/w/tools/"])("/w/tools/hooks")).toBe(
      "read"
    )
    const accessAt = accessIn({ "/w/.git/config": hooksAt("../githooks") }, ["/w/inner/"])
    expect(accessAt("/w/inner/githooks")).toBe("write")
  })

  it("if a link stands in the place of the repository", () => {
    const tree: Tree = {
      w: { a: { ".git": "/w/git", githooks: { x: FILE } }, b: FILE, git: repository },
      usr: here.usr ?? {}
    }
    const accessAt = accessIn({ "/w/git/config": hooksAt("githooks") }, ["/w/"], tree)
    expect([accessAt("/w/a/githooks/x"), accessAt("/w/b")]).toEqual(["read", "write"])
  })

  it("and where nothing but it may be written it is only read, and that is said", () => {
    const made = planned({ "/w/.git/config": hooksAt(".") }, ["/w/"])
    expect(viewOf(made)("/w/src/a.ts")).toBe("read")
    expect(made.leftOut).toContainEqual({
      what: "write /w",
      why: "hooks of git, where its settings name them"
    })
  })

  it("and all of a work tree, if nobody can read the settings", () => {
    const tree = lookAt(here, { texts: texts({}) })
    const text = (path: string): Text => (path === "/w/inner/.git/config" ? "unread" : tree.text(path))
    const made = plan(
      {
        authority: decode({
          files: { read: ["/w/"], write: ["/w/"] },
          process: { exec: [{ argv: "*", in: "/w" }] }
        }),
        floor: { homes: [], guarded: [] },
        request: requested("/w"),
        cwd: "/w",
        binary: "/usr/bin/git",
        kept: []
      },
      { ...tree, text }
    )
    expect([viewOf(made)("/w/inner/githooks"), viewOf(made)("/w/src/a.ts")]).toEqual(["read", "write"])
  })

  it("and nothing else where settings name none, or cannot be read by git either", () => {
    for (const text of [
      "",
      "[core]\n\tbare = false\n",
      "hooksPath = githooks\n",
      '[core]\n\tx = "\n\thooksPath = githooks\n',
      "# [core]\n; hooksPath = githooks\n"
    ]) {
      expect([text, accessIn({ "/w/.git/config": text })("/w/githooks")]).toEqual([text, "write"])
    }
  })

  it("including the links on the way, which stay writable and are put back by who clears up", () => {
    const tree: Tree = {
      w: { ".git": { ...repository, hooks: "../tools" }, tools: { x: FILE } },
      usr: here.usr ?? {}
    }
    const accessAt = accessIn({}, ["/w/"], tree)
    expect([accessAt("/w/tools/x"), accessAt("/w/new")]).toEqual(["read", "write"])
  })
})

describe("Whatever settings name", () => {
  const part = fc.constantFrom("githooks", "tools", "hooks", "led", "..", ".", "src", "gone", ".git", "lib")
  const value = fc
    .tuple(fc.constantFrom("", "/w/", "~/", "/"), fc.array(part, { minLength: 1, maxLength: 4 }))
    .map(([start, parts]) => `${start}${parts.join("/")}`)

  /** As the kernel would go: links are followed where they stand. */
  const wentTo = (path: string): string => {
    const at: Array<string> = []
    for (const name of path.split("/")) {
      if (name === "..") at.pop()
      else if (name !== "" && name !== ".") at.push(name === "led" && at.join("/") === "w" ? "tools" : name)
    }
    return `/${at.join("/")}`
  }

  it("is found behind a directory that a child may yet make", () => {
    for (const value of ["gone/../led", "gone/deep/../../led", "src/a.ts/../../led"]) {
      expect(viewOf(planned({ "/w/.git/config": hooksAt(value) }))("/w/tools")).toBe("read")
    }
  })

  it("no child writes there, and what it may write otherwise it may write still", () => {
    let frozen = 0
    fc.assert(
      fc.property(value, (value) => {
        const made = planned({ "/w/.git/config": hooksAt(value) })
        const accessAt = viewOf(made)
        const place = wentTo(
          value.startsWith("~")
            ? `/home/ada/${value.slice(1)}`
            : value.startsWith("/")
              ? value
              : `/w/${value}`
        )
        const isIn = (path: string) => place === "/" || path === place || path.startsWith(`${place}/`)
        const written = pathsOf(here).filter(([path, kind]) => kind === "file" && accessAt(path) === "write")
        expect(written.filter(([path]) => isIn(path))).toEqual([])
        if (made.covers.some(({ path }) => path === place)) frozen++
      }),
      { numRuns: times(300) }
    )
    expect(frozen).toBeGreaterThan(10)
  })
})

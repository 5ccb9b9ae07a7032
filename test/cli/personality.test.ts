// biome-ignore-all lint/suspicious/noTemplateCurlyInString: workspaces write their variables like this
/**
 * Which personality a word names, and what the workspace around it says. The threat: a file that an agent can make
 * stands in for the one that an operator wrote, or one of two files is read as if the other were not there.
 */
import { symlinkSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { CliError } from "../../src/cli/CliError.js"
import { findWorkspace } from "../../src/cli/workspace/Workspace.js"
import { Folder } from "./workspace.js"

const tools = async (folder: Folder, personality: string, cwd = folder.root) => {
  const args = ["tools", "list", "--json", "--personality", personality]
  const { code, stderr, stdout } = await folder.bailiwick(args, { cwd })
  return code === 0 ? JSON.parse(stdout).tools.map(({ name }: { name: string }) => name) : stderr
}

const ONE = "id: scout\ntoolset: [list_attachments]"

describe("a personality that is a single file", () => {
  it("is named by its id in the workspace, or by its path", async () => {
    const folder = new Folder({ "bailiwick.yaml": "", "personalities/scout.yaml": ONE, "a/b/x": "" })
    expect(await tools(folder, "scout", folder.path("a/b"))).toEqual(["list_attachments"])
    expect(await tools(folder, "scout.yaml", folder.path("a/b"))).toEqual(["list_attachments"])
    expect(await tools(folder, "personalities/scout.yaml")).toEqual(["list_attachments"])
    expect(await tools(folder, folder.path("personalities/scout.yaml"))).toEqual(["list_attachments"])
  })

  it("needs no workspace", async () => {
    const folder = new Folder({ "mine.yaml": ONE })
    expect(await tools(folder, "mine.yaml")).toEqual(["list_attachments"])
    expect(await tools(folder, "./mine.yaml")).toEqual(["list_attachments"])
  })

  it("an id is that of the workspace, and not a file that an agent made where it works", async () => {
    const folder = new Folder({
      "bailiwick.yaml": "",
      "personalities/scout.yaml": "id: scout\ntoolset: []",
      "a/scout/config.yaml": ONE,
      "a/scout.yaml": ONE
    })
    for (const name of ["scout", "scout.yaml"])
      expect(await tools(folder, name, folder.path("a"))).toEqual([])
    expect(await tools(folder, "./scout.yaml", folder.path("a"))).toEqual(["list_attachments"])
  })

  it.each([
    "scout",
    "scout.yaml",
    "personalities/scout",
    "personalities/scout.yaml",
    "./personalities/scout/"
  ])("beside a directory of the same id is an error that names both, asked for as %s", async (name) => {
    const folder = new Folder({
      "bailiwick.yaml": "",
      "personalities/scout.yaml": ONE,
      "personalities/scout/config.yaml": ONE
    })
    const said = await tools(folder, name)
    expect(said).toContain("the personality 'scout' is written twice")
    expect(said).toContain(folder.path("personalities/scout.yaml"))
    expect(said).toContain(`${folder.path("personalities/scout")} `)
    expect(said.trim().split("\n")).toHaveLength(1)
  })

  it("a link to nothing beside the directory is not taken for absent", async () => {
    const folder = new Folder({ "bailiwick.yaml": "", "personalities/scout/config.yaml": ONE })
    symlinkSync("nowhere", folder.path("personalities/scout.yaml"))
    expect(await tools(folder, "scout")).toContain("is written twice")
  })

  it.each(["config.yaml", "toolset.yaml"])(
    "%s of a directory is a part of one, and refused",
    async (name) => {
      const folder = new Folder({
        "p/config.yaml": "id: p",
        "p/toolset.yaml": "[]"
      })
      expect(await tools(folder, `p/${name}`)).toContain(`p/${name} is a part of one; write p`)
    }
  )

  it("has a slip named with its file and line", async () => {
    const folder = new Folder({ "mine.yaml": "id: p\ntoolst: []" })
    expect(await tools(folder, "mine.yaml")).toContain(`KEY_UNKNOWN: ${folder.path("mine.yaml")}:2:1`)
  })

  it("is not written by the tools that it allows to write around it", async () => {
    const folder = new Folder({ "mine.yaml": 'id: p\nfs_reach: { write: ["${CWD}"] }' })
    const calls = ["mine.yaml", "notes.txt"].map((path) => ({
      id: path,
      name: "write_file",
      args: { path, content: "x" }
    }))
    const { stdout } = await folder.bailiwick(["run", "-", "--personality", "mine.yaml", "--json"], {
      stdin: JSON.stringify(calls)
    })
    expect(JSON.parse(stdout).results.map(({ result }: { result: object }) => result)).toMatchObject([
      { ok: false, denial: { code: "PATH_NOT_REACHABLE" } },
      { ok: true }
    ])
  })
})

describe("what the workspace says", () => {
  const found = (text: string, home: string | undefined = "/home/u") => {
    const folder = new Folder({ "bailiwick.yaml": text })
    const workspace = findWorkspace(folder.root, home)
    return { root: folder.root, workspace }
  }
  const refusal = (text: string, home?: string): string => {
    try {
      found(text, home)
      return "it was read"
    } catch (error) {
      return error instanceof CliError ? error.message : "another error"
    }
  }

  it("without a word, records and skills are in it, and agents have no root", () => {
    const { root, workspace } = found("# nothing")
    expect(workspace).toEqual({
      root,
      audit: {},
      servers: [],
      tools: [],
      recordsDir: `${root}/records`,
      skillsDir: `${root}/skills`,
      sandbox: { mode: undefined, limits: {} },
      agentsRoot: undefined,
      privateHosts: []
    })
  })

  it.each([
    ["notes", "ROOT/notes"],
    ["./notes//a/.", "ROOT/notes/a"],
    [".", "ROOT"],
    ["/var/notes/", "/var/notes"],
    ["~/notes", "/home/u/notes"],
    ["${WORKSPACE}/notes", "ROOT/notes"]
  ])("records_dir and skills_dir: %s is %s", (written, path) => {
    for (const [key, field] of [
      ["records_dir", "recordsDir"],
      ["skills_dir", "skillsDir"]
    ] as const) {
      const { root, workspace } = found(`${key}: "${written}"`)
      expect(workspace?.[field]).toBe(path.replace("ROOT", root))
    }
  })

  it.each([
    ["required", "required", undefined],
    ["off", "off", undefined],
    ["~/Work", undefined, "/home/u/Work"],
    ["~", undefined, "/home/u"],
    ["/srv//agents/./x/", undefined, "/srv/agents/x"],
    ["/", undefined, "/"],
    ["./agents", undefined, "ROOT/agents"],
    ["${WORKSPACE}", undefined, "ROOT"],
    ["${WORKSPACE}/agents", undefined, "ROOT/agents"]
  ])("G2, G4: sandbox: %s is the mode %s, the root %s", (written, mode, path) => {
    const { root, workspace } = found(`sandbox: "${written}"`)
    expect([workspace?.sandbox.mode, workspace?.agentsRoot]).toEqual([mode, path?.replace("ROOT", root)])
  })

  it.each([
    ["{ root: ~/Work, mode: required }", "required", "/home/u/Work"],
    ["{ root: work }", undefined, "ROOT/work"],
    ["{ mode: off }", "off", undefined],
    ["{}", undefined, undefined]
  ])("sandbox: %s has both", (written, mode, path) => {
    const { root, workspace } = found(`sandbox: ${written}`)
    expect([workspace?.sandbox.mode, workspace?.agentsRoot]).toEqual([mode, path?.replace("ROOT", root)])
  })

  it("sandbox: { limits } has those, as in a personality", () => {
    const { workspace } = found("sandbox: { root: /w, limits: { processes: 4, tmp_size: 1MiB } }")
    expect([workspace?.sandbox, workspace?.agentsRoot]).toEqual([
      { mode: undefined, limits: { processes: 4, tmpBytes: 1024 * 1024 } },
      "/w"
    ])
  })

  it.each([
    ["sandbox: { limit: {} }", "KEY_UNKNOWN", "write 'limits'"],
    ["sandbox: { limits: { procesess: 4 } }", "KEY_UNKNOWN", "write 'processes'"],
    ["sandbox: { limits: { tmp_size: big } }", "VALUE_INVALID", "as in '512MiB'"],
    ["sandbox: maybe", "VALUE_INVALID", "'required', 'preferred' or 'off', or a root"],
    ["sandbox: work/agents", "VALUE_INVALID", "neither a mode nor a path"],
    ["sandbox: Off", "VALUE_INVALID", "neither a mode nor a path"],
    ["sandbox: true", "VALUE_INVALID", "where a string belongs"],
    ["sandbox: ~", "VALUE_INVALID", 'a lone ~ is written "~"'],
    ["sandbox: [/a]", "VALUE_INVALID", "where a string belongs"],
    ["sandbox: { roots: /a }", "KEY_UNKNOWN", "write 'root'"],
    ["sandbox: { mode: /a }", "VALUE_INVALID", "write one of 'required'"],
    ["sandbox: ../other", "PATH_INVALID", "contains '..'"],
    ["sandbox: ~/../other", "PATH_INVALID", "contains '..'"],
    ["sandbox: /a/*", "PATH_INVALID", "holds a wildcard"],
    ["sandbox: ~other/x", "PATH_INVALID", "names another home"],
    ['sandbox: "${CWD}/x"', "PATH_INVALID", "start it with"],
    ["records_dir: ../notes", "PATH_INVALID", "contains '..'"],
    ["records_dir: a/${HOME}", "PATH_INVALID", "a variable that is none here"],
    ['records_dir: ""', "VALUE_INVALID", "an empty string"],
    ["skills_dir: [a]", "VALUE_INVALID", "where a string belongs"]
  ])("%s is an error", (text, code, words) => {
    const said = refusal(text)
    expect(said).toContain(`${code}: `)
    expect(said).toContain("bailiwick.yaml:1:")
    expect(said).toContain(words)
  })

  it("a home that is not there is an error where it is used", () => {
    expect(() => findWorkspace(new Folder({ "bailiwick.yaml": "records_dir: ~/x" }).root, undefined)).toThrow(
      "there is none here"
    )
  })

  it.each([
    ["", "records"],
    ["records_dir: kept", "kept"]
  ])("Q13: no file tool writes into the records, with %j", async (text, directory) => {
    const folder = new Folder({
      "bailiwick.yaml": text,
      [`${directory}/notes/a.md`]: "a",
      "personalities/p.yaml": 'id: p\nfs_reach: { read: ["${WORKSPACE}"], write: ["${WORKSPACE}"] }'
    })
    const calls = [
      ["write_file", { path: `${directory}/notes/b.md`, content: "x" }],
      ["delete_file", { path: `${directory}/notes/a.md` }],
      ["read_file", { path: `${directory}/notes/a.md` }],
      ["write_file", { path: "elsewhere.md", content: "x" }]
    ].map(([name, args], id) => ({ id: String(id), name, args }))
    const { stdout } = await folder.bailiwick(["run", "-", "--personality", "p", "--json"], {
      stdin: JSON.stringify(calls)
    })
    expect(JSON.parse(stdout).results.map(({ result }: { result: { ok: boolean } }) => result.ok)).toEqual([
      false,
      false,
      true,
      true
    ])
  })
})

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: personalities write their variables like this
/**
 * The floor on the command line. Threats: a turn reads what the owner of the home typed and logs in with; it changes
 * code that the next command loads, or leaves something behind that runs by itself.
 */
import { existsSync, lstatSync, symlinkSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { Folder } from "./workspace.js"

const call = (name: string, args: object, id = name) => ({ id, name, args })
const write = (path: string) => call("write_file", { path, content: "x" }, path)

const codesOf = (results: ReadonlyArray<{ error?: string; ok: boolean }>) =>
  results.map(({ error, ok }) => (ok ? "ok" : error?.split(":")[0]))

const OPEN = 'fs_reach: { read: ["${CWD}"], write: ["${CWD}"] }'

describe("the floor", () => {
  it("code that the command loads is not written, that of a project below is", async () => {
    const folder = new Folder({ "bailiwick.yaml": "" }).personality(OPEN)
    const closed = [
      "package.json",
      "package-lock.json",
      "pnpm-lock.yaml",
      "yarn.lock",
      "bailiwick.lock.json",
      "node_modules/effect/index.js",
      "app/node_modules/bailiwick/dist/cli/program.cache"
    ]
    const open = ["app/package.json", "app/package-lock.json", "app/src/index.ts", "Makefile", "tools.ts"]
    const { results } = await folder.calls([...closed, ...open].map(write))
    expect(codesOf(results)).toEqual([...closed.map(() => "PATH_NOT_REACHABLE"), ...open.map(() => "ok")])
    expect(closed.filter((path) => existsSync(folder.path(path)))).toEqual([])
  })

  it("what runs later by itself is not written, unless the personality names it", async () => {
    const paths = [
      ".github/workflows/ci.yml",
      ".envrc",
      ".vscode/tasks.json",
      ".mcp.json",
      ".husky/pre-commit"
    ]
    const folder = new Folder().personality(OPEN)
    const refused = await folder.calls(paths.map(write))
    expect(codesOf(refused.results)).toEqual(paths.map(() => "PATH_NOT_REACHABLE"))
    const named = new Folder().personality(
      'fs_reach: { write: ["${CWD}", "${CWD}/.github/workflows", "${CWD}/.envrc"] }'
    )
    const { results } = await named.calls(paths.map(write))
    expect(codesOf(results)).toEqual(["ok", "ok", ...Array(3).fill("PATH_NOT_REACHABLE")])
  })

  it("links in the middle of the way to the workspace and its records are neither written nor deleted", async () => {
    const folder = new Folder({
      "deep/bw.yaml": "records_dir: cfg/notes\n",
      "conf/other": "",
      "real/notes/x.md": ""
    }).personality(OPEN)
    const links = {
      "conf/mid.yaml": "../deep/bw.yaml",
      "bailiwick.yaml": "conf/mid.yaml",
      mid: "real",
      cfg: "mid"
    }
    for (const [path, target] of Object.entries(links)) symlinkSync(target, folder.path(path))
    const paths = Object.keys(links)
    const { results } = await folder.calls([
      ...paths.map((path) => call("delete_file", { path }, `delete ${path}`)),
      ...paths.map(write),
      write("mid/open.txt")
    ])
    expect(codesOf(results)).toEqual([...Array(2 * paths.length).fill("PATH_NOT_REACHABLE"), "ok"])
    expect(paths.filter((path) => !lstatSync(folder.path(path)).isSymbolicLink())).toEqual([])
  })

  it("histories and tokens in the home are not read", async () => {
    const paths = ["home/.bash_history", "home/.claude/.credentials.json", "home/.codex/auth.json"]
    const folder = new Folder(Object.fromEntries(paths.map((path) => [path, "mine"]))).personality(OPEN)
    const { results } = await folder.calls(paths.map((path) => call("read_file", { path }, path)))
    expect(codesOf(results)).toEqual(paths.map(() => "PATH_NOT_REACHABLE"))
    expect(JSON.stringify(results)).not.toContain("mine")
  })

  it("explain says which part of the floor refuses, and why", async () => {
    const folder = new Folder({ "bailiwick.yaml": "" }).personality(OPEN)
    const { code, stdout } = await folder.bailiwick(
      ["explain", "-", "--personality", "personality", "--json"],
      { stdin: JSON.stringify([write("package.json"), write(".envrc")]) }
    )
    expect(code).toBe(0)
    const said = JSON.stringify(JSON.parse(stdout))
    expect(said).toContain("it is always refused (it decides which code a command loads)")
    expect(said).toContain("no policy lifts this")
    expect(said).toContain(
      "(what entering the directory runs): only a policy that names exactly this path opens it"
    )
    expect(said).toContain(`have the policy name exactly this path: fs.write{in=${folder.path(".envrc")}}`)
  })

  it("doctor names what a personality lifts, and what it names in vain", async () => {
    const folder = new Folder({ "bailiwick.yaml": "" })
    folder.write(
      "personalities/p/config.yaml",
      'id: p\nfs_reach: { read: ["~/.ssh"], write: ["${CWD}/.github/workflows"] }\n'
    )
    const { stdout } = await folder.bailiwick(["doctor", "--json"])
    const { findings } = JSON.parse(stdout)
    expect(
      findings
        .filter(({ check }: { check: string }) => check === "floor")
        .map(({ code, detail }: { code: string; detail: string }) => [code, /\(([^)]*)\)/.exec(detail)?.[1]])
        .sort()
    ).toEqual([
      ["FLOOR_CLOSED", "keys of SSH"],
      ["FLOOR_LIFTED", "GitHub Actions"]
    ])
  })
})

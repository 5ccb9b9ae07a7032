/** A workspace to start from: whole, or not at all, and never over what is there. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { Network, Tool } from "bailiwick"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { root } from "../../scripts/lib/project.js"
import { has } from "../../scripts/lib/system.js"
import { filesFor } from "../../src/cli/commands/init/files.js"
import { putDown } from "../../src/cli/commands/init/place.js"
import { versions } from "../../src/cli/commands/init/versions.js"
import { Folder, type Options } from "./workspace.js"

const everything = (folder: Folder): ReadonlyArray<string> =>
  readdirSync(folder.root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.root.length + 1))
    .sort()

const files = filesFor("x")
  .map(({ path }) => path)
  .sort()

describe("init", () => {
  it("writes a workspace into the current directory, with what to do next", async () => {
    const folder = new Folder()
    const outcome = await folder.bailiwick(["init"])
    expect(outcome).toMatchObject({ code: 0, stderr: "" })
    expect(outcome.stdout).toContain(`wrote ${files.length} files to ${folder.root}`)
    expect(outcome.stdout).toContain("npm install")
    expect(outcome.stdout).not.toContain("cd ")
    expect(everything(folder)).toEqual(files)
    expect(statSync(folder.path("bailiwick.yaml")).mode & 0o777).toBe(0o666 & ~process.umask())
  })

  it("makes the directory, and every one above it", async () => {
    const folder = new Folder()
    const { stdout } = await folder.bailiwick(["init", "a/My Team", "--json"])
    const directory = folder.path("a/My Team")
    expect(JSON.parse(stdout)).toMatchObject({ directory, written: true, within: null })
    expect(JSON.parse(stdout).files.sort()).toEqual(files)
    expect(JSON.parse(readFileSync(join(directory, "package.json"), "utf8"))).toMatchObject({
      name: "my-team",
      private: true,
      type: "module"
    })
    expect((await folder.bailiwick(["init", "b c"])).stdout).toContain("  cd 'b c'\n")
  })

  it.each([
    ["Größe", "gro-e"],
    ["...", "workspace"],
    ["日本", "workspace"],
    ["@acme", "acme"],
    ["a".repeat(200), "a".repeat(100)]
  ])("gives the package a name that npm takes: %s", (directory, name) => {
    const text = filesFor(directory).find(({ path }) => path === "package.json")?.text ?? ""
    expect(JSON.parse(text).name).toBe(name)
  })

  it.each([
    ["package.json", { "package.json": "{}" }],
    ["tools/index.js", { "tools/index.js": "" }],
    ["tools", { tools: "a file" }],
    [".gitignore, README.md", { ".gitignore": "x", "README.md": "y" }]
  ])("writes nothing where %s is there already", async (named, there) => {
    const folder = new Folder(there)
    const before = everything(folder)
    const outcome = await folder.bailiwick(["init"])
    expect(outcome).toMatchObject({ code: 1, stdout: "" })
    expect(outcome.stderr).toContain(`because it has ${named} already`)
    expect(everything(folder)).toEqual(before)
    for (const [path, text] of Object.entries(there)) {
      expect(readFileSync(folder.path(path), "utf8")).toBe(text)
    }
  })

  it("is not led elsewhere by links, not even by those to nothing", async () => {
    const folder = new Folder({ "elsewhere/x": "" })
    mkdirSync(folder.path("new"))
    symlinkSync(folder.path("elsewhere"), folder.path("new/tools"))
    symlinkSync(folder.path("nowhere"), folder.path("new/README.md"))
    const outcome = await folder.bailiwick(["init", "new"])
    expect(outcome).toMatchObject({ code: 1, stdout: "" })
    expect(outcome.stderr).toContain("because it has README.md, tools already")
    expect(readdirSync(folder.path("elsewhere"))).toEqual(["x"])
    expect(existsSync(folder.path("nowhere"))).toBe(false)
  })

  it("works beside what is not in its way", async () => {
    const folder = new Folder({ "notes.md": "mine", "tools/other.js": "mine" })
    expect((await folder.bailiwick(["init"])).code).toBe(0)
    expect(everything(folder)).toEqual([...files, "notes.md", "tools/other.js"].sort())
  })

  it("refuses a second time, and says what is there", async () => {
    const folder = new Folder()
    await folder.bailiwick(["init"])
    const again = await folder.bailiwick(["init"])
    expect(again).toMatchObject({ code: 1, stdout: "" })
    expect(again.stderr.split("\n")).toHaveLength(2)
  })

  it("shows what it would write with --dry-run", async () => {
    const folder = new Folder()
    const outcome = await folder.bailiwick(["init", "x", "--dry-run"])
    expect(outcome).toMatchObject({ code: 0 })
    expect(outcome.stdout).toContain("would write")
    expect(JSON.parse((await folder.bailiwick(["init", "--dry-run", "--json"])).stdout).written).toBe(false)
    expect(everything(folder)).toEqual([])
    expect(existsSync(folder.path("x"))).toBe(false)
  })

  it("says that it is inside of another workspace", async () => {
    const folder = new Folder({ "bailiwick.yaml": "not: [valid" })
    const outcome = await folder.bailiwick(["init", "sub"])
    expect(outcome).toMatchObject({ code: 0 })
    expect(outcome.stdout).toContain(`inside of the workspace ${folder.root}:`)
  })

  it("refuses a file for a directory, and words too many", async () => {
    const folder = new Folder({ file: "" })
    expect(await folder.bailiwick(["init", "file"])).toMatchObject({ code: 2, stdout: "" })
    expect((await folder.bailiwick(["init", "file/sub"])).code).toBe(2)
    expect((await folder.bailiwick(["init", "a", "b"])).code).toBe(2)
    expect(everything(folder)).toEqual(["file"])
  })

  it("leaves nothing of its own when it cannot write all of it", () => {
    const folder = new Folder({ "tools/mine.js": "" })
    const tooLong = { path: `deep/er/${"x".repeat(300)}`, text: "" }
    expect(() => putDown(folder.root, [...filesFor("x"), tooLong])).toThrow("was not written")
    expect(everything(folder)).toEqual(["tools/mine.js"])
    expect(readdirSync(folder.root)).toEqual(["tools"])
  })
})

describe("the workspace", () => {
  /** The doctor finds something wrong with a machine that holds no commands. */
  const canHold = has("bwrap")

  const examined = async (options: Options, files: Readonly<Record<string, string>> = {}) => {
    const folder = new Folder(files)
    await folder.bailiwick(["init"])
    return folder.bailiwick(["doctor", "--strict"], options)
  }

  it.runIf(canHold)("has an agent and a personality that the doctor finds nothing wrong with", async () => {
    const fetchWeather = Tool.make({
      name: "fetch_weather",
      description: "As the file has it",
      parameters: Schema.Struct({}),
      capabilities: { network: { allowedHosts: ["api.weather.gov"] } },
      execute: () => Network.get("https://api.weather.gov/")
    })
    const outcome = await examined({ load: async () => ({ fetchWeather }) })
    expect(outcome.stdout).not.toMatch(/^[!✗]/m)
    expect(outcome).toMatchObject({ code: 0, stderr: "" })
  })

  it.runIf(canHold)("is clean before it is installed, and the doctor notes what has to be done", async () => {
    const { code, stdout } = await examined({ version: "0.1.0" })
    expect(stdout).not.toMatch(/^[!✗]/m)
    expect(stdout).toMatch(/^✓ .*npm install/m)
    expect(code).toBe(0)
  })

  it.runIf(canHold)("may name its tools in a toolset before they are known", async () => {
    const toolset = { "personalities/forecaster/toolset.yaml": "- fetch_weather\n" }
    const { code, stdout } = await examined({ version: "0.1.0" }, toolset)
    expect(stdout).not.toMatch(/^[!✗]/m)
    expect(code).toBe(0)
  })

  it("gives the agent what its tool needs, and nothing more", async () => {
    const folder = new Folder()
    await folder.bailiwick(["init"])
    const { stdout } = await folder.bailiwick(["agents", "capabilities", "scout", "--json"])
    expect(JSON.parse(stdout).grants.map(({ grant }: { grant: string }) => grant)).toEqual([
      "net.get{hosts=[api.weather.gov]}"
    ])
  })

  it("installs the versions that this one is made with", () => {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const own: Record<string, string> = { ...manifest.devDependencies, bailiwick: manifest.version }
    for (const [name, range] of Object.entries(versions)) {
      if (own[name] !== undefined) expect(`${name} ${range}`).toBe(`${name} ^${own[name]}`)
    }
  })
})

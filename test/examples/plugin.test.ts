/**
 * A package of tools, and a team that uses it: in a workspace, which exports the tools again, and in a program, which
 * registers them as those of a plugin.
 */
import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { Registry, type Tool } from "bailiwick"
import { Effect, Logger, LogLevel } from "effect"
import { describe, expect, it } from "vitest"
import { root } from "../../scripts/lib/project.js"
import { installed as installedPackage } from "../installed.js"
import { canHold } from "../layers/process/harness.js"
import { runEveryCommand, type Team, TeamSpace } from "./everyCommand.js"

/** A copy in which packages are installed, as links; its modules are its own. */
const installed = (
  name: string,
  module: string,
  packages: Readonly<Record<string, string>> = {}
): TeamSpace => {
  const space = new TeamSpace(name, { ACME_KEY: "only-for-tests" })
  mkdirSync(space.path("node_modules/@acme"), { recursive: true })
  const all = { bailiwick: root, effect: join(root, "node_modules/effect"), ...packages }
  for (const [one, directory] of Object.entries(all)) symlinkSync(directory, space.path("node_modules", one))
  space.instead[module] = () => import(pathToFileURL(space.path(module)).href)
  return space
}

const author = (): TeamSpace => installed("plugin-author", "index.js")

const user = (): TeamSpace =>
  installed("plugin-user", "tools/index.js", { "@acme/text-tools": author().root })

/** Starts Node in the package. */
const node = (space: TeamSpace, ...args: ReadonlyArray<string>) =>
  promisify(execFile)(process.execPath, args, {
    cwd: space.root,
    env: { PATH: process.env.PATH }
  }).catch(({ stdout }: { stdout: string }) => ({ stdout }))

const eslint = join(root, "node_modules/eslint/bin/eslint.js")

const package_: Team = {
  name: "plugin-author",
  agent: "tester",
  personality: "tester",
  calls: [
    { name: "acme_count_words", args: { text: "one two" } },
    { name: "acme_outline", args: { path: "samples/page.md" } }
  ],
  skill: "try-the-tools",
  held: "secrets.read{refs=[acme/key]}",
  wanted: "records.read"
}

const team: Team = {
  name: "plugin-user",
  agent: "writer",
  personality: "writer",
  calls: [
    { name: "acme_outline", args: { path: "drafts/hello.md" } },
    { name: "acme_count_words", args: { text: "one two" } },
    { name: "read_file", args: { path: "drafts/hello.md" } }
  ],
  skill: "tighten",
  held: "records.read",
  wanted: "net.get{hosts=[example.com]}"
}

describe("a package of tools", () => {
  it("does not trip over any command", async () => {
    await runEveryCommand(author(), package_)
  })

  it("tests itself with mocks, and its linter finds what goes around them", async () => {
    const space = author()
    rmSync(space.path("node_modules/bailiwick"))
    symlinkSync(await installedPackage(), space.path("node_modules/bailiwick"))
    const tested = await node(space, "--test")
    expect(tested.stdout).toContain("# fail 0")
    expect(tested.stdout).toContain("# pass 5")
    space.write("tools/more.js", `export const key = process.env.ACME_KEY\n`)
    const { stdout } = await node(space, eslint, "--format", "json", ".")
    const found: ReadonlyArray<{ filePath: string; messages: ReadonlyArray<{ message: string }> }> =
      JSON.parse(stdout)
    expect(found.length).toBeGreaterThan(3)
    expect(found.flatMap(({ filePath, messages }) => messages.map(() => filePath))).toEqual([
      space.path("tools/more.js")
    ])
    expect(stdout).toContain("'process.env' goes around what the tool declares")
  })

  it("ships the tools and the lock, and not what tries them", () => {
    const { files, peerDependencies } = JSON.parse(readFileSync(author().path("package.json"), "utf8"))
    expect(files).toEqual(["index.js", "tools", "types", "bailiwick.lock.json"])
    expect(Object.keys(peerDependencies)).toEqual(["bailiwick", "effect"])
  })
})

describe("a workspace that uses the package", () => {
  it("does not trip over any command", async () => {
    await runEveryCommand(user(), team)
  })

  it.runIf(canHold)("can be named itself, and runs isolated once it is accepted", async () => {
    const space = user()
    space.write("bailiwick.yaml", 'tools: ["@acme/text-tools"]\nsandbox: ./\n')
    const before = await space.bailiwick(["tools", "list"])
    expect(before.stderr).toContain("the tools of @acme/text-tools are offered to nobody")
    expect((await space.bailiwick(["manifest", "--check"])).stdout).toContain("plugin @acme/text-tools")
    expect((await space.bailiwick(["manifest"])).code).toBe(0)
    const called = await space.bailiwick([
      ...["call", "acme_outline", "path=drafts/hello.md", "--personality", "writer", "--json"]
    ])
    expect(JSON.parse(called.stdout)).toMatchObject({ ok: true })
  })

  it("sees in the lock what an update of the package touches", async () => {
    const space = user()
    space.instead["tools/index.js"] = async () => {
      const { countWords, outline, translate } = await import(
        pathToFileURL(space.path("node_modules/@acme/text-tools/index.js")).href
      )
      return { countWords, outline, translate }
    }
    const { code, stdout } = await space.bailiwick(["manifest", "--check"])
    expect(code).toBe(1)
    expect(stdout).toContain("acme_translate is new")
    expect(stdout).toContain("+ secrets: acme/key")
  })
})

interface Host {
  readonly main: Effect.Effect<{
    readonly menu: ReadonlyArray<string>
    readonly results: ReadonlyArray<unknown>
  }>
}

describe("a program that uses the package", () => {
  it("offers the tools as those of a plugin", async () => {
    const space = user()
    const { main }: Host = await import(pathToFileURL(space.path("host/main.js")).href)
    const { menu, results } = await Effect.runPromise(Logger.withMinimumLogLevel(main, LogLevel.None))
    expect(menu).toEqual(["read_file", "acme_count_words", "acme_outline"])
    expect(results).toMatchObject([
      { ok: true, value: [{ title: "Hello" }, { title: "Why" }] },
      { ok: false, denial: { code: "TOOL_NOT_PERMITTED" } }
    ])
  })

  it("is refused a plugin that takes the name of another tool", async () => {
    const space = author()
    const { tools }: { tools: ReadonlyArray<Tool.Any> } = await import(
      pathToFileURL(space.path("index.js")).href
    )
    const [first] = tools
    if (first === undefined) throw new Error("the package has no tools")
    const error = Registry.make(first).register(first, { plugin: "acme" })
    expect(await Effect.runPromise(Effect.flip(Effect.scoped(error)))).toMatchObject({
      name: expect.any(String)
    })
  })
})

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: personalities write their variables like this
/** What commands load as code is authority: no tool writes a module, what it imports, or what decides on that. */
import { mkdirSync, symlinkSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { tool, Workspace } from "./ownModules.js"

const CODE = "it decides which code a command loads"

const writes = async (space: Workspace, paths: ReadonlyArray<string>): Promise<ReadonlyArray<boolean>> => {
  space.personality('fs_reach: { read: ["${CWD}"], write: ["${CWD}"] }')
  const { results } = await space.calls(
    paths.map((path, at) => ({ id: String(at), name: "write_file", args: { path, content: "x" } }))
  )
  return results.map(({ error, ok }: { error?: string; ok: boolean }) => {
    if (!ok)
      expect(error).toMatch(
        /it decides which code a command loads|command itself|link that leads|approved to touch/
      )
    return ok
  })
}

const closed = async (space: Workspace, ...paths: ReadonlyArray<string>) =>
  expect(await writes(space, paths)).toEqual(paths.map(() => false))

const open = async (space: Workspace, ...paths: ReadonlyArray<string>) =>
  expect(await writes(space, paths)).toEqual(paths.map(() => true))

const module = { hello: tool("hello") }

describe("the write floor", () => {
  it("holds a module, and all that it imports, however that is written", async () => {
    const space = new Workspace({ "tools/index.js": module })
    space.write(
      "tools/index.js",
      [
        'import { a } from "./a.js"',
        "import './b.mjs'",
        'export * from /* why */ "../lib/c.js"',
        "const d = await import(`./d.js`)",
        'const e = createRequire(import.meta.url)("./e.cjs"); require("./f")',
        'register("./j.js", import.meta.url)',
        'new Worker(new URL("./g.js", import.meta.url))',
        'import data from "./h.json" with { type: "json" }'
      ].join("\n")
    )
    space.write("lib/c.js", 'import "./deep/i.js"')
    space.write("lib/deep/i.js", 'import "../c.js"')
    await closed(
      space,
      "tools/index.js",
      "tools/a.js",
      "tools/b.mjs",
      "lib/c.js",
      "tools/d.js",
      "tools/e.cjs",
      "tools/j.js",
      "tools/f.js",
      "tools/f/index.json",
      "tools/g.js",
      "tools/h.json",
      "lib/deep/i.js"
    )
    await open(space, "tools/notes.md", "lib/other.js", "x.js")
  })

  it("holds what decides where imports lead", async () => {
    const space = new Workspace({ "tools/index.js": module })
    await closed(
      space,
      "package.json",
      "package-lock.json",
      "pnpm-lock.yaml",
      "yarn.lock",
      "bun.lock",
      "bun.lockb",
      "bailiwick.lock.json",
      "tsconfig.json",
      "node_modules/x/index.js",
      "tools/package.json",
      "tools/tsconfig.json",
      "tools/node_modules/bailiwick/index.js",
      "tools/node_modules/effect/index.js"
    )
  })

  it("holds both ends of a link, and the link", async () => {
    const space = new Workspace({ "tools/index.js": module })
    space.write("real/a.js", 'import "./b.js"')
    symlinkSync(space.path("real"), space.path("linked"))
    space.write("tools/index.js", 'import "../linked/a.js"')
    await closed(space, "real/a.js", "real/b.js", "linked/a.js")
  })

  it("holds packages of the workspace that are links, with those that they depend on", async () => {
    const space = new Workspace({ "tools/index.js": module })
    space.write("tools/index.js", 'import "@team/one/sub"')
    space.write("packages/one/package.json", { name: "@team/one", dependencies: { two: "*" } })
    space.write("packages/two/package.json", { name: "two" })
    mkdirSync(space.path("node_modules/@team"), { recursive: true })
    symlinkSync(space.path("packages/one"), space.path("node_modules/@team/one"))
    symlinkSync(space.path("packages/two"), space.path("node_modules/two"))
    await closed(space, "packages/one/sub.js", "packages/two/index.js")
    await open(space, "packages/three/index.js")
  })

  it("holds what a package.json maps imports to", async () => {
    const space = new Workspace({ "tools/index.js": module })
    space.write("package.json", {
      name: "team",
      imports: { "#db": { default: "./db/main.js" }, "#lib/*": "./lib/*.js" },
      exports: { "./self": "./self.js" }
    })
    space.write("tools/index.js", 'import "#db"; import "team/self"')
    await closed(space, "db/main.js", "lib/any.js", "self.js")
  })

  it("holds what a package offers that the workspace lies in, and takes no text for an import that cannot be one", async () => {
    const space = new Workspace({ "tools/index.js": module })
    space.write("package.json", { name: "outer", exports: { ".": "./dist/index.js" } })
    for (const [path, text] of [
      ["inner/bailiwick.yaml", "tools: [./index.js]"],
      ["inner/personality/config.yaml", 'id: x\nfs_reach: { write: ["${WORKSPACE}", "/"] }'],
      ["inner/index.js", `import "outer"; import "${"x".repeat(5000)}"; x.from"; y(", 1)`],
      [
        "inner/calls.json",
        JSON.stringify([
          { id: "1", name: "write_file", args: { path: space.path("dist/index.js"), content: "" } }
        ])
      ]
    ] as const)
      space.write(path, text)
    const { stdout } = await space.bailiwick(
      ["run", "inner/calls.json", "--personality", "inner/personality", "--workdir", "inner", "--json"],
      { load: async () => module }
    )
    expect(JSON.parse(stdout).results[0].result.error).toContain(CODE)
  })

  it("holds what a loader of TypeScript would take first", async () => {
    const loader = { "node_modules/tsx/api.mjs": { register: () => {} } }
    const space = new Workspace({ "tools/index.js": module, "more.mts": { more: tool("more") } }, loader)
    space.write("tools/index.js", 'import "./a.js"')
    space.write("node_modules/tsx/package.json", {
      exports: { "./esm/api": { require: "./x.cjs", import: { types: "./x.d.mts", default: "./api.mjs" } } }
    })
    await closed(space, "tools/a.ts", "tools/a.js", "tools/a.tsx")
    space.write("tsconfig.json", '{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }')
    space.write("more.mts", 'import "@/secret/x"')
    const { stderr } = await space.turn(["hello"])
    expect(stderr).toContain("imports '@/secret/x', which is no package here")
  })

  it("closes the folder of a module that computes what it imports, and refuses it in the root", async () => {
    const space = new Workspace({ "tools/index.js": module })
    space.write("tools/index.js", "await import(`./${name}.js`)")
    await closed(space, "tools/anything.js", "tools/deep/er.js")
    await open(space, "elsewhere.js")
    const rooted = new Workspace({ "index.js": module })
    rooted.write("index.js", "export const load = (name) => import('./plugins/' + name)")
    const { code, stderr } = await rooted.turn(["hello"])
    expect(code).toBe(2)
    expect(stderr).toContain("put it into a folder of its own")
    expect(rooted.loaded).toEqual([])
  })

  it("holds for an agent as for a personality", async () => {
    const space = new Workspace({ "tools/index.js": module })
    space.write(
      "records/agents/writer.md",
      `---\nclass: agent\ncapabilities: ["fs.write{in=${space.root}}"]\n---\nYou write.\n`
    )
    const { stdout } = await space.bailiwick(["run", "-", "--agent", "writer", "--json"], {
      stdin: JSON.stringify([
        { id: "1", name: "write_file", args: { path: space.path("tools/index.js"), content: "x" } },
        { id: "2", name: "write_file", args: { path: space.path("notes.md"), content: "x" } }
      ])
    })
    const [first, second] = JSON.parse(stdout).results
    expect(first.result.error).toContain(CODE)
    expect(second.result.ok).toBe(true)
  })
})

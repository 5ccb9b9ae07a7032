/** The package as it is installed: a worker from one file, and one from all files of a module, which sees no others. */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { root } from "../../scripts/lib/project.js"
import { afterTest } from "../cleanup.js"
import { installed } from "../installed.js"

const TOOL = `import { Network, Tool } from "bailiwick"
import { Effect, Schema } from "effect"
import { mark } from "./helper.js"
`

/** What it needs is asked of it by its own package.json. */
const GREEDY =
  '{ "name": "greedy", "main": "index.js", "dependencies": { ".": "*", "@x/..": "*", ".cache": "*" } }'

/** What lies beside it, as it sees it. */
const PLACED = `${TOOL}import "greedy"
import { existsSync, readdirSync } from "node:fs"
const beside = (name) => existsSync(new URL(name, import.meta.url))
export const shout = Tool.make({
  name: "shout", description: "Shouts", parameters: Schema.Struct({ text: Schema.String }),
  capabilities: { network: { allowedHosts: ["api.test"] } },
  execute: ({ text }) => Effect.map(Network.get("https://api.test/x"), (body) =>
    [text + mark + body, ...["./helper.js", "./node_modules/greedy/index.js", "./.env", "./other.js",
      "./node_modules/.cache/kept.json", "./node_modules/others/index.js"].map(beside)])
})`

const withoutEsbuild = pathToFileURL(join(root, "scripts/package/withoutEsbuild.mjs")).href

const files: Readonly<Record<string, string>> = {
  "package.json": '{ "type": "module" }',
  ".env": "TOKEN=s3cr3t",
  "helper.js": 'export const mark = "!"',
  "other.js": "export const other = 1",
  "plain.js": `${TOOL}export const shout = Tool.make({
  name: "shout", description: "Shouts", parameters: Schema.Struct({ text: Schema.String }),
  capabilities: { network: { allowedHosts: ["api.test"] } },
  execute: ({ text }) => Effect.map(Network.get("https://api.test/x"), (body) => text.toUpperCase() + mark + body)
})`,
  "placed.js": PLACED,
  "resolving.js": `${PLACED}\nexport const found = import.meta.resolve("greedy")`,
  "linked/package.json": '{ "name": "linked", "type": "module", "dependencies": { "greedy": "*" } }',
  "linked/helper.js": 'export const mark = "!"',
  "linked/.env": "TOKEN=s3cr3t",
  "linked/data/plain.txt": "plain",
  "linked/index.js": PLACED.replace("./other.js", "./data/plain.txt"),
  "main.js": `import * as Isolated from "bailiwick/isolated"
import { Network, Tool } from "bailiwick"
import { Effect } from "effect"
const run = (name) => Effect.scoped(Effect.gen(function* () {
  const within = name === "./linked/index.js" ? ["node_modules/linked", "linked"].map((one) => import.meta.dirname + "/" + one) : undefined
  const kit = yield* Isolated.toolkit(new URL(name, import.meta.url), { directory: process.argv[2], spares: 0, within })
  return yield* Tool.run(kit.shout, { text: "hey" }).pipe(Effect.provide(Network.mock(() => "body")))
}))
console.log(JSON.stringify(await Effect.runPromise(Effect.all(process.argv.slice(3).map((name) => run("./" + name + ".js"))))))`
}

const packages: Readonly<Record<string, string>> = {
  "greedy/package.json": GREEDY,
  "greedy/index.js": "",
  "others/index.js": "",
  ".cache/kept.json": '{ "token": "s3cr3t" }'
}

it("a module of a project runs from a snapshot; from one file where it asks where it is; and without esbuild from a pack", async () => {
  const folder = mkdtempSync(join(tmpdir(), "isolated-installed-"))
  afterTest(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  for (const [path, text] of Object.entries(packages)) {
    mkdirSync(join(folder, "node_modules", dirname(path)), { recursive: true })
    writeFileSync(join(folder, "node_modules", path), text)
  }
  symlinkSync(await installed(), join(folder, "node_modules/bailiwick"))
  symlinkSync(join(root, "node_modules/effect"), join(folder, "node_modules/effect"))
  symlinkSync("../linked", join(folder, "node_modules/linked"))
  const run = async (
    state: string,
    options: ReadonlyArray<string>,
    ...names: ReadonlyArray<string>
  ): Promise<unknown> => {
    const args = [...options, "main.js", join(folder, state), ...names]
    return JSON.parse((await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout)
  }
  const kept = (state: string) =>
    readdirSync(join(folder, state))
      .map((name) => name.slice(name.indexOf(".") + 1))
      .sort()
  const beside = ["hey!body", true, true, false, false, false, false]
  expect(await run("bundled", [], "plain", "placed", "resolving")).toEqual(["HEY!body", beside, beside])
  expect(kept("bundled")).toEqual(["blob", "cjs", "cjs", "json", "json", "json", "mjs"])
  expect(await run("loose", ["--import", withoutEsbuild], "placed", "resolving")).toEqual([beside, beside])
  const linked = ["hey!body", true, false, false, true, false, false]
  expect(await run("linked", [], "linked/index")).toEqual([linked])
  expect(await run("linkedLoose", ["--import", withoutEsbuild], "linked/index")).toEqual([linked])
  expect(kept("linkedLoose")).toEqual(["entry.mjs", "pack", "packed"])
  expect(kept("loose")).toEqual(["entry.mjs", "entry.mjs", "pack", "pack", "packed", "packed"])
})

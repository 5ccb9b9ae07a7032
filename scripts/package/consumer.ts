import { cp, mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type Finished, node, npm } from "../lib/command.js"
import { commandOf, type Manifest } from "../lib/project.js"
import { checkClusterTurn } from "./clusterTurn.js"
import { checkCommand } from "./installedCommand.js"

/** The names under which users import the package: `bailiwick`, `bailiwick/testing`, … */
const specifiersOf = ({ exports, name }: Manifest) =>
  Object.keys(exports).map((subpath) => (subpath === "." ? name : `${name}${subpath.slice(1)}`))

const isJson = (specifier: string) => specifier.endsWith(".json")

const variable = (index: number) => `module${index}`

const mustExport = "if (Object.keys(loaded).length === 0) throw new Error(name + ' exports nothing')"

const esm = (specifiers: ReadonlyArray<string>) => `
${specifiers
  .map(
    (name, index) =>
      `import * as ${variable(index)} from "${name}"${isJson(name) ? ' with { type: "json" }' : ""}`
  )
  .join("\n")}
const all = { ${specifiers.map((name, index) => `"${name}": ${variable(index)}`).join(", ")} }
for (const [name, loaded] of Object.entries(all)) ${mustExport}
`

const commonJs = (specifiers: ReadonlyArray<string>) => `
for (const name of ${JSON.stringify(specifiers)}) {
  const loaded = require(name)
  ${mustExport}
}
`

/** Whoever exports a tool, or the run of one, must be able to have its declarations written. */
const tool = `
import { Network, Secrets, Tool } from "bailiwick"
import { Effect, Schema } from "effect"
export const weather = Tool.make({
  name: "weather",
  description: "d",
  parameters: Schema.Struct({ lat: Schema.Number }),
  capabilities: { network: { allowedHosts: ["api.weather.gov", "*.github.com"] }, secrets: ["KEY"] },
  execute: ({ lat }) => Effect.zipRight(Secrets.get("KEY"), Network.get(\`https://api.weather.gov/\${lat}\`))
})
export const run = Tool.run(weather, { lat: 1 })
export const secret = Secrets.get("KEY")
export const mock = Network.mock(() => "")
export const searchOf = (hosts: ReadonlyArray<string>) =>
  Tool.make({
    name: "search",
    description: "d",
    parameters: Schema.Struct({ url: Schema.String }),
    capabilities: { network: { allowedHosts: Tool.dynamic(hosts) } },
    execute: ({ url }) => Network.get(url)
  })
`

/** A list of tools in a module of its own, which imports nothing from the package: the compiler must name them too. */
const lister = (file: string) => `
import { searchOf, weather } from "./${file}.js"
export const tools = [weather, searchOf(["a.com"])] as const
export const byName = { weather }
`

const typed = (specifiers: ReadonlyArray<string>) =>
  specifiers
    .filter((name) => !isJson(name))
    .map((name, index) => `import * as ${variable(index)} from "${name}"\nvoid ${variable(index)}\n`)
    .join("") + tool

/** The optional peer that each of these subpaths needs, and nothing else does. */
const peers: Readonly<Record<string, string>> = {
  "bailiwick/ai/effect": "@effect/ai",
  "bailiwick/adapters": "@effect/platform",
  "bailiwick/cluster": "@effect/cluster",
  "bailiwick/platform": "@effect/platform",
  "bailiwick/postgres": "@effect/sql-pg"
}

/** What touches the world is of Node's types; the rest must compile where there is no Node. */
const isForNode = (specifier: string) => /\/(?:adapters|cluster|isolated|mcp|node|postgres)$/.test(specifier)

/** Declarations are checked too: they must stand on their own, away from the settings of this repository. */
const settings = (file: string, types: ReadonlyArray<string>) => ({
  compilerOptions: {
    target: "ES2022",
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    module: "NodeNext",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types,
    declaration: true,
    outDir: "out"
  },
  files: [`${file}.ts`, `${file}-list.ts`]
})

/** Installs what package.json asks for, and runs no scripts. */
export const installed = (folder: string): Promise<Finished> =>
  npm(["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"], {
    cwd: folder
  })

/** An empty project that depends on the tarball and its peers, as a user's would. */
export const install = async (folder: string, tarball: string, { devDependencies, name }: Manifest) => {
  await mkdir(folder, { recursive: true })
  await cp(tarball, join(folder, "package.tgz"))
  const dependencies = {
    [name]: "file:package.tgz",
    effect: devDependencies.effect,
    ...Object.fromEntries(Object.values(peers).map((peer) => [peer, devDependencies[peer]])),
    "@types/node": devDependencies["@types/node"]
  }
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }))
  return installed(folder)
}

const explain = (what: string, finished: Finished): ReadonlyArray<string> =>
  finished.ok ? [] : [`${what}:\n${finished.output}`]

/** Whoever does not use a subpath does without its peer. */
const withoutPeers = async (folder: string, specifiers: ReadonlyArray<string>): Promise<Finished> => {
  for (const peer of new Set(Object.values(peers)))
    await rm(join(folder, "node_modules", peer), { recursive: true })
  await writeFile(join(folder, "without-peers.mjs"), esm(specifiers.filter((name) => !(name in peers))))
  return node(["without-peers.mjs"], { cwd: folder })
}

/** Installs the tarball into `folder`, and uses every subpath from ESM, CommonJS and TypeScript. */
export const checkConsumer = async (
  folder: string,
  tarball: string,
  manifest: Manifest
): Promise<ReadonlyArray<string>> => {
  const made = await install(folder, tarball, manifest)
  if (!made.ok) return explain("installing the tarball", made)
  const specifiers = specifiersOf(manifest)
  await writeFile(join(folder, "esm.mjs"), esm(specifiers))
  await writeFile(join(folder, "commonjs.cjs"), commonJs(specifiers))
  const anywhere = specifiers.filter((name) => !isForNode(name))
  await writeFile(join(folder, "consumer.ts"), typed(anywhere))
  await writeFile(join(folder, "consumer-list.ts"), lister("consumer"))
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings("consumer", [])))
  await writeFile(join(folder, "on-node.ts"), typed(specifiers))
  await writeFile(join(folder, "on-node-list.ts"), lister("on-node"))
  await writeFile(join(folder, "tsconfig.node.json"), JSON.stringify(settings("on-node", ["node"])))
  const typescript = (name: string, ...args: ReadonlyArray<string>) =>
    node([commandOf(name, "tsc"), ...args], { cwd: folder })
  return [
    ...explain("import of every subpath", await node(["esm.mjs"], { cwd: folder })),
    ...explain("require() of every subpath", await node(["commonjs.cjs"], { cwd: folder })),
    ...(await checkCommand(folder)),
    ...(await checkClusterTurn(folder)),
    // One on the newest compiler, which is fast, and one on the oldest.
    ...explain("compiling a consumer", await typescript("typescript7", "--singleThreaded")),
    ...explain(
      "compiling a consumer on Node",
      await typescript("typescript", "--project", "tsconfig.node.json")
    ),
    ...explain("import of the other subpaths without optional peers", await withoutPeers(folder, specifiers))
  ]
}

/**
 * The rooms of ARCHITECTURE.md are lint rules, and a rule that does not bite is a wish. Here a small copy of the
 * house is built with one violation per file, the linter walks through it with our own configuration, and every
 * violation must be found, and nothing else.
 */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { commandOf, root, scratch } from "../scripts/lib/project.js"

/** Which rooms a room may import from. The edges may import from all. */
const doors: Readonly<Record<string, ReadonlyArray<string>>> = {
  capabilities: ["policy"],
  policy: [],
  tools: ["capabilities", "policy"],
  audit: ["policy"],
  registry: ["capabilities", "policy", "tools", "audit"],
  layers: ["capabilities", "policy", "audit"],
  platform: ["capabilities", "policy", "layers"],
  postgres: ["capabilities", "policy", "audit", "layers"],
  cluster: ["capabilities", "policy", "tools", "audit", "registry", "layers", "postgres"],
  testing: [
    "capabilities",
    "policy",
    "tools",
    "audit",
    "registry",
    "layers",
    "platform",
    "lint",
    "ai",
    "mcp",
    "isolated",
    "adapters",
    "postgres",
    "cluster"
  ]
}
const edges = ["cli", "lint", "ai", "mcp", "isolated", "adapters", "page"]
const inner = Object.keys(doors)
const rooms = [...inner, ...edges]

/** Packages that some room may import, and which. */
const packages: Readonly<Record<string, ReadonlyArray<string>>> = {
  effect: inner,
  "effect/Schema": inner,
  tldts: ["policy"],
  yaml: ["policy"],
  htmlparser2: ["tools"],
  "@effect/platform": ["layers", "platform", "testing", "cluster"],
  "@effect/platform-node/NodeFileSystem": ["layers"],
  "@effect/vitest": ["testing"],
  "node:fs": ["layers"],
  "node:fs/promises": ["layers"],
  undici: ["layers"],
  "ipaddr.js": ["layers"],
  libsql: ["layers"],
  "@effect/sql": ["postgres", "cluster"],
  "@effect/sql/SqlError": ["postgres", "cluster"],
  "@effect/sql-pg": ["postgres", "cluster"],
  "@effect/cluster": ["cluster"],
  "@effect/rpc/Rpc": ["cluster"],
  "node:net": ["layers", "postgres", "cluster"],
  re2js: ["layers"],
  fs: [],
  lodash: [],
  "lodash/fp": [],
  bailiwick: [],
  "bailiwick/testing": []
}

const imports = "lint/style/noRestrictedImports"
const protocol = "lint/style/useNodejsImportProtocol"
const cycles = "lint/suspicious/noImportCycles"

interface Fixture {
  readonly path: string
  readonly source: string
  /** The rules that must complain about it. */
  readonly found: ReadonlyArray<string>
}

const importing = (specifier: string) => `import { x } from "${specifier}"\nexport const y = x\n`

const fileName = (specifier: string) => `${specifier.replace(/[^a-z]+/g, "-")}.ts`

const betweenRooms: ReadonlyArray<Fixture> = inner.flatMap((room) =>
  rooms
    .filter((other) => other !== room)
    .flatMap((other) => {
      const found = doors[room]?.includes(other) === true ? [] : [imports]
      return [
        { path: `src/${room}/to-${other}.ts`, source: importing(`../${other}/door.js`), found },
        { path: `src/${room}/nested/to-${other}.ts`, source: importing(`../../${other}/door.js`), found }
      ]
    })
)

const toPackages: ReadonlyArray<Fixture> = inner.flatMap((room) =>
  Object.entries(packages).map(([name, allowed]) => ({
    path: `src/${room}/package-${fileName(name)}`,
    source: importing(name),
    found: allowed.includes(room) ? [] : name === "fs" ? [imports, protocol] : [imports]
  }))
)

/** A linter loads it, and should not load the library for that. */
const lintStandsAlone: ReadonlyArray<Fixture> = [
  ...rooms
    .filter((other) => other !== "lint")
    .map((other) => ({
      path: `src/lint/to-${other}.ts`,
      source: importing(`../${other}/door.js`),
      found: [imports]
    })),
  { path: "src/lint/index-of-all.ts", source: importing("../index.js"), found: [imports] },
  ...["effect", "effect/Schema", "undici", "eslint", "bailiwick"].map((name) => ({
    path: `src/lint/package-${fileName(name)}`,
    source: importing(name),
    found: [imports]
  })),
  { path: "src/lint/package-node-path.ts", source: importing("node:path"), found: [] },
  { path: "src/lint/nested/own.ts", source: importing("../door.js"), found: [] }
]

/** A browser runs it: of the library it knows nothing. */
const pageStandsAlone: ReadonlyArray<Fixture> = [
  ...rooms
    .filter((other) => other !== "page")
    .map((other) => ({
      path: `src/page/to-${other}.ts`,
      source: importing(`../${other}/door.js`),
      found: [imports]
    })),
  { path: "src/page/index-of-all.ts", source: importing("../index.js"), found: [imports] },
  ...["effect", "node:path", "preact/compat", "bailiwick"].map((name) => ({
    path: `src/page/package-${fileName(name)}`,
    source: importing(name),
    found: [imports]
  })),
  ...["preact", "preact/hooks"].map((name) => ({
    path: `src/page/package-${fileName(name)}`,
    source: importing(name),
    found: []
  })),
  { path: "src/page/nested/own.tsx", source: importing("../door.js"), found: [] }
]

/** It needs no peer, but for one folder. */
const aiNeedsLittle: ReadonlyArray<Fixture> = ["src/ai", "src/ai/effect"].flatMap((folder) => {
  const up = folder === "src/ai" ? ".." : "../.."
  const open = ["capabilities", "policy", "tools", "registry"]
  const packaged = folder === "src/ai" ? ["effect"] : ["effect", "@effect/ai", "@effect/ai/Tool"]
  return [
    ...rooms
      .filter((other) => other !== "ai")
      .map((other) => ({
        path: `${folder}/to-${other}.ts`,
        source: importing(`${up}/${other}/door.js`),
        found: open.includes(other) ? [] : [imports]
      })),
    { path: `${folder}/index-of-all.ts`, source: importing(`${up}/index.js`), found: [imports] },
    ...[
      "effect",
      "@effect/ai",
      "@effect/ai/Tool",
      "@effect/ai-openai",
      "@effect/platform",
      "ai",
      "node:fs"
    ].map((name) => ({
      path: `${folder}/package-${fileName(name)}`,
      source: importing(name),
      found: packaged.includes(name) ? [] : [imports]
    }))
  ]
})

/** It speaks the protocol itself. */
const mcpNeedsLittle: ReadonlyArray<Fixture> = [
  ...rooms
    .filter((other) => other !== "mcp")
    .map((other) => ({
      path: `src/mcp/server/to-${other}.ts`,
      source: importing(`../../${other}/door.js`),
      found: ["capabilities", "policy", "tools", "registry", "layers", "ai"].includes(other) ? [] : [imports]
    })),
  { path: "src/mcp/index-of-all.ts", source: importing("../index.js"), found: [imports] },
  ...["effect", "node:stream", "node:fs/promises", "@modelcontextprotocol/sdk", "zod", "undici"].map(
    (name) => ({
      path: `src/mcp/package-${fileName(name)}`,
      source: importing(name),
      found: name === "effect" || name.startsWith("node:") ? [] : [imports]
    })
  )
]

/** On either side of a process boundary: what touches the world is in the layers. */
const isolatedNeedsLittle: ReadonlyArray<Fixture> = [
  ...rooms
    .filter((other) => other !== "isolated")
    .map((other) => ({
      path: `src/isolated/host/to-${other}.ts`,
      source: importing(`../../${other}/door.js`),
      found: ["capabilities", "policy", "tools", "registry", "layers"].includes(other) ? [] : [imports]
    })),
  { path: "src/isolated/index-of-all.ts", source: importing("../index.js"), found: [imports] },
  ...["effect", "node:stream", "esbuild", "rolldown", "@effect/rpc", "bailiwick"].map((name) => ({
    path: `src/isolated/package-${fileName(name)}`,
    source: importing(name),
    found: name === "effect" || name === "esbuild" || name.startsWith("node:") ? [] : [imports]
  }))
]

/** What it downloads goes by the network of the layers: it has none of its own. */
const adaptersHaveNoNetwork: ReadonlyArray<Fixture> = [
  ...rooms
    .filter((other) => other !== "adapters")
    .map((other) => ({
      path: `src/adapters/to-${other}.ts`,
      source: importing(`../${other}/door.js`),
      found: ["capabilities", "policy", "tools", "registry", "layers"].includes(other) ? [] : [imports]
    })),
  { path: "src/adapters/index-of-all.ts", source: importing("../index.js"), found: [imports] },
  ...["effect", "@effect/platform", "@effect/platform/HttpApp", "postal-mime", "node:crypto", "node:fs"].map(
    (name) => ({ path: `src/adapters/package-${fileName(name)}`, source: importing(name), found: [] })
  ),
  ...["undici", "node:http", "node:https", "node:net", "@effect/platform-node", "bailiwick"].map((name) => ({
    path: `src/adapters/package-${fileName(name)}`,
    source: importing(name),
    found: [imports]
  }))
]

const throughTheFrontDoor: ReadonlyArray<Fixture> = inner.flatMap((room) => [
  { path: `src/${room}/index-of-all.ts`, source: importing("../index.js"), found: [imports] },
  { path: `src/${room}/nested/index-of-all.ts`, source: importing("../../index.js"), found: [imports] }
])

const otherForms: ReadonlyArray<Fixture> = [
  {
    path: "src/policy/form-type.ts",
    source: 'import type { X } from "../tools/door.js"\nexport type Y = X\n',
    found: [imports]
  },
  { path: "src/policy/form-export.ts", source: 'export * from "../tools/door.js"\n', found: [imports] },
  {
    path: "src/policy/form-dynamic.ts",
    source: 'export const y = import("../tools/door.js")\n',
    found: [imports]
  },
  {
    path: "src/policy/form-inline.ts",
    source: 'export type Y = import("../tools/door.js").X\n',
    found: ["plugin"]
  },
  {
    path: "src/policy/form-require.ts",
    source: 'export const y = require("../tools/door.js")\n',
    found: ["lint/style/noCommonJs"]
  }
]

const startingARuntime: ReadonlyArray<Fixture> = [
  ...rooms.map((room) => ({
    path: `src/${room}/starts.ts`,
    source: 'import { Effect } from "effect"\nexport const y = Effect.runSync(Effect.void)\n',
    found: inner.includes(room) ? ["plugin"] : room === "lint" || room === "page" ? [imports] : []
  })),
  {
    path: "src/registry/starts-by-pipe.ts",
    source: 'import { Effect } from "effect"\nexport const y = Effect.void.pipe(Effect.runPromise)\n',
    found: ["plugin"]
  },
  {
    path: "src/registry/starts-renamed.ts",
    source: 'import { runFork as go } from "effect/Effect"\nexport const y = go\n',
    found: ["plugin"]
  },
  {
    path: "src/registry/starts-managed.ts",
    source:
      'import { Layer, ManagedRuntime } from "effect"\nexport const y = ManagedRuntime.make(Layer.empty)\n',
    found: ["plugin"]
  }
]

const inCircles: ReadonlyArray<Fixture> = [
  {
    path: "src/policy/a.ts",
    source: 'import { b } from "./b.js"\nexport const a = () => b\n',
    found: [cycles]
  },
  {
    path: "src/policy/b.ts",
    source: 'import { c } from "./c.js"\nexport const b = () => c\n',
    found: [cycles]
  },
  {
    path: "src/policy/c.ts",
    source: 'import { a } from "./a.js"\nexport const c = () => a\n',
    found: [cycles]
  },
  {
    path: "src/tools/A.ts",
    source: 'import type { B } from "./B.js"\nexport type A = B | 1\n',
    found: [cycles]
  },
  {
    path: "src/tools/B.ts",
    source: 'import type { A } from "./A.js"\nexport type B = A | 2\n',
    found: [cycles]
  }
]

const outside: ReadonlyArray<Fixture> = [
  { path: "examples/inside.ts", source: importing("../src/policy/door.js"), found: [imports] },
  { path: "examples/outside.ts", source: importing("bailiwick"), found: [] },
  { path: "test/inside.ts", source: importing("../src/policy/door.js"), found: [] }
]

const doorways: ReadonlyArray<Fixture> = ["src", ...rooms.map((room) => `src/${room}`)].map((folder) => ({
  path: `${folder}/${folder === "src" ? "index" : "door"}.ts`,
  source: "export const x = 1\nexport type X = 1\n",
  found: []
}))

const groups: Readonly<Record<string, ReadonlyArray<Fixture>>> = {
  "from room to room": betweenRooms,
  "from a room to a package": toPackages,
  "from lint to anything": lintStandsAlone,
  "from page to anything": pageStandsAlone,
  "from ai to anything": aiNeedsLittle,
  "from mcp to anything": mcpNeedsLittle,
  "from isolated to anything": isolatedNeedsLittle,
  "from adapters to anything": adaptersHaveNoNetwork,
  "from a room to the index of all": throughTheFrontDoor,
  "in every form an import can take": otherForms,
  "that starts a runtime in a room": startingARuntime,
  "that runs in circles": inCircles,
  "from outside src": outside,
  "of nothing": doorways
}
const fixtures = Object.values(groups).flat()

interface Report {
  readonly diagnostics: ReadonlyArray<{
    readonly category: string
    readonly location: { readonly path: string }
  }>
}

const lint = (folder: string): Report => {
  const biome = commandOf("@biomejs/biome", "biome")
  const args = [biome, "lint", "--reporter=json", "--max-diagnostics=none", "--diagnostic-level=error", "."]
  try {
    return JSON.parse(execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", stdio: "pipe" }))
  } catch (error) {
    // The linter found something, as it should, and exits with 1.
    return JSON.parse((error as { readonly stdout: string }).stdout)
  }
}

describe("the linter", () => {
  let folder = ""
  const found = new Map<string, Array<string>>()

  beforeAll(() => {
    mkdirSync(scratch, { recursive: true })
    folder = mkdtempSync(join(scratch, "rooms-"))
    cpSync(join(root, "biome.jsonc"), join(folder, "biome.jsonc"))
    cpSync(join(root, "scripts/rules"), join(folder, "scripts/rules"), { recursive: true })
    for (const { path, source } of fixtures) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), source)
    }
    for (const { category, location } of lint(folder).diagnostics) {
      found.set(location.path, [...(found.get(location.path) ?? []), category])
    }
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  for (const [name, group] of Object.entries(groups)) {
    it(`finds every forbidden import, and only those: ${name}`, () => {
      const actual = group.map(({ path }) => [path, [...(found.get(path) ?? [])].sort()])
      expect(actual).toEqual(group.map((fixture) => [fixture.path, [...fixture.found].sort()]))
    })
  }
})

it("src holds rooms that the rules know, and one index", () => {
  const entries = readdirSync(join(root, "src"), { withFileTypes: true })
  const unknown = entries.filter((entry) =>
    entry.isDirectory() ? !rooms.includes(entry.name) : entry.name !== "index.ts"
  )
  expect(unknown.map((entry) => entry.name)).toEqual([])
})

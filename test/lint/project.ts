/** A small project: which of its files are tool files, and what those reach through others. */

export const files: Readonly<Record<string, string>> = {
  // Makes a tool, and is a tool file for that.
  "src/weather.ts": `import { Tool } from "bailiwick"
import { get } from "./lib/http.js"
import type { Setting } from "./lib/settings.js"
import { pure } from "./lib/pure"
export const weather = Tool.make({ name: "weather", execute: () => [get, pure] })
export type S = Setting
`,
  "src/lib/http.ts": `import { key } from "./deep/index.js"
export const pure = 1

export const get = () => fetch("https://x.org", { headers: { key } })
`,
  "src/lib/deep/index.ts": `import { get } from "../http.js"
export * from "./more.mjs"
export const key = process.env.KEY
export const again = get
`,
  "src/lib/deep/more.mts": `export const more = 1\n`,
  "src/lib/settings.ts": `export type Setting = string\nexport const settings = process.env\n`,
  "src/lib/pure.ts": `import { join } from "node:path"\nexport const pure = join("a", "b")\n`,
  // The same file through a re-export, a dynamic import, and an import with an equals sign.
  "src/tools/forms.ts": `export { key } from "../lib/deep/index.js"
export const later = () => import("../lib/settings")
`,
  "src/tools/equals.cts": `import settings = require("../lib/settings")\nexport = settings\n`,
  "src/tools/view.tsx": `export const View = () => <div onClick={() => fetch("x")} {...globalThis}>{process.env.X}</div>\n`,
  // Tool files that import one another say each thing once.
  "src/tools/index.ts": `export * from "./bare.js"\nexport * from "../weather.js"\n`,
  "src/tools/bare.ts": `import { readFileSync } from "fs"\nexport const bare = readFileSync\n`,
  // A helper with a mistake in it cannot be looked at.
  "src/tools/broken.ts": `import { x } from "../lib/broken.js"\nexport const broken = x\n`,
  "src/lib/broken.ts": `export const x = = 1\n`,
  // By a name that package.json gives.
  "package.json": JSON.stringify({
    type: "module",
    imports: {
      "#lib/*.js": { types: "./nowhere/*.d.ts", default: "./src/lib/*.js" },
      "#pure": "./src/lib/pure.js"
    }
  }),
  "src/tools/named.ts": `import "#pure"\nimport "#unknown"\nimport { settings } from "#lib/settings.js"\nexport const named = settings\n`,
  // The bridge counts wherever on the way it is.
  "src/tools/client.ts": `import { bridged } from "../lib/bridged.js"\nimport { HttpClient } from "@effect/platform"\nexport const client = [HttpClient, bridged]\n`,
  "src/lib/bridged.ts": `import { layerHttpClient } from "bailiwick/platform"\nimport { FileSystem } from "@effect/platform"\nexport const bridged = [layerHttpClient, FileSystem]\n`,
  // No tool files: another Tool, a type, a test, and a program that runs tools.
  "src/other.ts": `import { Tool } from "./lib/tool.js"\nTool.make(fetch)\n`,
  "src/lib/tool.ts": `export const Tool = { make: (x: unknown) => x }\n`,
  "src/typed.ts": `import type { Tool } from "bailiwick"\nexport type T = Tool.Any\nfetch("x")\n`,
  "src/tools/weather.test.ts": `import { readFileSync } from "node:fs"\nexport const x = readFileSync\n`,
  "src/main.ts": `import { Registry } from "bailiwick"\nimport { NodeFiles } from "bailiwick/node"\nexport const main = [Registry, NodeFiles, process.env]\n`
}

/** By file: the line, and the beginning of the message. */
export const expected: Readonly<Record<string, ReadonlyArray<string>>> = {
  "src/weather.ts": [
    "2: './lib/http.js' leads to 'fetch' (src/lib/http.ts:4), which goes around what the tool declares. Use Network",
    "2: './lib/http.js' leads to 'process.env' (src/lib/deep/index.ts:3), which goes around what the tool declares. Use Secrets"
  ],
  "src/tools/forms.ts": [
    "1: '../lib/deep/index.js' leads to 'process.env' (src/lib/deep/index.ts:3)",
    "1: '../lib/deep/index.js' leads to 'fetch' (src/lib/http.ts:4)",
    "2: '../lib/settings' leads to 'process.env' (src/lib/settings.ts:2)"
  ],
  "src/tools/equals.cts": ["1: '../lib/settings' leads to 'process.env' (src/lib/settings.ts:2)"],
  "src/tools/view.tsx": [
    "1: 'fetch' goes around what the tool declares. Use Network",
    "1: 'globalThis' goes around what the tool declares. Name the member",
    "1: 'process.env' goes around what the tool declares. Use Secrets"
  ],
  "src/tools/bare.ts": ["1: 'fs' goes around what the tool declares. Use Files"],
  "src/tools/named.ts": ["3: '#lib/settings.js' leads to 'process.env' (src/lib/settings.ts:2)"],
  "src/tools/broken.ts": ["1: '../lib/broken.js' leads to src/lib/broken.ts, which could not be looked at: "]
}

/** What the rule is told by its options, and what must never stop it. */
import { readFileSync } from "node:fs"
import { builtinModules } from "node:module"
import { join } from "node:path"
import plugin from "bailiwick/eslint-plugin"
import type { ESLint, Linter } from "eslint"
import type { ESLint as ESLint10, Linter as Linter10 } from "eslint10"
import { parseSync } from "oxc-parser"
import { describe, expect, it } from "vitest"
import { filesUnder, readManifest, root } from "../../scripts/lib/project.js"
import { effectExports } from "../../src/lint/tables/EffectModules.js"
import { harmless, inPart, touching } from "../../src/lint/tables/NodeModules.js"

const rule = plugin.rules["no-ambient-authority"]

/** As an engine would that has a parser of its own: the messages, without the sentence on what to use instead. */
const lint = (
  code: string,
  options: object = {},
  filename = join(root, "tools/a.ts")
): ReadonlyArray<string> => {
  const messages: Array<string> = []
  const visitor = rule.create({
    options: [options],
    cwd: root,
    filename,
    sourceCode: { text: code },
    report: ({ data, messageId }) =>
      messages.push(
        (rule.meta.messages[messageId] ?? "").replace(/\{\{(\w+)\}\}/g, (_, key) => data[key] ?? "")
      )
  })
  visitor.Program?.(parseSync(filename, code).program)
  return messages.map((message) => message.replace(/ goes around.*| \(.*/, ""))
}

describe("tool files", () => {
  const makes = `import { Tool } from "bailiwick"\nTool.make({})\nfetch("x")`

  it.each([
    ["under a folder tools", "src/tools/deep/a.ts", "fetch('x')"],
    ["under a folder tools at the top", "tools/a.mjs", "fetch('x')"],
    ["that make a tool", "src/a.ts", makes],
    ["that make an exact tool", "src/a.ts", `import { Tool as T } from "bailiwick"\nT.exact({})\nfetch("x")`],
    [
      "that make one by the namespace",
      "src/a.ts",
      `import * as B from "bailiwick"\nB.Tool.make({})\nfetch("x")`
    ],
    ["that take make out", "src/a.ts", `import { Tool } from "bailiwick"\nconst { make } = Tool\nfetch("x")`]
  ])("are those %s", (_, path, code) => {
    expect(lint(code, {}, join(root, path))).toEqual(["'fetch'"])
  })

  it.each([
    ["elsewhere", "src/a.ts", "fetch('x')"],
    ["where the project itself is below a folder tools", "../a.ts", "fetch('x')"],
    ["that use a tool", "src/a.ts", `import { Tool } from "bailiwick"\nTool.run(x)\nfetch("x")`],
    [
      "with another Tool",
      "src/a.ts",
      `import { Tool } from "other" // not bailiwick\nTool.make()\nfetch("x")`
    ],
    [
      "with a Tool that is shadowed",
      "src/a.ts",
      `import { Tool } from "bailiwick"\n{ const Tool = o; Tool.make() }\nfetch("x")`
    ],
    ["with tests", "src/tools/a.spec.tsx", makes],
    ["of packages", "node_modules/x/tools/a.js", makes],
    ["with declarations", "src/tools/a.d.ts", "declare const x: typeof fetch"]
  ])("are not those %s", (_, path, code) => {
    expect(lint(code, {}, join(root, path))).toEqual([])
  })

  it("are those that configuration names, but for tests", () => {
    const files = ["src/{agents,bots}/**/*.ts"]
    expect(lint("fetch('x')", { files }, join(root, "src/bots/x/a.ts"))).toEqual(["'fetch'"])
    expect(lint("fetch('x')", { files }, join(root, "src/agents/a.ts"))).toEqual(["'fetch'"])
    expect(lint("fetch('x')", { files }, join(root, "src/others/a.ts"))).toEqual([])
    expect(lint("fetch('x')", { files }, join(root, "src/bots/a.test.ts"))).toEqual([])
  })

  it("are not those that configuration takes out, whatever they make", () => {
    const files = ["!tools/build/*.ts", "!src/a.ts"]
    expect(lint("fetch('x')", { files }, join(root, "tools/build/a.ts"))).toEqual([])
    expect(lint("fetch('x')", { files }, join(root, "tools/a.ts"))).toEqual(["'fetch'"])
    expect(lint(makes, { files }, join(root, "src/a.ts"))).toEqual([])
  })
})

describe("the option allow", () => {
  it("takes the names that messages have in quotes, with node: or without", () => {
    const code = `import os from "node:os"\nimport { Config } from "effect"\nprocess.cwd()\nfetch("x")`
    expect(lint(code)).toEqual(["'node:os'", "'effect/Config'", "'process.cwd'", "'fetch'"])
    expect(lint(code, { allow: ["os", "effect/Config", "process.cwd"] })).toEqual(["'fetch'"])
  })
})

describe("helpers", () => {
  const path = join(root, "examples/tools/a.ts")

  it("are followed by any form of import, unless configuration says otherwise", () => {
    const code = `export * from "../tour/workspace.js"`
    const found = ["node:fs/promises", "node:http", "node:os"]
    expect(lint(code, {}, path)).toEqual(found.map((what) => `'../tour/workspace.js' leads to '${what}'`))
    expect(lint(code, { allow: ["node:os", "http"] }, path)).toHaveLength(1)
    expect(lint(code, { followImports: false }, path)).toEqual([])
  })

  it("that are not there, and types, are left to the compiler", () => {
    expect(
      lint(`import "./nowhere.js"\nimport x from "./data.json"\nimport "./style.css"`, {}, path)
    ).toEqual([])
    expect(lint(`import type { x } from "../tour/workspace.js"`, {}, path)).toEqual([])
    expect(lint(`export { type x } from "../tour/workspace.js"`, {}, path)).toEqual([])
  })

  it("are not followed from text that is no file", () => {
    expect(lint(`import "./examples/tour/workspace.js"`, { files: ["**"] }, "<input>")).toEqual([])
  })
})

describe("the tables", () => {
  it("know every module of this Node", () => {
    const known = new Set([...touching.keys(), ...harmless.keys(), ...inPart])
    expect(
      builtinModules.map((name) => name.replace(/^node:/, "")).filter((name) => !known.has(name))
    ).toEqual([])
  })
})

it("knows every backend that the package exports", async () => {
  const exported = Object.keys(await import("bailiwick")).filter((name) => name.endsWith("Backend"))
  expect([...(effectExports.get("bailiwick")?.keys() ?? [])].sort()).toEqual(exported.sort())
})

describe("whatever it is given", () => {
  it("reads every source of this repository", () => {
    const files = ["src", "test/lint", "examples"].flatMap(filesUnder).filter((file) => /\.ts$/.test(file))
    const options = { files: ["**"], followImports: false }
    for (const file of files) lint(readFileSync(join(root, file), "utf8"), options, join(root, file))
    expect(files.length).toBeGreaterThan(300)
  })

  it.each([
    [
      "texts that double",
      `const s0 = "x"\n${Array.from({ length: 99 }, (_, i) => `const s${i + 1} = s${i} + s${i}`).join("\n")}\nglobalThis[s99]`,
      1
    ],
    [
      "aliases that branch",
      `${Array.from({ length: 99 }, (_, i) => `const a${i} = a${i + 1} || a${i + 1}`).join("\n")}\nconst a99 = globalThis\na0.fetch()`,
      1
    ],
    ["a long chain", `fetch()${".then(x)".repeat(3000)}`, 1],
    ["a deep member", `globalThis.fetch${".a".repeat(3000)}`, 1],
    ["a long sum", `x(${Array.from({ length: 5000 }, () => '"a"').join(" + ")})`, 0],
    ["names in a circle", "const a = b\nvar b = a\nlet c = c\na.fetch()", 0]
  ])("ends soon: %s", (_, code, found) => {
    expect(lint(code)).toHaveLength(found)
  })

  it("is not stopped by syntax that it does not know", () => {
    const visitor = rule.create({
      options: [],
      cwd: root,
      filename: join(root, "tools/a.ts"),
      sourceCode: { text: "" },
      report: () => {}
    })
    const odd = {
      type: "Program",
      body: [
        null,
        1,
        { type: "New" },
        { type: "Identifier" },
        { type: "CallExpression" },
        { type: "MemberExpression", computed: true }
      ]
    }
    expect(() => visitor.Program?.(odd)).not.toThrow()
  })
})

it("is a plugin as ESLint's types have it, with the version of the package", () => {
  const typed: ESLint.Plugin & ESLint10.Plugin = plugin
  const configs: ReadonlyArray<Linter.Config & Linter10.Config> = [plugin.configs.recommended]
  expect(configs).toHaveLength(1)
  expect(typed.meta).toEqual({ name: "bailiwick", version: readManifest(root).version })
  expect(plugin.configs.recommended.plugins).toHaveProperty("bailiwick")
})

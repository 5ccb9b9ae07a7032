/** What goes into the tarball, and the checks of it and of the lock file that are our own. */
import { SourceMap } from "node:module"
import ts from "typescript"
import { describe, expect, it } from "vitest"
import { checkContents } from "../scripts/package/contents.js"
import { publishedDeclarations } from "../scripts/package/library/declarations.js"
import { mapOfNames } from "../scripts/package/library/map.js"
import { filesNamed } from "../scripts/package/library/named.js"
import { checkLockfile } from "../scripts/package/lockfile.js"
import { checkSize } from "../scripts/package/size.js"

const complete = [
  "package.json",
  "LICENSE",
  "README.md",
  "dist/index.js",
  "dist/index.d.ts",
  "dist/index.d.ts.map",
  "dist/index.source.ts"
]

it("a complete tarball is left alone", () => {
  expect(checkContents(complete, ["./dist/index.js"])).toEqual([])
})

it("what is missing is named, and so is what the exports map promises", () => {
  const paths = complete.filter((path) => path !== "LICENSE")
  expect(checkContents(paths, ["./dist/testing/index.js"])).toEqual([
    "the tarball lacks LICENSE",
    "the tarball lacks dist/testing/index.js"
  ])
})

it("a map that leads to no source is named", () => {
  expect(checkContents([...complete, "dist/tools/Tool.d.ts.map"], [])).toEqual([
    "the tarball lacks dist/tools/Tool.source.ts"
  ])
})

it("tests, temporary files and strangers are named", () => {
  const strangers = [
    "dist/policy/a.test.js",
    "dist/.tmp.js",
    "dist/index.js.map",
    "dist/cli/program.cache",
    "src/index.ts",
    "test/a.ts",
    "dist/a.tsbuildinfo"
  ]
  expect(checkContents([...complete, ...strangers], [])).toEqual(
    strangers.map((path) => `the tarball must not hold ${path}`)
  )
})

it("a tarball over a megabyte is refused", () => {
  expect(checkSize(1_000_000)).toEqual([])
  expect(checkSize(1_000_001)).toEqual(["the tarball has 1,000,001 bytes; at most are 1,000,000"])
})

describe("the published declarations", () => {
  const module = (source: string, declaration = source) => ({
    source,
    declaration: `${declaration}\n//# sourceMappingURL=x.d.ts.map`,
    map: '{"version":3,"sources":["../../src/x.ts"],"mappings":"AAAA"}'
  })
  const modules = new Map([
    ["index", module('export * as Tool from "./tools/Tool.js"')],
    ["tools/Tool", module('import { a } from "../a.js"', 'export declare const x: import("../b.js").B')],
    ["a", module('import "./hidden.js"', "export declare const a: 1")],
    ["b", module("export interface B {}")],
    ["hidden", module("export {}")]
  ])
  const files = publishedDeclarations(modules, ["index"], new Set(["index", "tools/Tool"]))

  it("are those that can be named, with their sources, and what these mention", () => {
    expect([...files.keys()].sort()).toEqual([
      "a.d.ts",
      "b.d.ts",
      "index.d.ts",
      "index.d.ts.map",
      "index.source.ts",
      "tools/Tool.d.ts",
      "tools/Tool.d.ts.map",
      "tools/Tool.source.ts"
    ])
  })

  it("lead to a source where there is one", () => {
    expect(JSON.parse(files.get("tools/Tool.d.ts.map") ?? "").sources).toEqual(["Tool.source.ts"])
    expect(files.get("tools/Tool.d.ts")).toContain("sourceMappingURL")
    expect(files.get("b.d.ts")).toBe("export interface B {}\n")
  })
})

it("a map leads from what is declared to where the map of the compiler leads, and from little else", () => {
  const source = `/** What it is given. */
export interface Options {
  readonly name: string
  /** How. */
  run?(this: void, input: string): Promise<ReadonlyArray<string>>
}

export const make = (options: Options): Thing => new Thing(options.name)
export class Thing { static of(name: string): Thing { return make({ name }) } constructor(readonly name: string) {} }
`
  const { outputText: declaration, sourceMapText: whole = "" } = ts.transpileDeclaration(source, {
    fileName: "x.ts",
    compilerOptions: { declarationMap: true }
  })
  const names = mapOfNames(whole, declaration, "x.source.ts")
  const lines = declaration.split("\n")
  const led = (map: string, [before, name]: readonly [string, string]): string | undefined => {
    const line = lines.findIndex((text) => text.includes(before + name))
    const column = (lines[line]?.indexOf(before + name) ?? 0) + before.length
    const entry = new SourceMap(JSON.parse(map)).findEntry(line, column)
    if (!("originalLine" in entry) || entry.generatedColumn !== column) return undefined
    return source.split("\n")[entry.originalLine]?.slice(entry.originalColumn)
  }
  for (const [before, name] of [
    ["interface ", "Options"],
    ["readonly ", "name"],
    ["    ", "run"],
    ["const ", "make"],
    ["class ", "Thing"],
    ["static ", "of"]
  ] as const) {
    expect(led(names, [before, name])).toMatch(new RegExp(`^${name}\\b`))
    expect(led(names, [before, name])).toBe(led(whole, [before, name]))
  }
  expect(JSON.parse(names)).toMatchObject({ file: "x.d.ts", sources: ["x.source.ts"] })
  expect(names.length).toBeLessThan((whole.length * 2) / 3)
})

it("what users can name is declared where it is exported, passed on, or a member of a namespace", () => {
  const texts = new Map([
    ["/index.ts", 'export * as Space from "./space.js"\nexport { passed } from "./through.js"'],
    ["/space.ts", 'import { kept } from "./kept.js"\nexport { kept }\nexport const own = kept'],
    ["/kept.ts", 'import { helper } from "./helper.js"\nexport const kept = helper'],
    ["/helper.ts", "export const helper = 1"],
    ["/through.ts", 'export * from "./end.js"'],
    ["/end.ts", "export const passed = 1"]
  ])
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost({}),
    fileExists: (path) => texts.has(path),
    readFile: (path) => texts.get(path),
    getSourceFile: (path) => {
      const text = texts.get(path)
      return text === undefined ? undefined : ts.createSourceFile(path, text, ts.ScriptTarget.ES2022)
    },
    getCurrentDirectory: () => "/"
  }
  const options = {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    noLib: true
  }
  const program = ts.createProgram(["/index.ts"], options, host)
  expect([...filesNamed(program, ["/index.ts"])].sort()).toEqual([
    "/end.ts",
    "/index.ts",
    "/kept.ts",
    "/space.ts"
  ])
})

const lock = (entry: object) =>
  JSON.stringify({ packages: { "node_modules/x": { version: "1.0.0", ...entry } } })

it("a lock file with an address is refused", () => {
  expect(checkLockfile(lock({}))).toEqual([])
  expect(checkLockfile(lock({ resolved: "https://registry.example/x.tgz" }))).toEqual([
    "package-lock.json has an address for node_modules/x"
  ])
})

it("a lock file that lacks a package of another platform is refused", () => {
  expect(checkLockfile(lock({ optionalDependencies: { "@x/darwin": "1.0.0", x: "1.0.0" } }))).toEqual([
    "package-lock.json lacks @x/darwin, which node_modules/x may need on another platform"
  ])
})

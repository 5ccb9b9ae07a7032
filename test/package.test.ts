/** What goes into the tarball, and the checks of it and of the lock file that are our own. */
import { SourceMap } from "node:module"
import ts from "typescript"
import { describe, expect, it } from "vitest"
import { checkAnywhere } from "../scripts/package/anywhere.js"
import { checkContents } from "../scripts/package/contents.js"
import { publishedDeclarations } from "../scripts/package/library/declarations.js"
import { edited } from "../scripts/package/library/edit.js"
import { mapOfNames } from "../scripts/package/library/map.js"
import { filesNamed } from "../scripts/package/library/named.js"
import { checkLockfile } from "../scripts/package/lockfile.js"
import { checkSize, sizeInWords } from "../scripts/package/size.js"

const complete = [
  "package.json",
  "LICENSE",
  "README.md",
  "dist/index.js",
  "dist/types/index.d.ts",
  "dist/types/index.d.ts.map",
  "dist/types/index.source.ts"
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
  expect(checkContents([...complete, "dist/types/tools-Tool.d.ts.map"], [])).toEqual([
    "the tarball lacks dist/types/tools-Tool.source.ts"
  ])
})

it("tests, temporary files and strangers are named", () => {
  const strangers = [
    "dist/policy/a.test.js",
    "dist/.tmp.js",
    "dist/index.js.map",
    "dist/index.d.ts",
    "dist/types/tools/Tool.d.ts",
    "dist/cli/program.cache",
    "src/index.ts",
    "test/a.ts",
    "dist/a.tsbuildinfo"
  ]
  expect(checkContents([...complete, ...strangers], [])).toEqual(
    strangers.map((path) => `the tarball must not hold ${path}`)
  )
})

it("a tarball over a mebibyte is refused", () => {
  expect(checkSize(1_048_576)).toEqual([])
  expect(checkSize(1_048_577)).toEqual(["the tarball has 1,048,577 bytes; at most are 1,048,576"])
})

it("the step says how much room is left", () => {
  expect(sizeInWords(893_240)).toBe("893,240 of 1,048,576 bytes")
})

it("what touches nothing of the world loads nothing of Node, not by way of another module either", () => {
  const texts = new Map([
    ["dist/index.js", 'import{a}from"./chunks/a.js";import*as e from"effect/Effect"'],
    ["dist/ai/index.js", 'import{b}from"../chunks/b.js"'],
    ["dist/chunks/a.js", 'import{b}from"./b.js"'],
    ["dist/chunks/b.js", 'import"node:module"'],
    ["dist/layers/node/index.js", 'import"node:fs"']
  ])
  const check = (...paths: ReadonlyArray<string>) => checkAnywhere(paths, (path) => texts.get(path) ?? "")
  expect(check("dist/index.js", "dist/layers/node/index.js", "dist/types/index.d.ts")).toEqual([
    "dist/index.js loads node:module, in dist/chunks/b.js"
  ])
  expect(check("dist/ai/index.js")).toEqual(["dist/ai/index.js loads node:module, in dist/chunks/b.js"])
  texts.set("dist/chunks/b.js", "")
  expect(check("dist/index.js", "dist/ai/index.js")).toEqual([])
})

describe("the published declarations", () => {
  const module = (source: string, declaration = source) => ({
    source,
    declaration: `${declaration}\n//# sourceMappingURL=x.d.ts.map`,
    map: '{"version":3,"sources":["../../src/x.ts"],"mappings":"AAAA"}'
  })
  const published = (
    modules: Readonly<Record<string, ReturnType<typeof module>>>,
    used: ReadonlyArray<string> = ["index", "tools/Tool"],
    typesAlone: ReadonlyArray<string> = []
  ) =>
    publishedDeclarations(new Map(Object.entries(modules)), {
      used: new Set(used),
      typesAlone: new Set(typesAlone)
    })

  const files = published({
    index: module('export * as Tool from "./tools/Tool.js"'),
    "tools/Tool": module(
      'import { a } from "../a.js"\nexport const x = a',
      'export declare const x: import("../deep/b.js").B;'
    ),
    a: module('import "./hidden.js"', "/** Nobody sees it. */\nexport declare const a: 1;"),
    "deep/b": module("export interface B {\n    readonly of: 1;\n}"),
    hidden: module("export {}")
  })

  it("are those that can be named, with their sources, and what these mention", () => {
    expect([...files.keys()].sort()).toEqual([
      "a.d.ts",
      "deep-b.d.ts",
      "index.d.ts",
      "index.d.ts.map",
      "index.source.ts",
      "tools-Tool.d.ts",
      "tools-Tool.d.ts.map",
      "tools-Tool.source.ts"
    ])
  })

  it("lead to a source where there is one", () => {
    expect(JSON.parse(files.get("tools-Tool.d.ts.map") ?? "")).toMatchObject({
      file: "tools-Tool.d.ts",
      sources: ["tools-Tool.source.ts"]
    })
    expect(files.get("tools-Tool.d.ts")).toMatch(/^\/\/# sourceMappingURL=tools-Tool\.d\.ts\.map$/m)
    expect(files.get("a.d.ts")).toBe("export declare const a: 1\n")
  })

  it("find one another under the names that they are published by", () => {
    expect(files.get("index.d.ts")).toContain('export * as Tool from "./tools-Tool.js"')
    expect(files.get("tools-Tool.source.ts")).toContain('import { a } from "./a.js"')
    expect(files.get("tools-Tool.d.ts")).toContain('x: import("./deep-b.js").B\n')
  })

  it("are written as the sources are", () => {
    expect(files.get("deep-b.d.ts")).toBe("export interface B {\n  readonly of: 1\n}\n")
  })

  it("keep the blanks and semicolons that belong to a text", () => {
    const text = "export declare const a: `x;\n    y`;\n/**\n *     b;\n */\nexport declare const c: 1;"
    expect(published({ index: module(text) }, ["index"]).get("index.d.ts")).toContain(
      "export declare const a: `x;\n    y`\n/**\n *     b;\n */\nexport declare const c: 1\n"
    )
  })

  it("that would say something else without a semicolon are refused", () => {
    const text = "export declare class A {\n    get;\n    b: 1;\n}"
    expect(() => published({ index: module(text) }, ["index"])).toThrow("index declares something else")
  })

  it("of a module of which users can name types alone say what its source does", () => {
    const types = "/** What it is given. */\nexport interface Options {\n  readonly name: string\n}\n"
    const found = published(
      {
        index: module('export { type Options } from "./a.js"'),
        a: module(
          `import { b } from "./b.js"\n${types}export const run = (options: Options) => b(options)\n`,
          `${types}export declare const run: (options: Options) => void;\nexport {};`
        ),
        b: module("export const b = console.log")
      },
      ["index"],
      ["a"]
    )
    expect([...found.keys()].sort()).toEqual(["a.d.ts", "index.d.ts", "index.d.ts.map", "index.source.ts"])
    expect(found.get("a.d.ts")).toBe(`${types}export {}\n`)
  })

  describe("of a module that no user can name", () => {
    const restOf = (declaration: string, taken: string, more: Parameters<typeof published>[0] = {}) =>
      published({ index: module(taken), "deep/rest": module("", declaration), ...more }, ["index"])

    it("have what is mentioned, and what that mentions in turn", () => {
      const found = restOf(
        `interface Shape extends Base {}
interface Base {}
interface Unused extends Base {}
export declare const a: (shape: Shape) => void;
export declare const b: Unused;
export {};`,
        'import { a } from "./deep/rest.js"\nexport const x = a'
      )
      expect(found.get("deep-rest.d.ts")).toBe(`interface Shape extends Base {}
interface Base {}
export declare const a: (shape: Shape) => void
export {}
`)
    })

    it("import no more than they use", () => {
      const found = restOf(
        `import { Effect, Option } from "effect";
import { type Far, type Other } from "../far.js";
import * as Whole from "../whole.js";
import * as Asked from "../asked.js";
export declare const a: (far: Far, of: Asked.Member) => Effect.Effect<void>;
export declare const b: (other: Other, whole: Whole.Member) => Option.Option<1>;`,
        'import { a } from "./deep/rest.js"\nexport const x = a',
        {
          far: module("", "export interface Far {}\nexport interface Other {}"),
          whole: module("", "export interface Member {}"),
          asked: module("", "export interface Member {}\nexport interface Never {}")
        }
      )
      expect(found.get("deep-rest.d.ts")).toBe(`import { Effect } from "effect"
import { type Far } from "./far.js"
import * as Asked from "./asked.js"
export declare const a: (far: Far, of: Asked.Member) => Effect.Effect<void>
`)
      expect(found.get("far.d.ts")).toBe("export interface Far {}\n")
      expect(found.get("asked.d.ts")).toBe("export interface Member {}\n")
      expect(found.has("whole.d.ts")).toBe(false)
    })

    it("pass on what is taken through them, and all of it where all is taken", () => {
      const rest = `export { a, b as c } from "../far.js";
export * from "../more.js";
export * from "../other.js";
export * as Space from "../other.js";
declare const own: 1, other: 2;
export { own as mine };
export { other };`
      const more = {
        far: module("", "export declare const a: 1;\nexport declare const b: 2;"),
        more: module("", "export declare const d: 1;\nexport declare const e: 2;"),
        other: module("", "export declare const f: 1;")
      }
      const some = restOf(rest, 'import { c, d, mine } from "./deep/rest.js"', more)
      expect(some.get("deep-rest.d.ts")).toBe(`export { b as c } from "./far.js"
export * from "./more.js"
declare const own: 1, other: 2
export { own as mine }
`)
      expect(some.get("far.d.ts")).toBe("export declare const b: 2\n")
      expect(some.get("more.d.ts")).toBe("export declare const d: 1\n")
      expect(some.has("other.d.ts")).toBe(false)
      const all = restOf(rest, 'const rest = await import("./deep/rest.js")', more)
      expect([...all.keys()]).toEqual(expect.arrayContaining(["far.d.ts", "more.d.ts", "other.d.ts"]))
      expect(all.get("deep-rest.d.ts")?.split("\n")).toHaveLength(8)
    })

    describe("and that lie in one folder", () => {
      const inFolder = (texts: Readonly<Record<string, string>>, source: string) =>
        published(
          {
            index: module(source, ""),
            ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, module("", text)]))
          },
          ["index"]
        )

      it("stand in one file, which imports once what they import", () => {
        const found = inFolder(
          {
            "deep/a": `import { Effect, Option } from "effect";
import type { B } from "./b.js";
import { far as near } from "../far.js";
export declare const a: (b: B) => Effect.Effect<typeof near>;`,
            "deep/b": `import { Effect } from "effect";
import * as Whole from "../whole.js";
export interface B {
    effect: Effect.Effect<Whole.Member>;
}`,
            far: "export declare const far: 1;",
            whole: "export interface Member {}"
          },
          'import { a } from "./deep/a.js"\nimport { type B } from "./deep/b.js"'
        )
        expect(found.get("deep-private.d.ts")).toBe(`import * as Whole from "./whole.js"
import { Effect } from "effect"
import { far as near } from "./far.js"
export declare const a: (b: B) => Effect.Effect<typeof near>
export interface B {
  effect: Effect.Effect<Whole.Member>
}
`)
        expect(found.get("index.source.ts")).toBe(
          'import { a } from "./deep-private.js"\nimport { type B } from "./deep-private.js"'
        )
        expect([...found.keys()]).not.toContain("deep-a.d.ts")
      })

      it.each([
        ["declare different things by one name", "interface Of { a: 1 }", "interface Of { b: 1 }"],
        [
          "import different things by one name",
          'import { Of } from "effect";',
          'import { type Other as Of } from "effect";'
        ],
        ["call their own what to others is of the language", "interface Of {}", ""]
      ])("stand apart if they %s", (_, first, second) => {
        const found = inFolder(
          { a: `${first}\nexport declare const a: Of;`, b: `${second}\nexport declare const b: Of;` },
          'import { a } from "./a.js"\nimport { b } from "./b.js"'
        )
        expect([...found.keys()].filter((path) => path.endsWith(".d.ts"))).toEqual([
          "index.d.ts",
          "a.d.ts",
          "b.d.ts"
        ])
      })

      it.each([
        ["as a namespace", 'import * as A from "./a.js"\nA.a()'],
        ["to be passed on", 'export * from "./a.js"'],
        ["to be passed on as a namespace", 'export * as A from "./a.js"']
      ])("stand apart if one is taken whole %s", (_, taken) => {
        const texts = { a: "export declare const a: 1;", b: "export declare const b: 1;" }
        const found = inFolder(texts, `${taken}\nimport { b } from "./b.js"`)
        expect(found.get("a.d.ts")).toBe("export declare const a: 1\n")
        expect(found.get("b.d.ts")).toBe("export declare const b: 1\n")
      })
    })

    it("must have what is taken from them", () => {
      expect(() => restOf("export declare const a: 1", 'import { b } from "./deep/rest.js"')).toThrow(
        "deep/rest does not export b"
      )
    })
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
  const unchanged = { declaration: edited(declaration, []), source: edited(source, []) }
  const names = mapOfNames("x", { declaration, source, map: whole }, unchanged)
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

it("a map leads to the same names after both texts were edited", () => {
  const source = 'import { b } from "./b.js"; export const first: b = b, second: number = 1\n'
  const { outputText: declaration, sourceMapText: map = "" } = ts.transpileDeclaration(source, {
    fileName: "x.ts",
    compilerOptions: { declarationMap: true }
  })
  const longer = (text: string) =>
    edited(text, [
      { from: text.indexOf("./b"), to: text.indexOf("./b") + 3, by: "./somewhere-else-b" },
      { from: text.indexOf("first"), to: text.indexOf("first"), by: "    " }
    ])
  const texts = { declaration: longer(declaration), source: longer(source) }
  const names = new SourceMap(JSON.parse(mapOfNames("x", { declaration, source, map }, texts)))
  for (const name of ["first", "second"]) {
    const line = texts.declaration.text.split("\n")[1] ?? ""
    const entry = names.findEntry(1, line.indexOf(name))
    expect(entry).toMatchObject({ originalLine: 0, originalColumn: texts.source.text.indexOf(name) })
  }
})

it("what users can name is declared where it is exported, passed on, or a member of a namespace", () => {
  const texts = new Map([
    [
      "/index.ts",
      'export * as Space from "./space.js"\nexport { passed } from "./through.js"\nexport type { Both, Type } from "./types.js"'
    ],
    ["/types.ts", 'export type Type = 1\nexport const value = 1\nexport type { Both } from "./both.js"'],
    ["/both.ts", "export interface Both {}\nexport const Both = 1"],
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
  const { typesAlone, used } = filesNamed(program, ["/index.ts"])
  expect([...used].sort()).toEqual(["/both.ts", "/end.ts", "/index.ts", "/kept.ts", "/space.ts"])
  expect([...typesAlone]).toEqual(["/types.ts"])
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

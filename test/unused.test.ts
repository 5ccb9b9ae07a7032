/** The check for members that nothing uses: it must find each kind, and leave alone what is used in any way. */
import ts from "typescript"
import { expect, it } from "vitest"
import { unusedMembers } from "../scripts/unused/members.js"

const files: ReadonlyMap<string, string> = new Map([
  ["src/index.ts", 'export { Open } from "./Open.js"\nexport * as Inner from "./Inner.js"\n'],
  ["src/Open.ts", "export class Open {\n  tested() {}\n  untested() {}\n}\n"],
  ["src/Inner.ts", "export class Deep {\n  static made() {}\n}\n"],
  [
    "src/hidden.ts",
    [
      "interface Demand { demanded(): void }",
      "export class Hidden implements Demand {",
      "  called() {}",
      "  get taken() { return 1 }",
      "  demanded() {}",
      "  onlyTested() {}",
      "  forgotten() {}",
      "  get unread() { return 1 }",
      "  toString() { return '' }",
      "}",
      "export class Box<A> { constructor(readonly held: A) {}",
      "  open() { return this.held } }"
    ].join("\n")
  ],
  [
    "src/use.ts",
    'import { Box, Hidden } from "./hidden.js"\nconst h = new Hidden()\nh.called()\nexport const { taken } = h\nnew Box(1).open()\n'
  ],
  [
    "test/use.ts",
    'import { Inner, Open } from "../src/index.js"\nimport { Hidden } from "../src/hidden.js"\nnew Open().tested()\nnew Hidden().onlyTested()\nInner.Deep.made()\n'
  ]
])

it("finds what nothing uses, what only a test uses of what is internal, and nothing else", () => {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    noLib: true
  }
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost(options),
    directoryExists: () => true,
    fileExists: (path) => files.has(path.slice(1)),
    readFile: (path) => files.get(path.slice(1)),
    getSourceFile: (path, version) => {
      const text = files.get(path.slice(1))
      return text === undefined ? undefined : ts.createSourceFile(path, text, version, true)
    },
    getCurrentDirectory: () => "/"
  }
  const program = ts.createProgram(
    [...files.keys()].map((path) => `/${path}`),
    options,
    host
  )
  const found = unusedMembers({
    program,
    root: "/",
    isSource: (path) => path.startsWith("src/"),
    entries: ["src/index.ts"]
  })
  expect(found.map((line) => line.replace(/^.*nothing uses (\S+);.*$/, "$1")).sort()).toEqual([
    "Hidden.forgotten",
    "Hidden.onlyTested",
    "Hidden.unread",
    "Open.untested"
  ])
})

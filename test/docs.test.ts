/** The checker of the documentation: it must find what is wrong, say where, and keep quiet otherwise. */
import { describe, expect, it } from "vitest"
import { type Checked, check } from "../scripts/docs/check.js"
import { compareOutput } from "../scripts/docs/output.js"

const block = (info: string, ...lines: ReadonlyArray<string>) => [`\`\`\`${info}`, ...lines, "```"].join("\n")

const checked = (...blocks: ReadonlyArray<string>): Checked =>
  check(new Map([["page.md", blocks.join("\n\n")]]), new Set(["start", "test", "build"]))

const problems = (...blocks: ReadonlyArray<string>) => checked(...blocks).problems

describe("a ts block", () => {
  it("compiles", () => {
    expect(problems(block("ts", 'import { parse } from "yaml"', 'export const one = parse("1")'))).toEqual([])
  })

  it("that does not compile is reported at its line", () => {
    expect(problems("Words.", block("ts", "const ok = 1", "const wrong: string = 1"))).toEqual([
      "page.md:5 Type 'number' is not assignable to type 'string'."
    ])
  })

  it("is a module of its own", () => {
    expect(problems(block("ts", "const a = 1"), block("ts", "const b = a"))).toEqual([
      "page.md:6 Cannot find name 'a'."
    ])
  })

  it("continues the one before it when it says so", () => {
    expect(problems(block("ts", "const a = 1"), block("ts continue", "const b: number = a"))).toEqual([])
    expect(problems(block("ts", "const a = 1"), block("ts continue", "const b: string = a"))).toEqual([
      "page.md:6 Type 'number' is not assignable to type 'string'."
    ])
    expect(problems(block("ts continue", "const a = 1"))).toEqual([
      "page.md:2 continues, but no ts block comes before it"
    ])
  })

  it("may not be a fragment", () => {
    expect(problems(block("ts fragment", "const a = 1"))).toContain(
      'page.md:2 no rule covers a block of kind "ts fragment"'
    )
  })

  it("that imports what is not there is reported", () => {
    expect(problems(block("ts", 'import { nothing } from "yaml"', "void nothing"))).toEqual([
      "page.md:2 Module '\"yaml\"' has no exported member 'nothing'."
    ])
  })
})

describe("an announced error", () => {
  const wrong = "const wrong: string = 1"

  it("stands under its line, with part of its text", () => {
    expect(problems(block("ts", wrong, "// error: 'number' is not assignable"))).toEqual([])
  })

  it("with another text is reported, and so is the error itself", () => {
    expect(problems(block("ts", wrong, "// error: something else"))).toEqual([
      "page.md:2 Type 'number' is not assignable to type 'string'.",
      "page.md:2 expected an error on this line: something else"
    ])
  })

  it("under another line is reported", () => {
    expect(problems(block("ts", wrong, "const ok = 1", "// error: 'number' is not assignable"))).toHaveLength(
      2
    )
  })

  it("that does not come is reported", () => {
    expect(problems(block("ts", "const ok = 1", "// error: 'number' is not assignable"))).toEqual([
      "page.md:2 expected an error on this line: 'number' is not assignable"
    ])
  })
})

describe("an output", () => {
  it("belongs to the program or script above it", () => {
    const { problems, programs, scripts } = checked(
      block("ts", 'console.log("one")'),
      block("text output", "one"),
      block("sh", "npm ci && npm start"),
      block("text output", "two")
    )
    expect(problems).toEqual([])
    expect(programs.map((program) => program.output)).toEqual(["one"])
    expect(scripts.map(({ output, script }) => [script, output])).toEqual([["start", "two"]])
  })

  it("of nothing that can be run is reported", () => {
    const complaint = "is marked as output, but does not follow a program or a script that can be run"
    expect(problems(block("text output", "one"))).toEqual([`page.md:2 ${complaint}`])
    expect(problems(block("sh", "npm ci"), block("text output", "one"))).toEqual([`page.md:6 ${complaint}`])
    expect(problems(block("sh", "npm test"), block("text output", "one"))).toEqual([`page.md:6 ${complaint}`])
  })

  it("of a program that does not compile is reported", () => {
    expect(
      problems(
        block("ts", "const wrong: string = 1", "// error: 'number' is not assignable"),
        block("text output", "one")
      )
    ).toEqual(["page.md:2 shows an output, but also an error: it cannot be run"])
  })

  it("is compared without colours and spaces at the ends", () => {
    const shown = { document: "page.md", line: 3, output: "one\n  two" }
    expect(compareOutput(shown, "\u001b[31mone\u001b[0m  \n  two\n")).toEqual([])
    expect(compareOutput(shown, "one\ntwo\n")).toEqual([
      "page.md:3 shows\n  one\n    two\nbut prints\n  one\n  two"
    ])
  })
})

describe("a sh block", () => {
  it("may name scripts, and commands that everybody has", () => {
    expect(
      problems(
        block(
          "sh",
          "# first",
          "$ git clone https://example.org/x.git",
          "npm ci && npm run build",
          "npm test -- types"
        )
      )
    ).toEqual([])
  })

  it("that names no script is reported", () => {
    expect(problems(block("sh", "npm run nothing"))).toEqual([
      "page.md:2 package.json has no script for: npm run nothing"
    ])
  })

  it("with an unknown command is reported, also behind a known one", () => {
    expect(problems(block("bash", "npm ci && rm -rf x"))).toEqual([
      "page.md:2 neither a script of package.json nor a known command: rm -rf x"
    ])
  })
})

describe("other blocks", () => {
  it("of json and yaml parse", () => {
    expect(problems(block("json", '{ "a": [1] }'), block("yaml", "a:", "  - 1"))).toEqual([])
    expect(problems(block("json", "{ a: 1 }"))).toHaveLength(1)
    expect(problems(block("yaml", "a: [1"))).not.toEqual([])
  })

  it("of text are left alone", () => {
    expect(problems(block("text", "src", "└── index.ts"))).toEqual([])
  })

  it("that no rule covers are reported", () => {
    expect(problems(block("js", "1"))).toEqual(['page.md:2 no rule covers a block of kind "js"'])
    expect(problems(block("", "1"))).toEqual(['page.md:2 no rule covers a block of kind ""'])
  })

  it("are found inside lists", () => {
    expect(problems(["- point", "", "  ```ts", "  const wrong: string = 1", "  ```"].join("\n"))).toEqual([
      "page.md:4 Type 'number' is not assignable to type 'string'."
    ])
  })
})

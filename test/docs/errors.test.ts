/** The table of codes: a code that nobody explains leaves an operator alone with it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ErrorCode } from "bailiwick"
import { describe, expect, it } from "vitest"
import { errorsPage, file } from "../../scripts/docs/errorsPage.js"
import { root } from "../../scripts/lib/project.js"
import * as Denial from "../../src/policy/lattice/Denial.js"
import { ProblemCode } from "../../src/policy/text/Problem.js"
import { Code as ResultCode } from "../../src/registry/ToolResult.js"
import { codeLiterals, errorsWithCode } from "./codeLiterals.js"

const known: ReadonlySet<string> = new Set(ErrorCode.all.map(({ code }) => code))

const literals = codeLiterals()

describe("the page", () => {
  it("is what the generator writes: run 'npm run docs:errors' when it is not", () => {
    expect(readFileSync(join(root, file), "utf8")).toBe(errorsPage())
  })

  it("has a row for every entry", () => {
    const rows = [...errorsPage().matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code)
    expect(rows).toEqual(ErrorCode.all.map(({ code }) => code))
  })
})

describe("the table", () => {
  it("has every code that the sources list or say", () => {
    const SHOUTED = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/
    // What a worker links by itself fails as it does by Node.
    const isNodes = (text: string) => text.startsWith("ERR_")
    const missing = literals.filter(({ text }) => SHOUTED.test(text) && !known.has(text) && !isNodes(text))
    expect(missing.map(({ place, text }) => `${place} ${text}`)).toEqual([])
  })

  it("has no code that the sources do not say", () => {
    const said = new Set(literals.filter(({ position }) => position === "said").map(({ text }) => text))
    expect([...known].filter((code) => !said.has(code))).toEqual([])
  })

  it("speaks of every error that has a code", () => {
    const spoken = new Set(
      ErrorCode.all.flatMap((entry) => entry.in).map((name) => name.replace(/^.*\./, ""))
    )
    const errors = errorsWithCode()
    expect(errors.length).toBeGreaterThanOrEqual(14)
    expect(errors.filter((name) => !spoken.has(name))).toEqual([])
  })

  it.each([
    ["Denial", Denial.Code.literals],
    ["Denial.reason", Denial.Reason.literals],
    ["ToolResult", ResultCode.literals],
    ["PersonalityInvalid", ProblemCode.literals]
  ])("says of each code of %s that it is met there", (place, codes: ReadonlyArray<string>) => {
    const met = new Set<string>(ErrorCode.all.filter((one) => one.in.includes(place)).map(({ code }) => code))
    expect([...met].sort()).toEqual([...codes].sort())
  })

  it("has a code once in a topic, and a topic once", () => {
    const keys = ErrorCode.all.map(({ code, topic }) => `${topic} ${code}`)
    expect(new Set(keys).size).toBe(keys.length)
    const titles = ErrorCode.topics.map(({ title }) => title)
    expect(new Set(titles).size).toBe(titles.length)
  })

  it.each(ErrorCode.all.map((entry) => [`${entry.topic}: ${entry.code}`, entry] as const))(
    "%s has a sentence for its cause and one for its remedy",
    (_, { cause, remedy }) => {
      for (const sentence of [cause, remedy]) expect(sentence).toMatch(/^[A-Z`][^\n]*[^.]\.$/)
      expect(cause).not.toBe(remedy)
    }
  )
})

describe("explain", () => {
  it("finds a code in each topic that it is met in", () => {
    expect(ErrorCode.explain("LIMIT_EXCEEDED").map((entry) => entry.in)).toEqual([
      ["NetworkError"],
      ["FilesError"],
      ["ProcessError"]
    ])
  })

  it("says of a refusal that it comes with a denial", () => {
    expect(ErrorCode.explain("HOST_NOT_ALLOWED").map((entry) => entry.in)).toEqual([
      ["NetworkError", "Denial"]
    ])
  })

  it("finds nothing for what is no code", () => {
    for (const text of ["toString", "", "HOST_NOT_ALLOWED: x"]) expect(ErrorCode.explain(text)).toEqual([])
  })
})

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { compile } from "../scripts/docs/compile.js"
import { expectedErrors } from "../scripts/docs/programs.js"
import { root } from "../scripts/lib/project.js"

it("every mistake in the examples is refused, in the words that stand beside it", () => {
  const document = "examples/mistakes.ts"
  const source = readFileSync(join(root, document), "utf8")
  const errors = expectedErrors(source)
  expect(errors.length).toBe(source.match(/Tool\.(make|exact)\(/g)?.length)
  expect(compile([{ document, line: 1, source, errors, output: undefined }])).toEqual([])
})

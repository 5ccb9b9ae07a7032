/** The type tests run as few modules: none of them is lost, and none means something else for it. */
import { describe, expect, it } from "vitest"
import { root } from "../scripts/lib/project.js"
import { readTypeTest, together } from "../scripts/typetest/together.js"

const folder = `${root}/.tmp/somewhere`

const of = (...texts: ReadonlyArray<string>) =>
  together(texts.map((text, index) => readTypeTest(folder, `typetest/${index}.tst.ts`, text)))

describe("type tests together", () => {
  it("share what they import, as a value where one of them has a value of it", () => {
    const { apart, modules } = of(
      'import type { A } from "../src/a.js"\nimport { test } from "tstyche"\n// @ts-expect-error b\ntest("1")',
      'import { A, B as C } from "../src/a.js"\nimport type * as D from "d"\nconst one = 1'
    )
    expect(apart).toEqual([])
    expect(modules).toEqual([
      `import { A } from "../../src/a.js"
import { test } from "tstyche"
import { B as C } from "../../src/a.js"
import type * as D from "d"
{
// @ts-expect-error b
test("1")
}
{
const one = 1
}`
    ])
  })

  it("share what they declare to be there, where it is the same", () => {
    const turn = (type: string) => `declare const turn: ${type}\nuse(turn)`
    expect(of(turn("A"), turn("A")).modules).toEqual([
      "declare const turn: A\n{\nuse(turn)\n}\n{\nuse(turn)\n}"
    ])
    expect(of(turn("A"), turn("B")).modules).toHaveLength(2)
  })

  it("are in two modules where one name has two meanings", () => {
    const texts = ["a", "b"].map((from) => `import { x } from "${from}"\nx()`)
    expect(of(...texts, ...texts).modules).toHaveLength(2)
  })

  it.each(["export const a = 1", "declare module 'a' {}", "import 'a'", "import a from 'a'", "export {}"])(
    "are left alone where a block would not do: %s",
    (text) => {
      expect(of(text)).toEqual({ apart: ["typetest/0.tst.ts"], modules: [] })
    }
  )
})

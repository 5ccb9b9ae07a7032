/** What a reader meets first: a first page that is short, pages that open with an example, pictures that are true. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { drawEditor } from "../../scripts/docs/editorPicture.js"
import { root } from "../../scripts/lib/project.js"
import { page, pages } from "./page.js"

const lines = (name: string): ReadonlyArray<string> => page(name).trimEnd().split("\n")

it("the README is at most 250 lines, and its first screen has the error, the picture and the install line", () => {
  expect(lines("README.md").length).toBeLessThanOrEqual(250)
  const screen = lines("README.md").slice(0, 40).join("\n")
  for (const wanted of [
    "// error: capability not declared",
    "](docs/editor.svg)",
    "npm i bailiwick effect@3"
  ]) {
    expect(screen).toContain(wanted)
  }
})

it("the picture of the editor shows the first program of the README: 'npm run docs:pictures' draws it anew", () => {
  expect(readFileSync(join(root, "docs/editor.svg"), "utf8")).toBe(drawEditor(page("README.md")))
})

/** The list of codes is a table from top to bottom, and the index a list of pages. */
const withoutExample = ["docs/README.md", "docs/errors.md"]

it.each(pages.filter((name) => name.startsWith("docs/") && !withoutExample.includes(name)))(
  "%s opens with what it is for, and then an example",
  (name) => {
    const [title = "", blank, first = ""] = lines(name)
    expect(title).toMatch(/^# /)
    expect(blank).toBe("")
    expect(first).toMatch(/^[A-Z`*]/)
    const example = lines(name).findIndex((line) => line.startsWith("```"))
    expect(example).toBeGreaterThan(0)
    expect(example).toBeLessThanOrEqual(16)
  }
)

it("every dependency has its reason on the page of dependencies", () => {
  const { dependencies, devDependencies, peerDependencies } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8")
  )
  const named = page("docs/dependencies.md")
  const all = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies })
  // Types of Node, and further versions of the compiler under names of their own.
  const implied = ["@types/node", "eslint10", "typescript6", "typescript7"]
  expect(all.filter((name) => !implied.includes(name) && !named.includes(`\`${name}\``))).toEqual([])
})

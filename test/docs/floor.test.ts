/** The page of the floor says what the floor guards. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { file, floorPage } from "../../scripts/docs/floorPage.js"
import { root } from "../../scripts/lib/project.js"
import { variables } from "../../src/policy/gate/floor/Moved.js"
import { groups } from "../../src/policy/gate/floor/Places.js"

it("the page of the floor is as the lists are: 'npm run docs:floor' writes it anew", () => {
  expect(readFileSync(join(root, file), "utf8")).toBe(floorPage())
})

it("it has a row for every place", () => {
  const rows = [...floorPage().matchAll(/^\| `[^`]+` \| .+ \|$/gm)]
  expect(rows).toHaveLength(groups.reduce((sum, { entries }) => sum + entries.length, variables.length))
})

/** Rules on the import graph that no linter has: each must find what breaks it, and nothing else. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { draw } from "../scripts/graph/draw.js"
import { modules, modulesOf } from "../scripts/graph/modules.js"
import { complaints, folderCycles, privateEntries } from "../scripts/graph/rules.js"
import { root } from "../scripts/lib/project.js"

/** Files by their paths below `src`, each with what it imports. */
const house = (files: Readonly<Record<string, ReadonlyArray<string>>>) =>
  modulesOf(
    new Map(
      Object.entries(files).map(([path, imports]) => [
        `${path}.ts`,
        imports.map((to, i) => `import { x as x${i} } from "${to}.js"`).join("\n")
      ])
    )
  )

const entries = (files: Readonly<Record<string, ReadonlyArray<string>>>) =>
  privateEntries(house(files)).map(({ from, to }) => `${from} -> ${to}`)

describe("what a folder keeps to itself", () => {
  it("is imported from beside it and from below it", () => {
    expect(entries({ "a/Thing": ["./parts"], "a/b/Other": ["../parts"], "a/parts": [] })).toEqual([])
  })

  it("is not imported from beside its folder, from above it, or from another room", () => {
    expect(
      entries({
        "policy/grant/Grant": ["../lattice/token"],
        "policy/Policy": ["./lattice/token"],
        "cli/run": ["../policy/lattice/token"],
        "policy/lattice/token": []
      })
    ).toEqual([
      "policy/grant/Grant -> policy/lattice/token",
      "policy/Policy -> policy/lattice/token",
      "cli/run -> policy/lattice/token"
    ])
  })

  it("what has a capital, and an index, is for everybody", () => {
    expect(entries({ "cli/run": ["../policy/lattice/Token", "../layers/node/index"] })).toEqual([])
  })
})

describe("folders", () => {
  it("that import one another are named, however long the way round is", () => {
    expect(folderCycles(house({ "a/A": ["../b/B"], "b/B": ["../a/A2"] }))).toEqual([["a", "b"]])
    expect(folderCycles(house({ "a/A": ["../b/B"], "b/B": ["../c/C"], "c/C": ["../a/A2"] }))).toEqual([
      ["a", "b", "c"]
    ])
  })

  it("may share what they import, and lean on one another in one direction", () => {
    expect(
      folderCycles(house({ "a/A": ["../b/B", "../c/C"], "b/B": ["../c/C"], "d/D": ["../a/A", "../b/B"] }))
    ).toEqual([])
  })

  it("and their own subfolders are one house", () => {
    expect(folderCycles(house({ "a/A": ["./b/B"], "a/b/B": ["../A2"] }))).toEqual([])
  })

  it("are not two circles where they are one, nor one where they are two", () => {
    const two = house({
      "a/A": ["../b/B"],
      "b/B": ["../a/A", "../c/C"],
      "c/C": ["../d/D"],
      "d/D": ["../c/C"]
    })
    expect(folderCycles(two)).toEqual([
      ["c", "d"],
      ["a", "b"]
    ])
  })
})

it("an import counts in every form that it can take", () => {
  const text = [
    'import type { A } from "./a.js"',
    'export * from "./b.js"',
    'export const c = () => import("./c.js")',
    'import "./d.js"',
    'import { e } from "effect"'
  ].join("\n")
  expect(modulesOf(new Map([["x/File.ts", text]]))).toEqual([
    { path: "x/File", imports: ["x/a", "x/b", "x/c", "x/d"] }
  ])
})

it("the house keeps the rules", () => {
  expect(complaints(modules())).toEqual([])
})

it("the map shows the house as it is: 'npm run docs:pictures' draws it anew", () => {
  expect(readFileSync(join(root, "docs/map.svg"), "utf8")).toBe(draw(modules()))
})

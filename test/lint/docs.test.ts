/** The page on the linter lists what the tables hold, no more and no less. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { root } from "../../scripts/lib/project.js"
import { effectExports } from "../../src/lint/tables/EffectModules.js"
import { globals } from "../../src/lint/tables/Globals.js"
import {
  commonJsMembers,
  importMetaMembers,
  type Members,
  moduleMembers,
  navigatorMembers,
  processMembers,
  requireMembers
} from "../../src/lint/tables/Members.js"
import { harmless, touching } from "../../src/lint/tables/NodeModules.js"
import { packages } from "../../src/lint/tables/Packages.js"
import { type Remedy, remedies } from "../../src/lint/tables/Remedy.js"

const page = readFileSync(join(root, "docs/lint.md"), "utf8")

const parts: ReadonlyArray<readonly [string, Members]> = [
  ["process", processMembers],
  ["navigator", navigatorMembers],
  ["node:module", moduleMembers],
  ["import.meta", importMetaMembers],
  ["require", requireMembers],
  ["module", commonJsMembers]
]

/** Names that are found, each with its reason. */
const found: ReadonlyArray<readonly [string, Remedy]> = [
  ...[...touching].map(([name, remedy]) => [`node:${name}`, remedy] as const),
  ...packages,
  ...globals,
  ...[...effectExports].flatMap(([from, names]) =>
    [...names].map(([name, remedy]) => [`${from}/${name}`, remedy] as const)
  ),
  ...parts.flatMap(([of, members]) => [
    ...[...members.touching].map(([name, remedy]) => [`${of}.${name}`, remedy] as const),
    ...(members.otherwise === undefined ? [] : [[`other members of ${of}`, members.otherwise] as const])
  ]),
  ["globalThis and process as values", "globals"],
  ["members of them by computed names", "globals"],
  ["import(…) and require(…) with a computed name", "code"],
  ["the constructor of functions", "code"],
  ["timers with text", "code"],
  ["export * from a module that is fine in part", "named"]
]

const names = (all: ReadonlyArray<string>): string =>
  all.map((name) => (/ /.test(name) ? name : `\`${name}\``)).join(", ")

const table = Object.entries(remedies)
  .map(([remedy, instead]) => {
    const listed = found.filter(([, one]) => one === remedy).map(([name]) => name)
    return `| ${instead} | ${names(listed)} |`
  })
  .join("\n")

const fine = [...new Set(harmless.values())]
  .map((reason) => {
    const listed = [...harmless].filter(([, one]) => one === reason).map(([name]) => `node:${name}`)
    return `| ${reason} | ${names(listed)} |`
  })
  .join("\n")

const fineInPart = parts
  .filter(([, { harmless }]) => harmless.size > 1)
  .map(([of, { harmless }]) => `| \`${of}\` | ${names([...harmless].filter((name) => name !== "then"))} |`)
  .join("\n")

it("lists everything that is found, under what to use instead", () => {
  expect(page).toContain(table)
})

it("lists the modules of Node that are fine, with the reason", () => {
  expect(page).toContain(fine)
})

it("lists the members that are fine of what is fine in part", () => {
  expect(page).toContain(fineInPart)
})

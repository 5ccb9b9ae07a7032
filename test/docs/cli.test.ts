/** The page on the command line names the commands that there are. */
import { expect, it } from "vitest"
import { helpFor } from "../../src/cli/Help.js"
import { page, textBlock } from "./page.js"

const PAGE = "docs/cli.md"

const usage = (help: string): ReadonlyArray<string> =>
  help
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("bailiwick ") && / {2,}/.test(line))

it("the usage on the page is that of --help", () => {
  expect(usage(textBlock(PAGE, "bailiwick init"))).toEqual(usage(helpFor(["--help"]) ?? ""))
})

it("every option of every command is spoken of", () => {
  const commands = [
    "run",
    "call",
    "explain",
    "tools list",
    "agents grant",
    "agents revoke",
    "skills",
    "audit",
    "audit verify",
    "doctor"
  ]
  const options = commands.flatMap((command) =>
    [...(helpFor([...command.split(" "), "--help"]) ?? "").matchAll(/--[a-z]+/g)].map(([option]) => option)
  )
  const written = page(PAGE)
  expect(options.length).toBeGreaterThan(10)
  expect([...new Set(options)].filter((option) => !written.includes(option))).toEqual([])
})

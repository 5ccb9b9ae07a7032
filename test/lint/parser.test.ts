/** oxlint lends its parser to no plugin. Where no other is installed, the rule says so and does not pass over it. */
import { tmpdir } from "node:os"
import { expect, it } from "vitest"
import { withFolder } from "../../scripts/lib/project.js"
import { lintWith, prepare } from "./engines.js"

it("says what to install where a helper cannot be looked at", async () => {
  const files = {
    "tools/a.ts": 'import { key } from "../lib/key.js"\nexport const a = fetch(key)\n',
    "lib/key.ts": "export const key = process.env.KEY\n"
  }
  const messages = await withFolder(tmpdir(), async (folder) => {
    await prepare(folder, files)
    return lintWith("oxlint", folder)
  })
  expect(messages.map(({ text }) => text)).toEqual([
    "'../lib/key.js' leads to lib/key.ts, which could not be looked at: no parser is at hand: install oxc-parser.",
    "'fetch' goes around what the tool declares. Use Network, and declare network."
  ])
})

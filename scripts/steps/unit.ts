import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { node } from "../lib/command.js"
import { commandOf, root, scratch, withFolder } from "../lib/project.js"
import { fromCommand, inOrder, type Step } from "../lib/step.js"
import { plain } from "../lib/terminal.js"
import { unitTests } from "../lib/unitTests.js"

/**
 * What many tests use is made before they begin: else all that come first would make it. The command keeps something beside
 * it when it is first started, and then changes no more: one test may copy it while another starts it.
 */
const prepared = async (folder: string) => {
  const installed = join(folder, "installed")
  await mkdir(installed)
  const script = join(root, "scripts/package/withoutDeclarations.ts")
  return inOrder([
    async () => fromCommand(await node([commandOf("tsx"), script, installed])),
    async () =>
      fromCommand(await node([join(installed, "dist/cli/main.js"), "tools", "list"], { cwd: folder }))
  ])
}

/** Modules are bundled a hundred times, by a program in Go that collects its garbage four times as often unless it is told. */
const GOGC = "400"

export const unit: Step = {
  name: "unit",
  about: "unit and property tests",
  run: () =>
    withFolder(scratch, async (folder) => {
      const made = await prepared(folder)
      if (!made.ok) return made
      const finished = await node([commandOf("vitest"), ...unitTests], {
        env: { BAILIWICK_RUN: folder, GOGC }
      })
      const [, count = "0"] = /^\s*Tests .*?(\d+) passed/m.exec(plain(finished.output)) ?? []
      return fromCommand(finished, `${count} tests`)
    })
}

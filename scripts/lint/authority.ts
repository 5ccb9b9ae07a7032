/** Our own rule for tools, on files of this repository. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { node } from "../lib/command.js"
import { commandOf, scratch, withFolder } from "../lib/project.js"
import { fromCommand, type Result } from "../lib/step.js"
import { bundlePlugin } from "./plugin.js"

const config = {
  plugins: [],
  categories: { correctness: "off" },
  jsPlugins: ["./plugin.mjs"],
  rules: { "bailiwick/no-ambient-authority": "error" }
}

export const lintAuthority = (files: ReadonlyArray<string>): Promise<Result> =>
  withFolder(scratch, async (folder) => {
    await bundlePlugin(join(folder, "plugin.mjs"))
    const settings = join(folder, "oxlint.json")
    await writeFile(settings, JSON.stringify(config))
    return fromCommand(await node([commandOf("oxlint"), "--config", settings, "--no-ignore", ...files]))
  })

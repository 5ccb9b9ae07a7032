/** The package as it is published, less its declarations, in a folder: what a start of the command needs. */
import { copyFile, mkdir } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { bundle } from "../cli/bundle.js"
import { root } from "../lib/project.js"
import { entries } from "./library/entries.js"
import { splitModules } from "./library/split.js"

export const writeWithoutDeclarations = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true })
  await copyFile(join(root, "package.json"), join(folder, "package.json"))
  await splitModules(entries(), join(folder, "dist"))
  await bundle(join(folder, "dist"))
}

/** As a process of its own: a test does without the memory of a compiler. What is bundled with it has options of its own. */
const [, script = "", folder] = process.argv
if (import.meta.url === pathToFileURL(script).href && folder?.startsWith("--") === false) {
  await writeWithoutDeclarations(folder)
}

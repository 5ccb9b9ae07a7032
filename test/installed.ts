/** The package as a project has it installed, less its declarations. It is built once in a run. */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { root, scratch } from "../scripts/lib/project.js"

const built = async (): Promise<string> => {
  mkdirSync(scratch, { recursive: true })
  const folder = mkdtempSync(join(scratch, "installed-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const script = join(root, "scripts/package/withoutDeclarations.ts")
  await promisify(execFile)(process.execPath, ["--import", "tsx", script, folder], { cwd: root })
  return folder
}

let made: Promise<string> | undefined

/** The folder of the package, to be linked to from a `node_modules`. */
export const installed = (): Promise<string> => {
  made ??= built()
  return made
}

/** The command, to be given to Node. */
export const installedCommand = async (): Promise<string> => join(await installed(), "dist/cli/main.js")

/** The package as a project has it installed, less its declarations. It is built once in a run. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { root } from "../scripts/lib/project.js"
import { once } from "./once.js"

const script = join(root, "scripts/package/withoutDeclarations.ts")

const build = (folder: string) =>
  promisify(execFile)(process.execPath, ["--import", "tsx", script, folder], { cwd: root })

/** The folder of the package, to be linked to from a `node_modules`. */
export const installed = (): Promise<string> => once("installed", build)

/** The command, to be given to Node. */
export const installedCommand = async (): Promise<string> => join(await installed(), "dist/cli/main.js")

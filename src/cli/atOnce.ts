/**
 * Whether a command is for the installation of its workspace, at a glance: by its words and by the text of
 * `bailiwick.yaml`, which is not read as YAML here. A glance that says no is no answer: the program reads the file.
 */
import { readFileSync, realpathSync } from "node:fs"
import { join, resolve } from "node:path"
import { loadTools } from "./Forms.js"
import { installationOf, isInstalled, upward } from "./workspace/own/Installation.js"

const WORKDIR = "--workdir"

const workdirIn = (args: ReadonlyArray<string>): string | undefined => {
  const at = args.findLastIndex((one) => one === WORKDIR || one.startsWith(`${WORKDIR}=`))
  const found = args[at]
  return found === WORKDIR ? args[at + 1] : found?.slice(WORKDIR.length + 1)
}

const textOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}

const TOOLS = /^(?:tools|"tools"|'tools')[ \t]*:/m

export const ownProgramAtOnce = (
  args: ReadonlyArray<string>,
  cwd: () => string,
  version: string
): string | undefined => {
  try {
    if (!loadTools.has(args[0] ?? "")) return undefined
    const from = realpathSync(resolve(cwd(), workdirIn(args) ?? "."))
    for (const root of upward(from)) {
      const text = textOf(join(root, "bailiwick.yaml"))
      if (text === undefined) continue
      if (!TOOLS.test(text)) return undefined
      const found = installationOf(root, version)
      return isInstalled(found) ? found.program : undefined
    }
  } catch {}
  return undefined
}

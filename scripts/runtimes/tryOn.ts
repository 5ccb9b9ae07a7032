/** The installed package on one runtime: part by part, and then its command. */
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { command, type Finished } from "../lib/command.js"
import { checkCommand } from "../package/installedCommand.js"

export interface Finding {
  readonly part: string
  readonly problem?: string
}

const PARTS = ["tool", "registry", "files", "network", "command", "storage"]

/** What the check printed. A part that it does not speak of, because it ended before, has failed. */
export const findingsOf = ({
  output,
  stdout
}: Pick<Finished, "output" | "stdout">): ReadonlyArray<Finding> => {
  const said = new Map(
    stdout.split("\n").flatMap((line): ReadonlyArray<readonly [string, Finding]> => {
      if (!line.startsWith("{")) return []
      const finding: Finding = JSON.parse(line)
      return [[finding.part, finding]]
    })
  )
  return PARTS.map((part) => said.get(part) ?? { part, problem: output.trim() })
}

/** Where newer versions of Node keep what they compile of modules. */
const COMPILED = "node_modules/bailiwick/dist/cli/compiled"

const keepsCompiled = async (runtime: string): Promise<boolean> => {
  const asked = "console.log(typeof process.getBuiltinModule('node:module').enableCompileCache)"
  const { stdout } = await command(runtime, ["-e", asked])
  return stdout.trim() === "function"
}

const filesIn = (folder: string): Promise<number> =>
  readdir(folder, { recursive: true }).then(
    (files) => files.length,
    () => 0
  )

/** What other runtimes have left behind would be found and used. */
const left = ["state", "note.txt", COMPILED]

export const tryOn = async (consumer: string, runtime: string): Promise<ReadonlyArray<Finding>> => {
  for (const path of left) await rm(join(consumer, path), { recursive: true, force: true })
  const findings = findingsOf(await command(runtime, ["check.mjs"], { cwd: consumer }))
  const problems = [...(await checkCommand(consumer, runtime))]
  if (
    problems.length === 0 &&
    (await keepsCompiled(runtime)) &&
    (await filesIn(join(consumer, COMPILED))) < 2
  ) {
    problems.push("what is compiled of modules is not kept")
  }
  const part = "command line"
  return [...findings, problems.length === 0 ? { part } : { part, problem: problems.join("\n") }]
}

/** `init`: a workspace to start from. It overwrites nothing. */
import { basename, relative, resolve } from "node:path"
import { quote, shellWord } from "../../../policy/text/Quote.js"
import type { InitCommand } from "../../Arguments.js"
import { CliError } from "../../CliError.js"
import { exists, isDirectory, realPath } from "../../read.js"
import { type Terminal, terminal, visible } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { filesFor, type Written } from "./files.js"
import { inTheWay, putDown, workspaceAround } from "./place.js"
import { stepLines, steps } from "./project.js"

const directoryOf = ({ directory = ".", workdir = "." }: InitCommand, { cwd }: Surroundings): string => {
  const given = resolve(cwd, workdir, directory)
  if (exists(given) && !isDirectory(given)) {
    throw new CliError(`${quote(given)} is no directory; name one, or one that is not there yet`)
  }
  return realPath(given)
}

const free = (directory: string, files: ReadonlyArray<Written>): void => {
  const taken = inTheWay(directory, files)
  if (taken.length === 0) return
  throw new CliError(
    `nothing was written to ${visible(directory)}, because it has ${taken.join(", ")} already; choose a directory without ${taken.length === 1 ? "it" : "them"}`,
    1
  )
}

interface Made {
  readonly directory: string
  readonly within: string | undefined
  readonly written: boolean
  readonly files: ReadonlyArray<Written>
}

const report = (
  { bold, dim }: Terminal,
  cwd: string,
  { directory, files, within, written }: Made
): string => {
  const way = relative(cwd, directory)
  return [
    bold(`${written ? "wrote" : "would write"} ${files.length} files to ${visible(directory)}`),
    ...files.map(({ path }) => `  + ${path}`),
    ...(within === undefined
      ? []
      : [`it is inside of the workspace ${visible(within)}: commands below it use the new one`]),
    "",
    bold("next:"),
    ...(way === "" ? [] : [`  cd ${shellWord(way)}`]),
    ...stepLines.map((line) => `  ${line.replace(/ {3}#.*$/, (why) => dim(why))}`),
    ""
  ].join("\n")
}

export const init = async (command: InitCommand, around: Surroundings): Promise<number> => {
  const directory = directoryOf(command, around)
  const files = filesFor(basename(directory))
  free(directory, files)
  if (!command.dryRun) putDown(directory, files)
  const within = workspaceAround(directory)
  const made = { directory, within, written: !command.dryRun, files }
  await around.print(
    command.json
      ? `${JSON.stringify({ directory, written: made.written, files: files.map(({ path }) => path), within: within ?? null, next: steps.map(({ command }) => command) }, null, 2)}\n`
      : report(terminal({ ...around.stdout, env: around.env }), around.cwd, made)
  )
  return 0
}

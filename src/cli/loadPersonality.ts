/** A personality from its directory, with its roots resolved to what they really are. */

import { join, resolve } from "node:path"
import { Either } from "effect"
import { quote } from "../policy/internal/text.js"
import * as Personality from "../policy/Personality.js"
import { CliError } from "./CliError.js"
import { exists, isDirectory, readText, realPath } from "./read.js"
import type { Workspace } from "./Workspace.js"

export interface Setting {
  readonly cwd: string
  readonly home: string | undefined
  readonly workdir: string
  readonly workspace: Workspace | undefined
  readonly state: string
}

const isId = (given: string): boolean => !given.includes("/") && given !== "." && given !== ".."

/** The id of a directory in the workspace, or a directory: whoever makes one in passing does not shadow the other. */
const directoryOf = (given: string, { cwd, workspace }: Setting): string => {
  const inWorkspace = workspace === undefined ? undefined : join(workspace.root, "personalities", given)
  const isThere = isId(given) && inWorkspace !== undefined && exists(inWorkspace)
  const path = isThere ? inWorkspace : resolve(cwd, given)
  if (isDirectory(path)) return path
  const looked =
    inWorkspace === undefined ? "there is no workspace here to look in" : `${inWorkspace} is none either`
  throw new CliError(
    exists(path)
      ? `--personality takes a directory with a config.yaml, and ${given} is not a directory`
      : `there is no personality ${quote(given)}: it is not a directory, and ${looked}`
  )
}

/** Throws a `CliError` with one sentence. */
export const loadPersonality = (given: string, setting: Setting): Personality.Personality => {
  const directory = directoryOf(given, setting)
  const [config, toolset] = [join(directory, "config.yaml"), join(directory, "toolset.yaml")]
  const parsed = Personality.parse(
    {
      config: { file: config, text: readText(config) },
      ...(exists(toolset) ? { toolset: { file: toolset, text: readText(toolset) } } : {})
    },
    {
      home: setting.home,
      workdir: setting.workdir,
      workspace: setting.workspace?.root,
      real: realPath,
      closed: [setting.state],
      privateHosts: setting.workspace?.privateHosts,
      sandbox: setting.workspace?.sandbox
    }
  )
  return Either.getOrThrowWith(parsed, (error) => new CliError(error.message))
}

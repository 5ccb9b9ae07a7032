/** Where a command works: its directory, the workspace around it, and where state is kept. */
import { resolve } from "node:path"
import type { TurnCommand } from "../Arguments.js"
import { CliError } from "../CliError.js"
import { isDirectory, realPath } from "../read.js"
import type { Surroundings } from "../Surroundings.js"
import type { Setting } from "./LoadPersonality.js"
import { findWorkspace, stateDirectory } from "./Workspace.js"

/** Throws a `CliError`. A command that keeps nothing needs no place to keep it. */
export const settingOf = (
  { workdir: given }: Pick<TurnCommand, "workdir">,
  around: Surroundings,
  { keeps = true }: { readonly keeps?: boolean } = {}
): Setting => {
  const asked = given === undefined ? around.cwd : resolve(around.cwd, given)
  if (!isDirectory(asked)) {
    throw new CliError(`--workdir takes a directory, and ${given ?? asked} is none`)
  }
  // Real, so that what is asked for relative to it has one name.
  const workdir = realPath(asked)
  const workspace = findWorkspace(workdir, around.home)
  return {
    cwd: around.cwd,
    home: around.home,
    workdir,
    workspace,
    state: keeps ? stateDirectory(workspace, around) : "",
    code: (workspace?.tools ?? []).map(({ file }) => file)
  }
}

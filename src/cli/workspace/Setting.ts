/** Where a command works: its directory, the workspace around it, and where state is kept. */
import { join, resolve } from "node:path"
import type { TurnCommand } from "../Arguments.js"
import { CliError } from "../CliError.js"
import { HandOver } from "../HandOver.js"
import { isDirectory, realPath } from "../read.js"
import type { Surroundings } from "../Surroundings.js"
import type { Setting } from "./LoadPersonality.js"
import { installationOf, isInstalled } from "./own/Installation.js"
import type { OwnModule } from "./own/OwnModules.js"
import { findWorkspace, stateDirectory, type Workspace } from "./Workspace.js"

/**
 * The packages that PostgreSQL is reached by are installed, and stand on the library that is installed beside them: a program
 * that has one to itself leaves the command to that.
 */
const leaveToLibrary = (workspace: Workspace | undefined, { program, version = "" }: Surroundings): void => {
  if (workspace?.storage === undefined || program === undefined) return
  const found = installationOf(workspace.root, version)
  throw new HandOver(isInstalled(found) ? found.program : program)
}

/** The file of a module; of a package, where packages are. */
const codeAt = ({ file, isolated }: OwnModule, root: string): string =>
  isolated?.package === undefined ? file : join(root, "node_modules")

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
  leaveToLibrary(workspace, around)
  return {
    cwd: around.cwd,
    home: around.home,
    workdir,
    workspace,
    state: keeps ? stateDirectory(workspace, around) : "",
    code: (workspace?.tools ?? []).map((module) => codeAt(module, workspace?.root ?? ""))
  }
}

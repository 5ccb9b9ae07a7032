/**
 * The places of the floor of files, as data: where each is looked for, what is refused there, and why. The page
 * `docs/floor.md` is written from it.
 *
 * @since 0.1.0
 */
import { authorities, code, histories, keysAnywhere, state } from "./anywhere.js"
import { agentCredentials, browsers } from "./homeApplications.js"
import { cloudCredentials, registryCredentials, serverCredentials } from "./homeCredentials.js"
import { homePrograms, homeStartup } from "./homeStartup.js"
import { agentSettings, editorTasks, hooks, packageManagers, pipelines } from "./later.js"
import {
  kernelFiles,
  machineAccounts,
  machineCredentials,
  machineStartup,
  systemDirectories
} from "./machine.js"
import type { Group } from "./model.js"

/**
 * Everything that is guarded wherever Bailiwick runs. What a host adds (trees of its own, homes, the code that it
 * loads) is in its `Floor`.
 *
 * @since 0.1.0
 * @category models
 */
export const groups: ReadonlyArray<Group> = [
  keysAnywhere,
  histories,
  machineCredentials,
  cloudCredentials,
  registryCredentials,
  serverCredentials,
  agentCredentials,
  browsers,
  kernelFiles,
  state,
  authorities,
  code,
  editorTasks,
  agentSettings,
  hooks,
  pipelines,
  packageManagers,
  homeStartup,
  homePrograms,
  machineAccounts,
  machineStartup,
  systemDirectories
]

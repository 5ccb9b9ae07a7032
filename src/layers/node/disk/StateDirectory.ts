/** Where this program keeps what outlives it, when nobody says where. */
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"

/** A relative one is to be ignored. */
const given = (directory: string | undefined): string | undefined =>
  directory !== undefined && isAbsolute(directory) ? directory : undefined

export const stateDirectory = (env: Readonly<Record<string, string | undefined>>): string =>
  join(given(env.XDG_STATE_HOME) ?? join(homedir(), ".local", "state"), "bailiwick")

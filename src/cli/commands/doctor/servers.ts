/** The MCP servers of a workspace for the doctor: what is written, and what of it is there. */
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, isAbsolute, join } from "node:path"
import { Either } from "effect"
import * as ServerNotation from "../../../policy/server/ServerNotation.js"
import type * as Doctor from "../../../registry/doctor/Doctor.js"
import * as Manifest from "../../../registry/manifest/Manifest.js"
import type { Surroundings } from "../../Surroundings.js"
import { lockIn } from "../../workspace/Lock.js"
import { NAME, type Workspace } from "../../workspace/Workspace.js"

const isCommand = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

const isThere = (command: string, root: string, { env }: Pick<Surroundings, "env">): boolean =>
  command.includes("/")
    ? isCommand(isAbsolute(command) ? command : join(root, command))
    : (env.PATH ?? "").split(delimiter).some((directory) => isCommand(join(directory || ".", command)))

/** The doctor works these out itself, for whoever gives it servers. */
const KNOWN: ReadonlySet<string> = new Set(["NAME_INVALID", "KEY_DUPLICATE"])

export const serversOf = (
  { root, servers }: Workspace,
  around: Pick<Surroundings, "env">
): ReadonlyArray<Doctor.Server> => {
  if (servers.length === 0) return []
  const lock = Either.getOrElse(lockIn(root).read, () => Manifest.empty)
  const pinned = Manifest.pinned(lock)
  return servers.map(({ line, name, problems, requires, server }) => {
    const command = server?.transport._tag === "Local" ? server.transport.command : undefined
    return {
      name,
      file: join(root, NAME),
      line,
      requires,
      problems: problems.filter(({ code }) => !KNOWN.has(code)),
      url: server?.transport._tag === "Remote" ? server.transport.url : undefined,
      allows: server?.allows,
      refs: server === undefined ? [] : ServerNotation.refsOf(server),
      missingCommand: command === undefined || isThere(command, root, around) ? undefined : command,
      pinned: pinned.get(name)?.length ?? 0
    }
  })
}

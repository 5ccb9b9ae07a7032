/** `tools mcp`: the MCP servers of a workspace, and how its operator adds one and takes one out. */
import type { ServersAddCommand, ServersCommand } from "../../../Arguments.js"
import type { Surroundings } from "../../../Surroundings.js"
import { add } from "./add.js"
import { list } from "./list.js"
import { remove } from "./remove.js"
import { show } from "./show.js"
import { who } from "./who.js"

export const servers = (
  command: ServersCommand | ServersAddCommand,
  around: Surroundings
): Promise<number> => {
  switch (command.command) {
    case "tools mcp add":
      return add(command, around)
    case "tools mcp list":
      return list(command, around)
    case "tools mcp show":
      return show(command, around)
    case "tools mcp who":
      return who(command, around)
    case "tools mcp remove":
      return remove(command, around)
  }
}

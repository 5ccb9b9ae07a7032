/** What agents there are and what they hold, and how their operator widens and narrows one. */
import type { AgentsCommand, AgentsListCommand, AgentsWhoCommand } from "../../Arguments.js"
import type { Surroundings } from "../../Surroundings.js"
import { capabilities } from "./capabilities.js"
import { create } from "./create.js"
import { grant } from "./grant.js"
import { list } from "./list.js"
import { revoke } from "./revoke.js"
import { who } from "./who.js"

export const agents = (
  command: AgentsCommand | AgentsListCommand | AgentsWhoCommand,
  around: Surroundings
): Promise<number> => {
  switch (command.command) {
    case "agents list":
      return list(command, around)
    case "agents capabilities":
      return capabilities(command, around)
    case "agents create":
      return create(command, around)
    case "agents who":
      return who(command, around)
    case "agents grant":
      return grant(command, around)
    case "agents revoke":
      return revoke(command, around)
  }
}

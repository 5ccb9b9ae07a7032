/** What agents there are and what they hold, and how their operator widens and narrows one. */
import type { AgentsCommand, AgentsListCommand } from "../../Arguments.js"
import type { Surroundings } from "../../Surroundings.js"
import { capabilities } from "./capabilities.js"
import { grant } from "./grant.js"
import { list } from "./list.js"
import { revoke } from "./revoke.js"

export const agents = (command: AgentsCommand | AgentsListCommand, around: Surroundings): Promise<number> => {
  switch (command.command) {
    case "agents list":
      return list(command, around)
    case "agents capabilities":
      return capabilities(command, around)
    case "agents grant":
      return grant(command, around)
    case "agents revoke":
      return revoke(command, around)
  }
}

/** What an agent holds, and how its operator widens and narrows it. */
import type { AgentsCommand } from "../Arguments.js"
import type { Surroundings } from "../Surroundings.js"
import { capabilities } from "./agentsCapabilities.js"
import { grant } from "./agentsGrant.js"
import { revoke } from "./agentsRevoke.js"

export const agents = (command: AgentsCommand, around: Surroundings): Promise<number> => {
  switch (command.command) {
    case "agents capabilities":
      return capabilities(command, around)
    case "agents grant":
      return grant(command, around)
    case "agents revoke":
      return revoke(command, around)
  }
}

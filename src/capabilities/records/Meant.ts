/** What is asked about an id whose record cannot be looked at: which family was meant, nobody but the asker knows. */
import { Either } from "effect"
import * as Authority from "../../policy/lattice/Authority.js"
import type { Verb } from "../../policy/lattice/Facets.js"
import * as Request from "../../policy/lattice/Request.js"
import * as RecordText from "../../policy/record/RecordText.js"

/** Where agents are kept, unless a workspace has them elsewhere. */
const AGENTS = "agents/"

/** What is done to an agent by who does this to a record. */
const asAgent: { readonly [A in Verb<"records">]: ReadonlyArray<Verb<"agents">> } = {
  read: [],
  create: ["create"],
  update: ["update", "grant"],
  delete: ["delete"]
}

/**
 * Who holds nothing of records and something of agents meant an agent, and so did who names one where agents are kept,
 * whether or not there is one.
 */
export const meant = (authority: Authority.Authority, action: Verb<"records">, id: string): Request.Made => {
  const permits = (made: Request.Made): boolean =>
    Either.isRight(made) && Authority.permits(authority, made.right).allowed
  const { agents, records } = authority.scopes
  const record = Request.record(action, id, RecordText.UNCLASSED)
  const verbs = asAgent[action]
  const held = records[action].isEmpty ? verbs.find((one) => !agents[one].isEmpty) : undefined
  const verb = held ?? (id.startsWith(AGENTS) && !permits(record) ? verbs[0] : undefined)
  const agent = verb === undefined ? undefined : Request.agent(verb, id)
  return agent === undefined || permits(agent) ? record : agent
}

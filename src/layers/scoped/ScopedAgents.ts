/**
 * @since 0.1.0
 */
import { Effect } from "effect"
import { type Agents, AgentsError } from "../../capabilities/Agents.js"
import type { Authority } from "../../policy/Authority.js"
import type { Verb } from "../../policy/Facets.js"
import * as Request from "../../policy/Request.js"
import * as Gate from "./Gate.js"

/**
 * Agents, each asked of the authority first by its id.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (authority: Authority, inner: Agents.Operations): Agents.Operations => {
  const { ask } = Gate.make(authority, {
    denied: (denial) => new AgentsError({ code: "AGENT_NOT_REACHABLE", detail: denial.detail, denial }),
    malformed: ({ detail }) => new AgentsError({ code: "AGENT_INVALID", detail })
  })
  const asked = (action: Verb<"agents">, id: string) => ask(Request.agent(action, id))
  return {
    create: (draft) => Effect.zipRight(asked("create", draft.id), inner.create(draft)),
    update: (change) => Effect.zipRight(asked("update", change.id), inner.update(change)),
    delete: (payload) => Effect.zipRight(asked("delete", payload.id), inner.delete(payload)),
    grant: (grant) => Effect.zipRight(asked("grant", grant.agent), inner.grant(grant))
  }
}

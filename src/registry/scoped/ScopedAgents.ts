/**
 * @since 0.1.0
 */
import { Effect } from "effect"
import { AgentChange, AgentDraft, type Agents, AgentsError } from "../../capabilities/Agents.js"
import type { Verb } from "../../policy/Facets.js"
import type { Holder } from "../../policy/Proof.js"
import * as Request from "../../policy/Request.js"
import * as Gate from "./Gate.js"
import { known } from "./known.js"

/** The keys of an agent's front matter that are authority. */
const AUTHORITY_KEYS = ["capabilities", "access", "sandbox"]

/**
 * Agents, each asked of the authority first by its id. To write the authority of an agent, by whatever way, is to
 * grant.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (holder: Holder, inner: Agents.Operations): Agents.Operations => {
  const { ask } = Gate.make(holder, {
    denied: (denial) => new AgentsError({ code: "AGENT_NOT_REACHABLE", detail: denial.detail, denial }),
    malformed: ({ detail }) => new AgentsError({ code: "AGENT_INVALID", detail })
  })
  const asked = (action: Verb<"agents">, id: string) => ask(Request.agent(action, id))
  const written = (
    action: "create" | "update",
    {
      frontMatter = {},
      id
    }: { readonly id: string; readonly frontMatter?: Readonly<Record<string, unknown>> }
  ) =>
    Effect.zipRight(
      asked(action, id),
      AUTHORITY_KEYS.some((key) => Object.hasOwn(frontMatter, key)) ? asked("grant", id) : Effect.void
    )
  return {
    create: (given) => {
      const draft = known(AgentDraft, given)
      return Effect.zipRight(written("create", draft), inner.create(draft))
    },
    update: (given) => {
      const change = known(AgentChange, given)
      return Effect.zipRight(written("update", change), inner.update(change))
    },
    delete: ({ id }) => Effect.zipRight(asked("delete", id), inner.delete({ id })),
    grant: ({ agent, grants }) => {
      const specs = [...grants]
      return Effect.zipRight(asked("grant", agent), inner.grant({ agent, grants: specs }))
    }
  }
}

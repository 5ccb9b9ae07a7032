/**
 * @since 0.1.0
 */
import { Effect } from "effect"
import * as AgentRecord from "../../policy/agent/AgentRecord.js"
import type { Holder } from "../../policy/gate/Asking.js"
import * as Grant from "../../policy/grant/Grant.js"
import * as Request from "../../policy/lattice/Request.js"
import { known } from "../known.js"
import { agentWrites } from "../records/AgentWrites.js"
import { lostOf, type Written } from "../records/Lost.js"
import { queued } from "../records/Queue.js"
import { entryOf, onlyOf, recordGate } from "../records/RecordGate.js"
import type { RecordsBackend } from "../records/RecordsBackend.js"
import type { RecordsError } from "../records/RecordsOperations.js"
import type { Agents } from "./Agents.js"
import { type Agent, AgentChange, AgentDraft, AgentsError } from "./AgentsOperations.js"

const codes: { readonly [C in RecordsError["code"]]: AgentsError["code"] } = {
  RECORD_NOT_REACHABLE: "AGENT_NOT_REACHABLE",
  RECORD_NOT_FOUND: "AGENT_NOT_FOUND",
  RECORD_EXISTS: "AGENT_EXISTS",
  RECORD_INVALID: "AGENT_INVALID",
  RECORD_CHANGED: "AGENT_CHANGED",
  AGENT_NOT_REACHABLE: "AGENT_NOT_REACHABLE",
  SELF_MODIFICATION: "SELF_MODIFICATION",
  EXCEEDS_GRANTOR_AUTHORITY: "EXCEEDS_GRANTOR_AUTHORITY",
  RECORDS_UNAVAILABLE: "AGENTS_UNAVAILABLE",
  RECORDS_FENCED: "AGENTS_FENCED",
  RECORDS_FAILED: "AGENTS_FAILED"
}

const ofAgents = ({ code, denial, detail }: RecordsError): AgentsError =>
  new AgentsError({ code: codes[code], detail, ...(denial === undefined ? {} : { denial }) })

/**
 * Agents, each asked of the authority first by its id; what is passed on to them is measured by what the granter holds.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (holder: Holder, backend: RecordsBackend.Service): Agents.Operations => {
  const gate = recordGate(holder, backend)
  const writes = agentWrites(holder, gate, backend)
  const mayRead = (id: string): boolean => gate.allows(Request.record("read", id, "agent"))
  /** To change an agent is not to read it: who may not is told what was written, and what the agent now holds. */
  const agentOf = (
    stored: Written,
    written: Pick<typeof AgentChange.Type, "body" | "frontMatter">
  ): Effect.Effect<typeof Agent.Type, RecordsError> =>
    Effect.map(entryOf(stored), ({ body, frontMatter, id, revision }) => ({
      id,
      ...lostOf(stored, mayRead(id)),
      ...(mayRead(id)
        ? { frontMatter, body }
        : { frontMatter: onlyOf(frontMatter, written.frontMatter ?? {}), body: written.body ?? "" }),
      revision,
      grants: AgentRecord.parse({ file: id, id, text: stored.text }, backend.agents).held.map(
        ({ effective }) => Grant.print(effective)
      )
    }))
  const answered = (
    done: Effect.Effect<Written, RecordsError>,
    written: Pick<typeof AgentChange.Type, "body" | "frontMatter">
  ) =>
    Effect.mapError(
      Effect.flatMap(done, (stored) => agentOf(stored, written)),
      ofAgents
    )
  return {
    create: (given) => {
      const draft = known(AgentDraft, given)
      return answered(writes.create(draft), draft)
    },
    update: (given) => {
      const change = known(AgentChange, given)
      return answered(queued(backend, change.id, writes.update(change)), change)
    },
    delete: ({ id }) => Effect.mapError(queued(backend, id, writes.remove(id)), ofAgents),
    grant: ({ agent, grants }) =>
      answered(queued(backend, agent, writes.grant({ agent, grants: [...grants] })), {})
  }
}

/**
 * @since 0.1.0
 */
import { Effect } from "effect"
import * as AgentRecord from "../../policy/agent/AgentRecord.js"
import type { Holder } from "../../policy/gate/Proof.js"
import * as Grant from "../../policy/grant/Grant.js"
import { known } from "../known.js"
import { agentWrites } from "../records/AgentWrites.js"
import { entryOf, recordGate } from "../records/RecordGate.js"
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
  const writes = agentWrites(holder, recordGate(holder), backend)
  const agentOf = (stored: RecordsBackend.Stored): Effect.Effect<typeof Agent.Type, RecordsError> =>
    Effect.map(entryOf(stored), ({ body, frontMatter, id, revision }) => ({
      id,
      frontMatter,
      body,
      revision,
      grants: AgentRecord.parse({ file: id, id, text: stored.text }, backend.agents).held.map(
        ({ effective }) => Grant.print(effective)
      )
    }))
  const answered = (done: Effect.Effect<RecordsBackend.Stored, RecordsError>) =>
    Effect.mapError(Effect.flatMap(done, agentOf), ofAgents)
  return {
    create: (given) => answered(writes.create(known(AgentDraft, given))),
    update: (given) => answered(writes.update(known(AgentChange, given))),
    delete: ({ id }) => Effect.mapError(writes.remove(id), ofAgents),
    grant: ({ agent, grants }) => answered(writes.grant({ agent, grants: [...grants] }))
  }
}

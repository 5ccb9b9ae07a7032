/** What will come of passing authority on, be it as grants or as the front matter of an agent. */
import { Either } from "effect"
import { proposals } from "../../capabilities/records/Proposals.js"
import { composed, invalid } from "../../capabilities/records/RecordGate.js"
import type { RecordsError } from "../../capabilities/records/RecordsOperations.js"
import * as AgentRecord from "../../policy/agent/AgentRecord.js"
import * as Attenuation from "../../policy/grant/Attenuation.js"
import * as Grant from "../../policy/grant/Grant.js"
import type { Denial } from "../../policy/lattice/Denial.js"

/** What is wrong in a proposal, as the call will say it; else why it is refused, if it is. */
export type Weighed = Either.Either<Denial | undefined, string>

const weighed = (
  granter: Attenuation.Granter,
  agent: string,
  grants: ReadonlyArray<Grant.Grant>,
  bound: AgentRecord.AgentRecord["bound"],
  places: AgentRecord.Places
): Either.Either<Denial | undefined, RecordsError> =>
  Either.map(proposals(grants, bound, places), (all) => Attenuation.exceeding(granter, agent, all))

/** `bound` is the root of the agent that gets them. */
export const weighGrants = (
  granter: Attenuation.Granter,
  agent: string,
  specs: ReadonlyArray<string>,
  bound: AgentRecord.AgentRecord["bound"],
  places: AgentRecord.Places
): Weighed =>
  Either.mapLeft(
    Either.flatMap(Either.mapLeft(Either.all(specs.map(Grant.parse)), invalid), (grants) =>
      weighed(granter, agent, grants, bound, places)
    ),
    ({ detail }) => `AGENT_INVALID: ${detail}`
  )

/** The keys of a front matter that are authority, as they would hold in a record with nothing else. */
export const weighFrontMatter = (
  granter: Attenuation.Granter,
  agent: string,
  proposed: Readonly<Record<string, unknown>>,
  places: AgentRecord.Places
): Weighed =>
  Either.gen(function* () {
    const text = yield* Either.mapLeft(
      composed({ ...proposed, class: "agent" }, ""),
      ({ message }) => message
    )
    const record = AgentRecord.parse({ file: agent, id: agent, text }, places)
    const [warning] = record.warnings
    if (warning !== undefined) return yield* Either.left(invalid(warning).message)
    return yield* Either.mapLeft(
      weighed(
        granter,
        agent,
        record.held.map(({ grant }) => grant),
        record.bound,
        places
      ),
      ({ message }) => message
    )
  })

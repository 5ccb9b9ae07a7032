/** What will come of passing authority on, be it as grants or as the front matter of an agent. */
import { Either } from "effect"
import { newIn } from "../../capabilities/records/AgentWrites.js"
import { proposals } from "../../capabilities/records/Proposals.js"
import { changed, composed, invalid } from "../../capabilities/records/RecordGate.js"
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

/**
 * The keys of a front matter that are authority, as they would hold in the record. Of one that is not known they are
 * weighed alone.
 */
export const weighFrontMatter = (
  granter: Attenuation.Granter,
  agent: string,
  proposed: Readonly<Record<string, unknown>>,
  places: AgentRecord.Places,
  before: string | undefined
): Weighed => {
  const parsed = (text: string) => AgentRecord.parse({ file: agent, id: agent, text }, places)
  const sound = (record: AgentRecord.AgentRecord): Either.Either<void, RecordsError> => {
    const [warning] = record.warnings
    return warning === undefined ? Either.void : Either.left(invalid(warning))
  }
  return Either.mapLeft(
    Either.gen(function* () {
      const alone = parsed(yield* composed({ ...proposed, class: "agent" }, ""))
      yield* sound(alone)
      if (before === undefined) {
        const grants = alone.held.map(({ grant }) => grant)
        return yield* weighed(granter, agent, grants, alone.bound, places)
      }
      const after = parsed(yield* changed(before, { frontMatter: proposed }))
      yield* sound(after)
      const grants = newIn(after, parsed(before), proposed)
      return yield* weighed(granter, agent, grants, after.bound, places)
    }),
    ({ message }) => message
  )
}

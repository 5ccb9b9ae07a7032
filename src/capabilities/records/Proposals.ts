/** What one agent proposes to give to another, as it is weighed and as it is written. */
import { Either } from "effect"
import type * as AgentRecord from "../../policy/agent/AgentRecord.js"
import type * as Attenuation from "../../policy/grant/Attenuation.js"
import * as Grant from "../../policy/grant/Grant.js"
import { invalid } from "./RecordGate.js"
import type { RecordsError } from "./RecordsOperations.js"

export interface Proposal extends Attenuation.Proposed {
  /** The grant as it is written down. */
  readonly grant: Grant.Grant
}

/**
 * What a grant gives at the agent that gets it, and how it is written there. A root of its own counts as it is written,
 * though it may be cut down today: what cuts it down may be gone tomorrow. One that it takes from above is written out,
 * and one that it has nowhere is asked for: what is above may be another tomorrow.
 */
const proposal = (
  grant: Grant.Grant,
  bound: AgentRecord.AgentRecord["bound"],
  places: AgentRecord.Places
): Either.Either<Proposal, RecordsError> =>
  Either.flatMap(
    Either.mapLeft(
      Grant.compile(grant, { ...places, bound: grant.scope.in === undefined ? bound : undefined }),
      invalid
    ),
    (one) =>
      one.inert?.reason === "no root"
        ? Either.left(invalid(one.inert))
        : Either.right({
            written: Grant.print(grant),
            authority: Grant.authority([one]),
            grant: one.effective
          })
  )

/** `bound` is the root that holds at the agent that gets them. */
export const proposals = (
  grants: ReadonlyArray<Grant.Grant>,
  bound: AgentRecord.AgentRecord["bound"],
  places: AgentRecord.Places
): Either.Either<ReadonlyArray<Proposal>, RecordsError> =>
  Either.all(grants.map((grant) => proposal(grant, bound, places)))

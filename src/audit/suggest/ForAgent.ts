/**
 * What could be taken from the record of an agent.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import type * as AgentRecord from "../../policy/agent/AgentRecord.js"
import * as AgentEdit from "../../policy/agent/edit/AgentEdit.js"
import * as Grant from "../../policy/grant/Grant.js"
import type { Policy } from "../../policy/Policy.js"
import { basisOf, type Options } from "./Basis.js"
import type { Evidence } from "./Evidence.js"
import * as Suggestion from "./Suggestion.js"

/**
 * A suggestion for an agent, and the edit that it is.
 *
 * @since 0.1.0
 * @category models
 */
export interface ForAgent extends Suggestion.Suggestion {
  readonly edit: AgentEdit.Trimmed
}

/** The grants of the record have their roots by now. */
const writtenOf = (grant: Grant.Grant, { home, real }: AgentRecord.Places): Suggestion.Written => ({
  written: Grant.print(grant),
  authority: Grant.authority(
    Either.match(Grant.compile(grant, { home, real }), { onLeft: () => [], onRight: (one) => [one] })
  )
})

/**
 * The least grants of a record with which every decision that the log has, and that its policy would take again, would be
 * taken. `policy` is the one of the record as it is.
 *
 * @since 0.1.0
 * @category examining
 */
export const suggestFor = (
  source: AgentRecord.Text,
  places: AgentRecord.Places,
  policy: Policy,
  evidence: Evidence,
  options: Options
): Either.Either<ForAgent, AgentEdit.EditRefused> => {
  const basis = basisOf(policy, evidence, options)
  return Either.map(AgentEdit.trim(source, basis.authority, places), (edit) => {
    const changes = edit.grants.map(
      ({ grant, line, stays }): Suggestion.Change => ({
        file: source.file,
        line,
        ...writtenOf(grant, places),
        isKept: stays.length === 1 && stays[0] !== undefined && Grant.same(stays[0], grant),
        to: stays.map((one) => writtenOf(one, places))
      })
    )
    const texts = { before: source.text, after: edit.text }
    return { ...Suggestion.make(changes, basis, evidence, texts), edit }
  })
}

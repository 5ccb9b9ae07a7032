/** What `grant` and `revoke` share: the grants that are meant, and how it is said what came of them. */
import { Either } from "effect"
import type * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import type { Edited } from "../../../policy/agent/edit/AgentEdit.js"
import * as Grant from "../../../policy/grant/Grant.js"
import type { AgentsCommand } from "../../Arguments.js"
import { CliError } from "../../CliError.js"
import type { Surroundings } from "../../Surroundings.js"
import { type Shown, shownJson } from "./shown.js"

export interface Change {
  readonly command: AgentsCommand
  readonly around: Surroundings
  readonly record: AgentRecord.AgentRecord
}

export interface Outcome {
  readonly outcome: "granted" | "revoked" | "unchanged" | "refused"
  readonly grants: ReadonlyArray<Shown>
  readonly dissolved: Edited["dissolved"]
}

const json = (
  { command, record }: Change,
  { dissolved, grants, outcome }: Outcome,
  reason: string | undefined
) =>
  `${JSON.stringify(
    {
      command: command.command,
      outcome,
      agent: record.id,
      file: record.file,
      grants: grants.map(shownJson),
      dissolved,
      reason: reason ?? null
    },
    null,
    2
  )}\n`

/** Says it in words, or as a document. */
export const conclude = async (change: Change, outcome: Outcome, words: string): Promise<number> => {
  await change.around.print(change.command.json ? json(change, outcome, undefined) : words)
  return 0
}

/** Nothing is written, and the sentence says why. */
export const refuse = async (
  change: Change,
  reason: string,
  grants: ReadonlyArray<Shown> = []
): Promise<never> => {
  if (change.command.json) {
    await change.around.print(json(change, { outcome: "refused", grants, dissolved: [] }, reason))
  }
  throw new CliError(reason, 1)
}

/** The grants of a SPEC, which may be several; or why one of them is none. */
export const specsOf = (
  spec: string,
  places: AgentRecord.Places
): Either.Either<ReadonlyArray<Grant.Grant>, string> => {
  const parsed = spec.trim() === "" ? [Grant.parse(spec)] : Grant.parseAll(spec)
  const checked = parsed.map((one) =>
    // What leaves its own root is no grant anywhere; whether it has a root here is another question.
    Either.flatMap(one, (grant) =>
      Either.map(Grant.compile(grant, { home: places.home, real: places.real }), () => grant)
    )
  )
  return Either.mapLeft(Either.all(checked), ({ message }) => `Invalid capability spec: ${message}`)
}

const shorthands: Readonly<Record<Edited["dissolved"][number], string>> = {
  access: "access: is written out as entries of capabilities:",
  sandbox: "sandbox: is written out as entries of capabilities:",
  default: "the default is written out as an entry of capabilities:"
}

export const dissolvedLines = (dissolved: Edited["dissolved"]): ReadonlyArray<string> =>
  dissolved.map((one) => shorthands[one])

/** An agent reads its record when a turn begins. */
export const NEXT_TURN = "its next turn sees it; one that runs goes on as it began"

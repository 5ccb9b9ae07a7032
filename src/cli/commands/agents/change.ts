/** What `grant` and `revoke` share: the grants that are meant, and how it is said what came of them. */
import { Either } from "effect"
import type * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import type { Edited } from "../../../policy/agent/edit/AgentEdit.js"
import * as Grant from "../../../policy/grant/Grant.js"
import type { AgentsCommand } from "../../Arguments.js"
import { CliError } from "../../CliError.js"
import { difference, painted } from "../../report/Difference.js"
import { terminal } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { type Shown, shownJson } from "./ShownGrants.js"
import type { Warned } from "./second.js"

export interface Change {
  readonly command: AgentsCommand
  readonly around: Surroundings
  readonly record: Pick<AgentRecord.AgentRecord, "id" | "file">
}

export interface Outcome {
  /** `planned` is what would be done without `--dry-run`. */
  readonly outcome: "created" | "granted" | "revoked" | "unchanged" | "planned" | "refused"
  readonly grants: ReadonlyArray<Shown>
  /** What the doctor says of them. */
  readonly warned?: ReadonlyArray<Warned> | undefined
  /** What would change in the file. */
  readonly diff?: string | undefined
  readonly dissolved: Edited["dissolved"]
  readonly lost: Edited["lost"]
}

const json = (
  { command, record }: Change,
  { diff, dissolved, grants, lost, outcome, warned = [] }: Outcome,
  reason: string | undefined
) =>
  `${JSON.stringify(
    {
      command: command.command,
      outcome,
      agent: record.id,
      file: record.file,
      grants: grants.map(shownJson),
      warnings: warned,
      dissolved,
      lost,
      ...(diff === undefined ? {} : { diff }),
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

/** Says what would be written, and writes nothing. */
export const plan = (
  change: Change,
  outcome: Omit<Outcome, "outcome" | "diff">,
  before: string,
  after: string,
  besides: string
): Promise<number> => {
  const { around, record } = change
  const diff = difference(record.file, before, after)
  const seen = terminal({ ...around.stdout, env: around.env })
  const words = `${painted(seen, diff)}${besides}nothing was written: --dry-run\n`
  return conclude(change, { ...outcome, outcome: "planned", diff }, words)
}

/** Nothing is written, and the sentence says why. */
export const refuse = async (
  change: Change,
  reason: string,
  { dissolved = [], grants = [], lost = [], warned }: Partial<Omit<Outcome, "outcome" | "diff">> = {}
): Promise<never> => {
  if (change.command.json) {
    await change.around.print(json(change, { outcome: "refused", grants, dissolved, lost, warned }, reason))
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

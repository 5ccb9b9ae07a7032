/** What `add` and `remove` share: asking, showing what would change, and saying what came of it. */
import type { Kind as Inquiry } from "../../../../policy/server/Inquiry.js"
import type { ServersAddCommand, ServersCommand } from "../../../Arguments.js"
import { CliError } from "../../../CliError.js"
import { dialogue } from "../../../prompt/Dialogue.js"
import { confirm } from "../../../prompt/Line.js"
import { difference, painted } from "../../../report/Difference.js"
import { type Row, rows } from "../../../report/Table.js"
import { terminal } from "../../../report/Terminal.js"
import type { Surroundings } from "../../../Surroundings.js"
import { type Shown, shownJson, shownRow } from "../../agents/ShownGrants.js"
import { inquiryJson, inquiryRow } from "./inquiries.js"

export interface Change {
  readonly command: ServersAddCommand | ServersCommand
  readonly around: Surroundings
  readonly file: string
}

export interface Outcome {
  readonly outcome: "added" | "removed" | "planned" | "refused"
  readonly requires?: ReadonlyArray<Shown>
  /** What it may ask for. */
  readonly allows?: ReadonlyArray<Inquiry>
  /** Hosts that it was refused when it was started with nothing, as grants would have them. */
  readonly proposed?: ReadonlyArray<string> | undefined
  /** Why it failed then, if it did. */
  readonly failed?: string | undefined
  readonly diff?: string
}

const json = ({ command, file }: Change, outcome: Outcome, reason: string | undefined): string => {
  const { allows = [], diff, failed, proposed, requires = [] } = outcome
  const document = {
    command: command.command,
    outcome: outcome.outcome,
    server: command.server,
    file,
    requires: requires.map(shownJson),
    allows: allows.map(inquiryJson),
    ...(proposed === undefined ? {} : { proposed }),
    ...(failed === undefined ? {} : { failed }),
    ...(diff === undefined ? {} : { diff }),
    reason: reason ?? null
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

export const conclude = async (change: Change, outcome: Outcome, words: string): Promise<number> => {
  await change.around.print(change.command.json ? json(change, outcome, undefined) : words)
  return 0
}

/** Nothing is written, and the sentence says why. */
export const refuse = async (
  change: Change,
  reason: string,
  outcome: Omit<Outcome, "outcome"> = {}
): Promise<never> => {
  if (change.command.json) {
    await change.around.print(json(change, { ...outcome, outcome: "refused" }, reason))
  }
  throw new CliError(reason, 1)
}

const rowsOf = ({ allows = [], requires = [] }: Pick<Outcome, "allows" | "requires">): ReadonlyArray<Row> => [
  ...requires.map((one) => shownRow(one)),
  ...allows.map(inquiryRow)
]

export const plan = (
  change: Change,
  outcome: Omit<Outcome, "outcome" | "diff">,
  before: string,
  after: string
): Promise<number> => {
  const { around, file } = change
  const diff = difference(file, before, after)
  const seen = terminal({ ...around.stdout, env: around.env })
  const shown = rows(seen, rowsOf(outcome))
  const words = `${painted(seen, diff)}${shown}nothing was written: --dry-run\n`
  return conclude(change, { ...outcome, outcome: "planned", diff }, words)
}

export interface Asking {
  readonly lines: ReadonlyArray<string>
  readonly requires: ReadonlyArray<Shown>
  readonly allows?: ReadonlyArray<Inquiry>
  readonly question: string
  readonly undone: string
}

const INTERRUPTED = 130

/** Nothing when it is a yes, else the code to exit with. Nobody is asked who cannot be: then it is no. */
export const consent = async (
  change: Change,
  { allows = [], lines, question, requires, undone }: Asking
): Promise<number | undefined> => {
  const { around, command } = change
  if (command.yes) return undefined
  const tty = command.json ? undefined : around.tty
  if (tty === undefined) {
    const why = command.json ? "with --json nobody is asked" : "there is no terminal to ask on"
    return refuse(change, `${why}, and ${undone}; add --yes to do it`, { requires, allows })
  }
  const answer = await dialogue(around, tty, async (talk) => {
    talk.say(lines.map((line) => `${line}\r\n`).join(""))
    talk.say(rows(talk.terminal, rowsOf({ allows, requires })))
    return confirm(talk, question)
  })
  if (answer === true) return undefined
  around.complain(`bailiwick: ${undone}`)
  return answer !== false && answer.unanswered === "interrupted" ? INTERRUPTED : 1
}

/** What is about to happen, and whether somebody says yes to it. */
import type * as AgentEdit from "../../../policy/agent/edit/AgentEdit.js"
import { dialogue, type Unanswered } from "../../prompt/Dialogue.js"
import { confirm } from "../../prompt/Line.js"
import { rows } from "../../report/Table.js"
import { type Terminal, wrap } from "../../report/Terminal.js"
import { besides } from "./Besides.js"
import { type Change, refuse } from "./change.js"
import type { Unpicked } from "./PickGrants.js"
import { type Shown, shownRow } from "./ShownGrants.js"
import { type Warned, warnedRow } from "./second.js"

const INTERRUPTED = 130

export const lines = (seen: Terminal, all: ReadonlyArray<string>): string =>
  all
    .flatMap((text) => (seen.isTTY ? wrap(text, seen.columns) : [text]))
    .map((line) => `${line}\n`)
    .join("")

/** What is asked, and how it is said that it was not done. */
export interface Asking {
  readonly title: string
  readonly question: string
  readonly undone: string
  readonly shown: ReadonlyArray<Shown>
  readonly warned: ReadonlyArray<Warned>
  readonly edited: Pick<AgentEdit.Edited, "dissolved" | "lost">
}

/** To whom, what is at stake, what it allows, what the doctor says of it, and what else changes in the file. */
const preview = (seen: Terminal, { edited, shown, title, warned }: Asking): string =>
  [
    lines(seen, [title]),
    rows(
      seen,
      shown.map((one) => shownRow(one))
    ),
    rows(seen, warned.map(warnedRow)),
    lines(seen, besides(edited))
  ].join("")

/** The exit code of who does not want it. */
export const exitOf = (why: Unanswered | Unpicked["unanswered"]): number =>
  why === "interrupted" ? INTERRUPTED : 1

/** Nothing when it is a yes, else the code to exit with. Nobody is asked who cannot be: then it is no. */
export const consent = async (change: Change, asking: Asking): Promise<number | undefined> => {
  const { around, command } = change
  if (command.yes) return undefined
  const { edited, question, shown, undone, warned } = asking
  const tty = command.json ? undefined : around.tty
  if (tty === undefined) {
    return refuse(
      change,
      `${command.json ? "with --json nobody is asked" : "there is no terminal to ask on"}, and ${undone}; add --yes to do it`,
      { ...edited, grants: shown, warned }
    )
  }
  const answer = await dialogue(around, tty, async (talk) => {
    talk.say(preview(talk.terminal, asking))
    return confirm(talk, question)
  })
  if (answer === true) return undefined
  around.complain(`bailiwick: ${undone}`)
  return answer === false ? 1 : exitOf(answer.unanswered)
}

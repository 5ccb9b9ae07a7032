/** `agents grant`: widens an agent, after somebody has seen what that means and said yes. */
import { Either } from "effect"
import * as AgentEdit from "../../../policy/agent/edit/AgentEdit.js"
import * as Grant from "../../../policy/grant/Grant.js"
import type { AgentsCommand } from "../../Arguments.js"
import { dialogue } from "../../prompt/Dialogue.js"
import { confirm } from "../../prompt/Line.js"
import { marked, rows } from "../../report/Table.js"
import { type Terminal, terminal, wrap } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { agentPlaces, openAgent } from "../../workspace/LoadAgent.js"
import type { Setting } from "../../workspace/LoadPersonality.js"
import { replaceRecord } from "../../workspace/ReplaceRecord.js"
import { settingOf } from "../../workspace/Setting.js"
import { type Change, conclude, dissolvedLines, NEXT_TURN, refuse, specsOf } from "./change.js"
import { CANCELLED, pickGrant } from "./pick.js"
import { asHeld, byRisk, type Shown, shownRow } from "./shown.js"

const INTERRUPTED = 130

const lines = (seen: Terminal, all: ReadonlyArray<string>): string =>
  all
    .flatMap((text) => (seen.isTTY ? wrap(text, seen.columns) : [text]))
    .map((line) => `${line}\n`)
    .join("")

/** What is about to happen: to whom, what is at stake, what it allows, and what else changes in the file. */
const preview = (
  seen: Terminal,
  { record }: Change,
  shown: ReadonlyArray<Shown>,
  { dissolved }: AgentEdit.Edited
): string =>
  [
    lines(seen, [`Grant to ${record.id} (${record.file})`]),
    rows(
      seen,
      shown.map((one) => shownRow(one))
    ),
    lines(seen, dissolvedLines(dissolved))
  ].join("")

const granted = (
  seen: Terminal,
  { record }: Change,
  shown: ReadonlyArray<Shown>,
  { dissolved }: AgentEdit.Edited
): string => {
  const inert = shown.filter((one) => one.inert !== undefined)
  return [
    ...shown.map(({ grant }) => `${marked(seen, "good")} Granted ${Grant.print(grant)} to ${record.id}\n`),
    lines(seen, [NEXT_TURN, ...dissolvedLines(dissolved)]),
    rows(
      seen,
      inert.map((one) => shownRow(one))
    )
  ].join("")
}

type Consent = "yes" | "no" | "interrupted"

/** Nobody is asked who cannot be: then it is no. */
const consent = async (
  change: Change,
  shown: ReadonlyArray<Shown>,
  edited: AgentEdit.Edited
): Promise<Consent> => {
  const { around, command } = change
  if (command.yes) return "yes"
  const tty = command.json ? undefined : around.tty
  if (tty === undefined) {
    return refuse(
      change,
      command.json
        ? "with --json nobody is asked, and nothing was granted; add --yes to grant it"
        : "there is no terminal to ask on, and nothing was granted; add --yes to grant it",
      shown
    )
  }
  const answer = await dialogue(around, tty, async (talk) => {
    talk.say(preview(talk.terminal, change, shown, edited))
    return confirm(talk, "Grant this?")
  })
  if (typeof answer === "boolean") return answer ? "yes" : "no"
  return answer.unanswered === "interrupted" ? "interrupted" : "no"
}

const chosen = async (change: Change, setting: Setting): Promise<ReadonlyArray<Grant.Grant> | undefined> => {
  const { around, command, record } = change
  const places = agentPlaces(setting)
  if (command.spec !== undefined) {
    const specs = specsOf(command.spec, places)
    return Either.isRight(specs) ? specs.right : refuse(change, specs.left)
  }
  const tty = command.json ? undefined : around.tty
  if (tty === undefined) {
    return refuse(
      change,
      `there is no terminal to pick from a list on; write 'bailiwick agents grant ${record.id} SPEC'`
    )
  }
  const picked = await pickGrant(around, tty, record, places)
  return picked === undefined ? undefined : [picked]
}

export const grant = async (command: AgentsCommand, around: Surroundings): Promise<number> => {
  const setting = settingOf(command, around)
  const { record, source } = openAgent(command.agent, setting)
  const change: Change = { command, around, record }
  const seen = terminal({ ...around.stdout, env: around.env })
  const grants = await chosen(change, setting)
  if (grants === undefined) {
    await around.print(`${CANCELLED}\n`)
    return 0
  }
  const places = agentPlaces(setting)
  const edit = AgentEdit.grant(source, grants, places)
  if (Either.isLeft(edit)) return refuse(change, edit.left.message)
  const edited = edit.right
  const shown = byRisk(grants.map((one) => asHeld(record, one, places)))
  if (!edited.changed) {
    const all = shown.map((one) => Grant.print(one.grant)).join(", ")
    const words = `No change — ${record.id} holds ${all} already\n`
    return conclude(change, { outcome: "unchanged", grants: shown, dissolved: [] }, words)
  }
  const answer = await consent(change, shown, edited)
  if (answer !== "yes") {
    around.complain("bailiwick: nothing was granted")
    return answer === "interrupted" ? INTERRUPTED : 1
  }
  await replaceRecord(source, edited.text, setting, around.signal)
  return conclude(
    change,
    { outcome: "granted", grants: shown, dissolved: edited.dissolved },
    granted(seen, change, shown, edited)
  )
}

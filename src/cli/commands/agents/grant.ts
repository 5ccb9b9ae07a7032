/** `agents grant`: widens an agent, after somebody has seen what that means and said yes. */
import { Either } from "effect"
import type * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import * as AgentEdit from "../../../policy/agent/edit/AgentEdit.js"
import * as Grant from "../../../policy/grant/Grant.js"
import { shellWord } from "../../../policy/text/Quote.js"
import type { AgentsCommand } from "../../Arguments.js"
import { marked, rows } from "../../report/Table.js"
import { type Terminal, terminal } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { agentPlaces, openAgent } from "../../workspace/LoadAgent.js"
import type { Setting } from "../../workspace/LoadPersonality.js"
import { replaceRecord } from "../../workspace/ReplaceRecord.js"
import { settingOf } from "../../workspace/Setting.js"
import { besides, NEXT_TURN } from "./Besides.js"
import { type Change, conclude, plan, refuse, specsOf } from "./change.js"
import { consent, exitOf, lines } from "./consent.js"
import { pickGrant, type Unpicked } from "./PickGrants.js"
import { asHeld, byRisk, type Shown, shownRow } from "./ShownGrants.js"
import { secondLook, type Warned, warnedRow } from "./second.js"

const CANCELLED = "Cancelled."

const granted = (
  seen: Terminal,
  { record }: Change,
  shown: ReadonlyArray<Shown>,
  warned: ReadonlyArray<Warned>,
  edited: AgentEdit.Edited
): string => {
  const inert = shown.filter((one) => one.inert !== undefined)
  return [
    ...shown.map(({ grant }) => `${marked(seen, "good")} Granted ${Grant.print(grant)} to ${record.id}\n`),
    lines(seen, [NEXT_TURN, ...besides(edited)]),
    rows(
      seen,
      inert.map((one) => shownRow(one))
    ),
    rows(seen, warned.map(warnedRow))
  ].join("")
}

const chosen = async (
  change: Change,
  { root }: AgentRecord.AgentRecord,
  setting: Setting
): Promise<ReadonlyArray<Grant.Grant> | Unpicked> => {
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
      `there is no terminal to pick from a list on; write 'bailiwick agents grant ${shellWord(record.id)} SPEC'`
    )
  }
  const picked = await pickGrant(around, tty, { id: record.id, root, places })
  return "unanswered" in picked ? picked : [picked]
}

export const grant = async (command: AgentsCommand, around: Surroundings): Promise<number> => {
  const setting = settingOf(command, around)
  const { record, source } = openAgent(command.agent, setting)
  const change: Change = { command, around, record }
  const seen = terminal({ ...around.stdout, env: around.env })
  const grants = await chosen(change, record, setting)
  if ("unanswered" in grants) {
    await around.print(`${CANCELLED}\n`)
    return exitOf(grants.unanswered)
  }
  const places = agentPlaces(setting)
  const edit = AgentEdit.grant(source, grants, places)
  if (Either.isLeft(edit)) return refuse(change, edit.left.message)
  const edited = edit.right
  const { dissolved, lost } = edited
  const shown = byRisk(grants.map((one) => asHeld(record, one, places)))
  if (!edited.changed) {
    const all = shown.map((one) => Grant.print(one.grant)).join(", ")
    const words = `No change — ${record.id} holds ${all} already\n`
    return conclude(change, { outcome: "unchanged", grants: shown, dissolved: [], lost: [] }, words)
  }
  const warned = secondLook(
    record,
    shown.map((one) => one.grant),
    setting
  )
  const outcome = { grants: shown, warned, dissolved, lost }
  if (command.dryRun) {
    const words = `${rows(seen, warned.map(warnedRow))}${lines(seen, besides(edited))}`
    return plan(change, outcome, source.text, edited.text, words)
  }
  const refused = await consent(change, {
    title: `Grant to ${record.id} (${record.file})`,
    question: "Grant this?",
    undone: "nothing was granted",
    shown,
    warned,
    edited
  })
  if (refused !== undefined) return refused
  await replaceRecord(source, edited.text, setting, around.signal)
  return conclude(change, { ...outcome, outcome: "granted" }, granted(seen, change, shown, warned, edited))
}

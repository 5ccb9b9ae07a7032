/** `agents create`: the record of a new agent, which holds what is asked for and nothing else. */
import { basename, join } from "node:path"
import { Either } from "effect"
import * as Ids from "../../../capabilities/records/store/Ids.js"
import * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import * as AgentEdit from "../../../policy/agent/edit/AgentEdit.js"
import type * as Grant from "../../../policy/grant/Grant.js"
import { folded, skeleton } from "../../../policy/text/Lookalike.js"
import { quote, shellWord } from "../../../policy/text/Quote.js"
import type { AgentsCommand } from "../../Arguments.js"
import { CliError } from "../../CliError.js"
import { exists } from "../../read.js"
import { marked, rows } from "../../report/Table.js"
import { type Terminal, terminal } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { recordFiles } from "../../workspace/AgentFiles.js"
import { createRecord } from "../../workspace/CreateRecord.js"
import { agentPlaces } from "../../workspace/LoadAgent.js"
import type { Setting } from "../../workspace/LoadPersonality.js"
import { settingOf } from "../../workspace/Setting.js"
import { type Change, conclude, plan, refuse, specsOf } from "./change.js"
import { consent, exitOf } from "./consent.js"
import { pickGrants, type Unpicked } from "./PickGrants.js"
import { asHeld, byRisk, type Shown, shownRow } from "./ShownGrants.js"
import { secondLook, type Warned, warnedRow } from "./second.js"

const FOLDER = "agents"

const wholeId = (given: string): string => (given.includes("/") ? given : `${FOLDER}/${given}`)

/** Why an id cannot be that of a new agent here. */
const wrongWith = (id: string, recordsDir: string): string | undefined => {
  const parsed = Ids.parsed(id)
  if (Either.isLeft(parsed)) return parsed.left.detail
  if (exists(join(recordsDir, `${id}.md`))) {
    return `there is already something at ${join(recordsDir, `${id}.md`)}, which is never replaced; choose another id, or widen it with 'agents grant'`
  }
  const [same, looks] = [folded(id), skeleton(id)]
  const all = recordFiles(recordsDir)
  // Drawn, a capital I is an l: what differs in its case alone is found by folding alone.
  const alike = all.find((one) => folded(one.id) === same) ?? all.find((one) => skeleton(one.id) === looks)
  if (alike === undefined) return undefined
  return folded(alike.id) === same
    ? `${quote(id)} is the record ${quote(alike.id)} but for the case or the encoding of letters; choose another id`
    : `${quote(id)} looks like the record ${quote(alike.id)}; choose an id that nobody takes for it`
}

/** Written out, because an agent whose record says nothing holds what agents hold by default. */
const emptyRecord = (id: string): string => `---\nclass: agent\ncapabilities: []\n---\n\n# ${basename(id)}\n`

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
  const tty = command.json || command.yes ? undefined : around.tty
  return tty === undefined ? [] : pickGrants(around, tty, { id: record.id, root, places })
}

const created = (
  seen: Terminal,
  { record }: Change,
  shown: ReadonlyArray<Shown>,
  warned: ReadonlyArray<Warned>
): string =>
  [
    `${marked(seen, "good")} Created ${record.id} (${record.file})\n`,
    shown.length === 0
      ? `it holds nothing; 'bailiwick agents grant ${shellWord(record.id)} SPEC' widens it\n`
      : rows(
          seen,
          shown.map((one) => shownRow(one))
        ),
    rows(seen, warned.map(warnedRow))
  ].join("")

const UNDONE = "nothing was created"

export const create = async (command: AgentsCommand, around: Surroundings): Promise<number> => {
  const setting = settingOf(command, around)
  const { workspace } = setting
  if (workspace === undefined) {
    throw new CliError("there is no workspace here to create an agent in; write a bailiwick.yaml")
  }
  const id = wholeId(command.agent)
  const change: Change = { command, around, record: { id, file: join(workspace.recordsDir, `${id}.md`) } }
  const wrong = wrongWith(id, workspace.recordsDir)
  if (wrong !== undefined) return refuse(change, wrong)
  const source = { ...change.record, text: emptyRecord(id) }
  const places = agentPlaces(setting)
  const empty = AgentRecord.parse(source, places)
  const grants = await chosen(change, empty, setting)
  if ("unanswered" in grants) {
    around.complain(`bailiwick: ${UNDONE}`)
    return exitOf(grants.unanswered)
  }
  const edit = AgentEdit.grant(source, grants, places)
  if (Either.isLeft(edit)) return refuse(change, edit.left.message)
  const { dissolved, lost, text } = edit.right
  const shown = byRisk(grants.map((one) => asHeld(empty, one, places)))
  const warned = secondLook(
    change.record,
    shown.map(({ grant }) => grant),
    setting
  )
  const seen = terminal({ ...around.stdout, env: around.env })
  const outcome = { grants: shown, warned, dissolved, lost }
  if (command.dryRun) return plan(change, outcome, "", text, rows(seen, warned.map(warnedRow)))
  // Nobody is asked about an agent that can do nothing, unless somebody sits there and was asked for its grants.
  if (grants.length > 0 || (command.spec === undefined && !command.json && around.tty !== undefined)) {
    const title = `Create ${id} (${change.record.file})${grants.length === 0 ? ", which holds nothing" : ""}`
    const refused = await consent(change, {
      title,
      question: "Create this?",
      undone: UNDONE,
      shown,
      warned,
      edited: edit.right
    })
    if (refused !== undefined) return refused
  }
  await createRecord(source, text, workspace, around.signal)
  return conclude(change, { ...outcome, outcome: "created" }, created(seen, change, shown, warned))
}

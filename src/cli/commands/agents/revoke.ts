/** `agents revoke`: narrows an agent. Nobody has to be asked for that. */
import { Either } from "effect"
import type * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import * as AgentEdit from "../../../policy/agent/edit/AgentEdit.js"
import * as Grant from "../../../policy/grant/Grant.js"
import type { AgentsCommand } from "../../Arguments.js"
import { marked } from "../../report/Table.js"
import { cut, terminal } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { agentPlaces, openAgent } from "../../workspace/LoadAgent.js"
import { replaceRecord } from "../../workspace/ReplaceRecord.js"
import { settingOf } from "../../workspace/Setting.js"
import { besides, NEXT_TURN } from "./Besides.js"
import { type Change, conclude, plan, refuse, specsOf } from "./change.js"

interface Narrowed {
  readonly text: string
  readonly record: AgentRecord.AgentRecord
  readonly revoked: ReadonlyArray<Grant.Grant>
  readonly absent: ReadonlyArray<Grant.Grant>
  readonly dissolved: AgentEdit.Edited["dissolved"]
  readonly lost: AgentEdit.Edited["lost"]
}

/** One after the other: each is taken from what the ones before it have left. */
const narrow = (
  source: AgentRecord.Text,
  record: AgentRecord.AgentRecord,
  grants: ReadonlyArray<Grant.Grant>,
  places: AgentRecord.Places
): Either.Either<Narrowed, AgentEdit.EditRefused> => {
  let done: Narrowed = { text: source.text, record, revoked: [], absent: [], dissolved: [], lost: [] }
  for (const grant of grants) {
    const edit = AgentEdit.revoke({ ...source, text: done.text }, grant, places)
    if (Either.isLeft(edit)) return Either.left(edit.left)
    const { changed, dissolved, lost, record, text } = edit.right
    done = changed
      ? {
          ...done,
          text,
          record,
          revoked: [...done.revoked, grant],
          dissolved: [...done.dissolved, ...dissolved],
          lost: [...done.lost, ...lost]
        }
      : { ...done, absent: [...done.absent, grant] }
  }
  return Either.right(done)
}

/** As much as somebody reads. */
const SHOWN = 20
const LONGEST = 500

/** What is left of the same name, so that nobody takes a part for the whole. */
const left = ({ record, revoked }: Narrowed): ReadonlyArray<string> => {
  const names = new Set(revoked.map(({ name }) => name))
  const still = record.held.filter(({ effective }) => names.has(effective.name))
  if (still.length === 0) return []
  const some = still.slice(0, SHOWN).map(({ effective }) => cut(Grant.print(effective), LONGEST))
  const more = still.length > SHOWN ? ` and ${still.length - SHOWN} more` : ""
  return [`it still holds ${some.join(", ")}${more}`]
}

export const revoke = async (command: AgentsCommand, around: Surroundings): Promise<number> => {
  const setting = settingOf(command, around)
  const { record, source } = openAgent(command.agent, setting)
  const change: Change = { command, around, record }
  const places = agentPlaces(setting)
  const specs = specsOf(command.spec ?? "", places)
  if (Either.isLeft(specs)) return refuse(change, specs.left)
  const edit = narrow(source, record, specs.right, places)
  if (Either.isLeft(edit)) return refuse(change, edit.left.message)
  const done = edit.right
  const seen = terminal({ ...around.stdout, env: around.env })
  const words = [
    ...done.revoked.map((one) => `${marked(seen, "good")} Revoked ${Grant.print(one)} from ${record.id}`),
    ...done.absent.map((one) => `No change — ${record.id} does not hold ${Grant.print(one)}`),
    ...(done.revoked.length === 0 ? [] : [NEXT_TURN, ...left(done), ...besides(done)])
  ]
  const isChanged = done.revoked.length > 0
  const outcome = {
    grants: (isChanged ? done.revoked : done.absent).map((grant) => ({ grant, inert: undefined })),
    dissolved: done.dissolved,
    lost: done.lost
  }
  if (command.dryRun && isChanged) {
    const beside = besides(done).map((line) => `${line}\n`)
    return plan(change, outcome, source.text, done.text, beside.join(""))
  }
  if (isChanged) await replaceRecord(source, done.text, setting, around.signal)
  return conclude(
    change,
    { ...outcome, outcome: isChanged ? "revoked" : "unchanged" },
    words.map((line) => `${line}\n`).join("")
  )
}

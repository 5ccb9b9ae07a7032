/** `agents`: the agents of the workspace, each with how much is at stake. */
import type * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import * as Catalog from "../../../policy/grant/Catalog.js"
import * as Grant from "../../../policy/grant/Grant.js"
import type { AgentsListCommand } from "../../Arguments.js"
import { CliError } from "../../CliError.js"
import { count, type Row, rows } from "../../report/Table.js"
import { type Terminal, terminal } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { NOT_FOLLOWED } from "../../workspace/AgentFiles.js"
import { settingOf } from "../../workspace/Setting.js"
import { recordsOf } from "../doctor/Input.js"
import { toneOf } from "./ShownGrants.js"

const NONE = "(no agent records)"

interface Listed {
  readonly agent: string
  readonly file: string
  readonly title: string | null
  /** The most that any of its grants puts at stake. */
  readonly risk: Catalog.Risk | null
  readonly grants: ReadonlyArray<string>
  readonly inert: number
  readonly warnings: number
}

const listed = ({ file, held, id, title, warnings }: AgentRecord.AgentRecord): Listed => {
  const found = new Set(held.map(({ effective }) => Grant.risk(effective)))
  return {
    agent: id,
    file,
    title: title ?? null,
    risk: Catalog.risks.findLast((risk) => found.has(risk)) ?? null,
    grants: held.map(({ effective }) => Grant.print(effective)),
    inert: held.filter(({ inert }) => inert !== undefined).length,
    warnings: warnings.length
  }
}

const rowOf = ({ agent, grants, inert, risk, title, warnings }: Listed): Row => ({
  mark: warnings > 0 || inert > 0 ? "warning" : undefined,
  label: risk ?? "none",
  tone: risk === null ? "dim" : toneOf(risk),
  title: agent,
  detail: [
    ...(title === null ? [] : [title]),
    [
      count(grants.length, "grant"),
      ...(inert === 0 ? [] : [`${inert} inert`]),
      ...(warnings === 0 ? [] : [count(warnings, "warning")])
    ].join(", ")
  ]
})

const text = (seen: Terminal, all: ReadonlyArray<Listed>): string =>
  all.length === 0 ? `${NONE}\n` : `${rows(seen, all.map(rowOf))}\n${seen.bold(count(all.length, "agent"))}\n`

export const list = async (command: AgentsListCommand, around: Surroundings): Promise<number> => {
  const setting = settingOf(command, around)
  if (setting.workspace === undefined) {
    throw new CliError("there is no workspace here to list the agents of; write a bailiwick.yaml")
  }
  const { agents, workspace } = await recordsOf(setting, around)
  const all = agents.filter((record) => record.class === "agent").map(listed)
  const unreadable = workspace?.records.unreadable ?? []
  for (const { detail, file, remedy } of unreadable) around.complain(`${file}: ${detail}; ${remedy}`)
  for (const { file, id } of workspace?.records.links ?? []) {
    if (`${id}/`.startsWith("agents/")) around.complain(`${file} ${NOT_FOLLOWED}`)
  }
  await around.print(
    command.json
      ? `${JSON.stringify({ agents: all, unreadable }, null, 2)}\n`
      : text(terminal({ ...around.stdout, env: around.env }), all)
  )
  return 0
}

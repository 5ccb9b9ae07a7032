/** `agents capabilities`: what an agent holds, the consequential first. */
import * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import type { AgentsCommand } from "../../Arguments.js"
import { count, rows } from "../../report/Table.js"
import { cut, type Terminal, terminal } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { loadAgent } from "../../workspace/LoadAgent.js"
import { settingOf } from "../../workspace/Setting.js"
import { byRisk, shownJson, shownRow } from "./ShownGrants.js"

const origins: Readonly<Record<AgentRecord.Held["from"], (line: number) => string | undefined>> = {
  default: () => "by default: the record has neither capabilities: nor access:",
  access: (line) => `from access: in line ${line}`,
  sandbox: (line) => `from sandbox: in line ${line}`,
  capabilities: () => undefined
}

const document = ({ file, held, id, warnings }: AgentRecord.AgentRecord) => ({
  agent: id,
  file,
  grants: held.map((one) => ({
    ...shownJson({ grant: one.effective, inert: one.inert }),
    from: one.from,
    line: one.line
  })),
  warnings: warnings.map(({ code, column, detail, line, remedy }) => ({ line, column, code, detail, remedy }))
})

const text = (seen: Terminal, { file, held, id, title, warnings }: AgentRecord.AgentRecord): string => {
  const inert = held.filter((one) => one.inert !== undefined).length
  const name = title === undefined ? "" : `  ${title}`
  const shown = held.map(({ effective, from, inert, line }) => {
    const origin = origins[from](line)
    return shownRow({ grant: effective, inert }, ...(origin === undefined ? [] : [`(${origin})`]))
  })
  const noted = warnings.map((warning) => ({
    mark: "warning" as const,
    title: AgentRecord.message(file, warning)
  }))
  const line = (whole: string): string => (seen.isTTY ? cut(whole, seen.columns) : cut(whole, Infinity))
  return [
    `${seen.bold(line(`${id}${name}`))}\n${seen.dim(line(file))}\n`,
    held.length === 0 ? "(none)\n" : rows(seen, shown),
    ...(noted.length === 0 ? [] : [rows(seen, noted)]),
    `${seen.bold(count(held.length, "grant"))}${inert === 0 ? "" : `, ${inert} inert`}\n`
  ].join("\n")
}

export const capabilities = async (command: AgentsCommand, around: Surroundings): Promise<number> => {
  const loaded = loadAgent(command.agent, settingOf(command, around))
  const held = byRisk(loaded.held.map((one) => ({ ...one, grant: one.effective })))
  const record = { ...loaded, held }
  await around.print(
    command.json
      ? `${JSON.stringify(document(record), null, 2)}\n`
      : text(terminal({ ...around.stdout, env: around.env }), record)
  )
  return 0
}

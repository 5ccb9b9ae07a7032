/** What the doctor would say of grants, before they are written. */
import * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import * as Grant from "../../../policy/grant/Grant.js"
import * as Doctor from "../../../registry/doctor/Doctor.js"
import * as Registry from "../../../registry/Registry.js"
import { realPath } from "../../read.js"
import type { Row } from "../../report/Table.js"
import { agentPlaces } from "../../workspace/LoadAgent.js"
import type { Setting } from "../../workspace/LoadPersonality.js"

export type Warned = Pick<Doctor.Finding, "code" | "detail" | "remedy">

/** Checks of single entries. Why one is inert is said beside it already. */
const asked: ReadonlySet<Doctor.CheckName> = new Set<Doctor.CheckName>([
  "grants",
  "escalation",
  "floor",
  "providers"
])

const placesOf = ({ workspace }: Setting): Doctor.Workspace | undefined =>
  workspace && {
    root: workspace.root,
    records: { directory: workspace.recordsDir, isThere: true, files: [], unreadable: [] },
    real: realPath
  }

/** A record of these grants and nothing else, so that nothing is said of what the agent held before. */
const recordOf = (grants: ReadonlyArray<Grant.Grant>): string =>
  [
    "---",
    "class: agent",
    "capabilities:",
    ...grants.map((one) => `  - ${Grant.toYaml(one)}`),
    "---",
    ""
  ].join("\n")

export const secondLook = (
  { file, id }: Pick<AgentRecord.AgentRecord, "file" | "id">,
  grants: ReadonlyArray<Grant.Grant>,
  setting: Setting
): ReadonlyArray<Warned> => {
  if (grants.length === 0) return []
  const record = AgentRecord.parse({ id, file, text: recordOf(grants) }, agentPlaces(setting))
  const { findings } = Doctor.examine({
    agents: [record],
    personalities: [],
    tools: Registry.make(),
    workspace: placesOf(setting),
    platform: { platform: process.platform },
    home: setting.home
  })
  return findings
    .filter(({ check }) => asked.has(check))
    .map(({ code, detail, remedy }) => ({ code, detail, remedy }))
}

export const warnedRow = ({ code, detail, remedy }: Warned): Row => ({
  mark: "warning",
  label: "doctor",
  tone: "yellow",
  title: detail,
  detail: [code, `→ ${remedy}`]
})

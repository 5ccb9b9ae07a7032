/** `doctor`: a second look at the workspace and the machine. It warns, and blocks nothing. */
import * as Doctor from "../../../registry/doctor/Doctor.js"
import type { DoctorCommand } from "../../Arguments.js"
import { terminal } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { settingOf } from "../../workspace/Setting.js"
import { gatherTools } from "../../workspace/Tools.js"
import { auditedIn } from "./audited.js"
import { personalitiesOf, recordsOf, skillsOf, unloadedOf } from "./Input.js"
import { leftoversOf, platformOf, secretsOf } from "./machine.js"
import { doctorReport } from "./report.js"
import { storedIn } from "./stored.js"

const counted = ({ findings, passed }: Doctor.Report) => ({
  passed: passed.length,
  failed: findings.filter(({ severity }) => severity === "failure").length,
  warnings: findings.filter(({ severity }) => severity === "warning").length
})

export const doctor = async (command: DoctorCommand, around: Surroundings): Promise<number> => {
  const { own, refused, registry: tools, setting } = await gatherTools(settingOf(command, around), around)
  const { agents, workspace } = await recordsOf(setting, around)
  const personalities = personalitiesOf(setting)
  const report = Doctor.examine({
    agents,
    personalities,
    tools,
    // Tools of servers are not looked at one by one: which agents can use a server, 'tools mcp who' says.
    bundled: new Set([...tools.tools.keys()].filter((name) => !own.has(name))),
    workspace: workspace && {
      ...workspace,
      skills: skillsOf(setting, around),
      unloaded: unloadedOf(refused, setting),
      uninstalled: refused.some(({ isDue }) => isDue === true)
    },
    sandbox: setting.workspace?.sandbox,
    platform: await platformOf(setting, around),
    leftovers: await leftoversOf(setting),
    home: setting.home,
    audit: await auditedIn(setting, around),
    storage: await storedIn(setting, around),
    ...(await secretsOf(Doctor.secretRefs({ agents, personalities, tools, workspace }), setting, around))
  })
  const root = setting.workspace?.root
  const held = agents.filter(({ class: kind }) => kind === "agent").length
  await around.print(
    command.json
      ? `${JSON.stringify({ workspace: root ?? null, agents: held, personalities: personalities.length, ...report, summary: counted(report) }, null, 2)}\n`
      : doctorReport(terminal({ ...around.stdout, env: around.env }), {
          workspace: root,
          agents: held,
          cwd: around.cwd,
          report
        })
  )
  return command.strict && report.findings.length > 0 ? 1 : 0
}

/** `skills list`, `skills show` and `skills check`: what there is, and which agent may use it. */
import type * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import type * as Grant from "../../../policy/grant/Grant.js"
import { grantsOf } from "../../../policy/server/ServerNotation.js"
import * as Skill from "../../../policy/skill/Skill.js"
import { closest } from "../../../policy/text/Closest.js"
import { quote } from "../../../policy/text/Quote.js"
import type { SkillsCommand } from "../../Arguments.js"
import { CliError } from "../../CliError.js"
import { count, rows } from "../../report/Table.js"
import { terminal } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { agentPlaces, loadAgent } from "../../workspace/LoadAgent.js"
import { type Found, loadSkills, warningOf } from "../../workspace/LoadSkills.js"
import { settingOf } from "../../workspace/Setting.js"
import { requirementsOf, toolsOf } from "../../workspace/Tools.js"
import type { Workspace } from "../../workspace/Workspace.js"
import { checkSkills } from "./check.js"
import { jsonOf, type Shown } from "./json.js"
import { showSkill } from "./show.js"

const named = (name: string, skills: ReadonlyArray<Found>, { skillsDir }: Workspace): Found => {
  const found = skills.find(({ skill }) => skill.name === name)
  if (found !== undefined) return found
  const meant = closest(
    name,
    skills.map(({ skill }) => skill.name)
  )
  const hint = meant === undefined ? `'bailiwick skills list' lists them` : `did you mean '${meant}'?`
  throw new CliError(`there is no skill ${quote(name)} in ${skillsDir} or among the records; ${hint}`)
}

/** What each MCP server requires. Of one that cannot be read it is not known. */
const requiredByServers = ({ servers }: Workspace): ReadonlyMap<string, ReadonlyArray<Grant.Grant>> =>
  new Map(
    servers.flatMap((entry) => {
      const grants = grantsOf(entry)
      return grants === undefined ? [] : [[entry.name, grants]]
    })
  )

const listText = ({ terminal: surface }: Shown, skills: ReadonlyArray<Found>): string => {
  const table = rows(
    surface,
    skills.map(({ skill }) =>
      Skill.isBroken(skill)
        ? {
            mark: "bad",
            title: skill.name,
            detail: skill.problems.map((problem) => Skill.message(skill.file, problem))
          }
        : { title: skill.name, detail: [skill.description] }
    )
  )
  const broken = skills.filter(({ skill }) => Skill.isBroken(skill)).length
  const total = `${count(skills.length, "skill")}${broken === 0 ? "" : `, ${broken} broken`}`
  return `${table}${skills.length === 0 ? "" : "\n"}${surface.bold(total)}\n`
}

const list = (shown: Shown, skills: ReadonlyArray<Found>, agent: AgentRecord.AgentRecord | undefined) => {
  const offered =
    agent &&
    new Set(
      Skill.available(
        skills.map(({ skill }) => skill),
        agent,
        shown.options
      )
    )
  const kept = skills.filter(({ skill }) => offered?.has(skill) ?? true)
  return {
    text: listText(shown, kept),
    json: { skills: kept.map((found) => jsonOf(found)) },
    code: 0
  }
}

export const skills = async (command: SkillsCommand, around: Surroundings): Promise<number> => {
  const found = settingOf(command, around)
  const { workspace } = found
  if (workspace === undefined) {
    throw new CliError("there is no workspace here to look for skills in; write a bailiwick.yaml")
  }
  const tools = await toolsOf(found, around, { servers: false })
  const { setting } = tools
  const agent = command.agent === undefined ? undefined : loadAgent(command.agent, setting)
  const loaded = loadSkills(workspace, around)
  const shown: Shown = {
    terminal: terminal({ ...around.stdout, env: around.env }),
    options: {
      ...agentPlaces(setting),
      root: setting.workdir,
      tools: requirementsOf(tools),
      servers: requiredByServers(workspace)
    },
    given: command.agent,
    cwd: around.cwd
  }
  const chosen =
    command.skill === undefined ? loaded.skills : [named(command.skill, loaded.skills, workspace)]
  const [first] = chosen
  const { code, json, text } =
    command.command === "skills show" && first !== undefined
      ? showSkill(shown, first, agent)
      : command.command === "skills check"
        ? checkSkills(shown, chosen, agent)
        : list(shown, chosen, agent)
  const warnings = loaded.ignored.map(warningOf)
  if (!command.json) for (const warning of warnings) around.complain(warning)
  const document = { ...(agent === undefined ? {} : { agent: agent.id }), ...json, warnings }
  await around.print(command.json ? `${JSON.stringify(document, null, 2)}\n` : text)
  return code
}

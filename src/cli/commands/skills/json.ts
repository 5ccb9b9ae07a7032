/** Skills as data, for whoever asks for JSON. */
import { resolve } from "node:path"
import type { AgentRecord } from "../../../policy/agent/AgentRecord.js"
import * as Grant from "../../../policy/grant/Grant.js"
import * as Skill from "../../../policy/skill/Skill.js"
import { shellQuoted, shellWord } from "../../../policy/text/Quote.js"
import { isFile } from "../../read.js"
import type { Terminal } from "../../report/Terminal.js"
import type { Found } from "../../workspace/LoadSkills.js"

/** Where and for whom something is shown. */
export interface Shown {
  readonly terminal: Terminal
  readonly options: Skill.Options
  /** How the operator called the agent. */
  readonly given: string | undefined
  readonly cwd: string
}

export interface Answer {
  readonly text: string
  readonly json: object
  readonly code: number
}

export const jsonOf = ({ skill, source }: Found) => {
  const { description, file, name, problems } = skill
  return { name, description, file, source, broken: Skill.isBroken(skill), problems }
}

/** A record outside of the workspace is found by its file alone. */
const agentWord = ({ id }: AgentRecord, { cwd, given }: Shown): string => {
  const word = given !== undefined && isFile(resolve(cwd, given)) ? given : id
  return shellWord(word)
}

/** One line for a shell. */
export const grantCommand = (grant: Grant.Grant, agent: AgentRecord, shown: Shown): string =>
  `bailiwick agents grant ${agentWord(agent, shown)} ${shellQuoted(Grant.print(grant))}`

export const checkJson = (check: Skill.Check, agent: AgentRecord, shown: Shown) => ({
  satisfied: check.satisfied.map(({ grants, line, token }) => ({
    token,
    line,
    grants: grants.map(Grant.print)
  })),
  missing: check.missing.map(({ grant, inert, line, token }) => ({
    token,
    line,
    grant: Grant.print(grant),
    command: grantCommand(grant, agent, shown),
    ...(inert === undefined ? {} : { inert })
  })),
  unknown: check.unknown
})

/** What the tools of a skill require, whoever asks. */
export const toolsJson = ({ tokens }: Skill.Skill, options: Skill.Options) =>
  tokens.map((token) => {
    const requires = Skill.requirementsOf(token, options)
    return "detail" in requires
      ? requires
      : {
          token: token.text,
          line: token.line,
          requires: requires.map(({ extent, grant }) => ({ grant: Grant.print(grant), extent }))
        }
  })

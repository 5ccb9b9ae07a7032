/** `skills check`: the files themselves, or what an agent lacks and the line that grants it. */
import type { AgentRecord } from "../../../policy/agent/AgentRecord.js"
import * as Skill from "../../../policy/skill/Skill.js"
import { count, type Mark, marked } from "../../report/Table.js"
import { visible } from "../../report/Terminal.js"
import type { Found } from "../../workspace/LoadSkills.js"
import { type Answer, checkJson, grantCommand, jsonOf, type Shown } from "./json.js"

interface Report {
  readonly found: Found
  readonly check: Skill.Check | undefined
  readonly unknown: ReadonlyArray<Skill.Unknown>
}

const reportOf = (found: Found, agent: AgentRecord | undefined, { options }: Shown): Report => {
  const { skill } = found
  if (agent !== undefined) {
    const check = Skill.check(skill, agent, options)
    return { found, check, unknown: check.unknown }
  }
  return {
    found,
    check: undefined,
    unknown: skill.tokens.flatMap((token) => {
      const requires = Skill.requirementsOf(token, options)
      return "detail" in requires ? [requires] : []
    })
  }
}

const isWanting = ({ check, found }: Report): boolean =>
  Skill.isBroken(found.skill) || (check?.missing.length ?? 0) > 0

const markOf = (report: Report): Mark =>
  isWanting(report) ? "bad" : report.unknown.length > 0 ? "warning" : "good"

const tokensIn = (all: ReadonlyArray<{ readonly token: string }>): string =>
  [...new Set(all.map(({ token }) => token))].join(" ")

/** Lines are left whole, however narrow the terminal: they are there to be pasted. */
const linesOf = (report: Report, agent: AgentRecord | undefined, shown: Shown): ReadonlyArray<string> => {
  const { check, found, unknown } = report
  const { file, problems } = found.skill
  const { terminal } = shown
  const missing = check?.missing ?? []
  const commands = agent === undefined ? [] : missing.map(({ grant }) => grantCommand(grant, agent, shown))
  const inert = missing.flatMap((one) =>
    one.inert === undefined ? [] : [`${one.inert.detail}; ${one.inert.remedy}`]
  )
  return [
    ...problems.map((problem) => terminal.red(visible(Skill.message(file, problem)))),
    ...(check === undefined || check.satisfied.length === 0
      ? []
      : [`satisfied: ${visible(tokensIn(check.satisfied))}`]),
    ...(missing.length === 0 ? [] : [`missing: ${visible(tokensIn(missing))}`]),
    ...[...new Set(commands)].map((command) => `  ${visible(command)}`),
    ...[...new Set(inert)].map((text) => terminal.yellow(visible(`! ${text}`))),
    ...unknown.map(({ detail, line, remedy, token }) =>
      terminal.yellow(visible(`! ${file}:${line} ${token}: ${detail}; ${remedy}`))
    )
  ]
}

const block = (report: Report, agent: AgentRecord | undefined, shown: Shown): string => {
  const { terminal } = shown
  return [
    `${marked(terminal, markOf(report))} ${terminal.bold(visible(report.found.skill.name))}`,
    ...linesOf(report, agent, shown).map((line) => `  ${line}`)
  ].join("\n")
}

const summary = (reports: ReadonlyArray<Report>): string => {
  const broken = reports.filter(({ found }) => Skill.isBroken(found.skill)).length
  const wanting = reports.filter(isWanting).length - broken
  return [
    count(reports.length, "skill"),
    ...(wanting === 0 ? [] : [`${wanting} not satisfied`]),
    ...(broken === 0 ? [] : [`${broken} broken`])
  ].join(", ")
}

export const checkSkills = (
  shown: Shown,
  skills: ReadonlyArray<Found>,
  agent: AgentRecord | undefined
): Answer => {
  const reports = skills.map((found) => reportOf(found, agent, shown))
  return {
    text: [...reports.map((report) => block(report, agent, shown)), shown.terminal.bold(summary(reports))]
      .join("\n\n")
      .concat("\n"),
    json: {
      skills: reports.map(({ check, found, unknown }) => ({
        ...jsonOf(found),
        ...(check === undefined || agent === undefined ? { unknown } : checkJson(check, agent, shown))
      }))
    },
    // What an agent lacks is an answer; a skill that is broken is found wanting.
    code: skills.some(({ skill }) => Skill.isBroken(skill)) ? 1 : 0
  }
}

/** `skills show`: one skill, what its tools require, and its text. */
import type { AgentRecord } from "../../../policy/agent/AgentRecord.js"
import * as Grant from "../../../policy/grant/Grant.js"
import * as Skill from "../../../policy/skill/Skill.js"
import { type Mark, type Row, rows } from "../../report/Table.js"
import { visible, wrap } from "../../report/Terminal.js"
import type { Found } from "../../workspace/LoadSkills.js"
import { type Answer, checkJson, jsonOf, type Shown, toolsJson } from "./json.js"

const inWords = ({ extent, grant }: Skill.Requirement): string =>
  extent === "some" ? `some ${Grant.print(grant)}` : Grant.print(grant)

const rowOf = (token: Skill.Token, check: Skill.Check | undefined, options: Skill.Options): Row => {
  const requires = Skill.requirementsOf(token, options)
  if ("detail" in requires) {
    return { mark: "warning", title: token.text, detail: [`${requires.detail}; ${requires.remedy}`] }
  }
  const held = check?.satisfied.some((one) => one.token === token.text)
  const mark: Mark | undefined = held === undefined ? undefined : held ? "good" : "bad"
  const detail = requires.length === 0 ? ["needs nothing"] : requires.map((one) => `needs ${inWords(one)}`)
  return { mark, title: token.text, detail }
}

const fieldsOf = ({ compatibility, description, file, license, metadata }: Skill.Skill) =>
  [
    ["description", description],
    ["file", file],
    ["license", license],
    ["compatibility", compatibility],
    ["metadata", metadata === undefined ? undefined : JSON.stringify(metadata)]
  ].flatMap(([label, title]) => (title === undefined || title === "" ? [] : [{ label, title }]))

export const showSkill = (shown: Shown, found: Found, agent: AgentRecord | undefined): Answer => {
  const { skill } = found
  const { options, terminal } = shown
  const check = agent && Skill.check(skill, agent, options)
  const parts = [
    `${terminal.bold(visible(skill.name))}\n${rows(terminal, fieldsOf(skill))}`,
    skill.problems
      .flatMap((problem) => wrap(Skill.message(skill.file, problem), terminal.columns))
      .map((line) => `${terminal.red(line)}\n`)
      .join(""),
    rows(
      terminal,
      skill.tokens.map((token) => rowOf(token, check, options))
    ),
    `${visible(skill.body.trim())}\n`
  ]
  const { compatibility, license, metadata, body } = skill
  return {
    text: parts.filter((part) => part.trim() !== "").join("\n"),
    json: {
      skill: {
        ...jsonOf(found),
        license,
        compatibility,
        metadata,
        tools: toolsJson(skill, options),
        ...(check === undefined || agent === undefined ? {} : checkJson(check, agent, shown)),
        body
      }
    },
    code: 0
  }
}

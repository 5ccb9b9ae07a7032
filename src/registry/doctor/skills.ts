/** Skills: that each can be read, and that none is passed over in silence. */
import type { Skill } from "../../policy/skill/Skill.js"
import type { Finding, Input } from "./Model.js"
import { type Check, knowsAllTools, some } from "./subjects.js"

const broken = ({ file, name, problems }: Skill): ReadonlyArray<Finding> =>
  problems.map(({ code, detail, line, remedy }) => ({
    severity: "failure",
    check: "skills",
    subject: name,
    code,
    file,
    line,
    detail: `the skill is broken, and nobody is offered it: ${detail}`,
    remedy
  }))

const unknownTools = (
  { file, name, problems, tokens }: Skill,
  { tools }: Input["tools"]
): ReadonlyArray<Finding> =>
  problems.length > 0
    ? []
    : tokens.flatMap(
        (token): ReadonlyArray<Finding> =>
          token._tag === "Unknown" && !tools.has(token.tool)
            ? [
                {
                  severity: "warning",
                  check: "skills",
                  subject: name,
                  code: "TOOL_UNKNOWN",
                  file,
                  line: token.line,
                  detail: `the skill lists an ${token.detail}`,
                  remedy: token.remedy
                }
              ]
            : []
      )

export const skills: Check = {
  name: "skills",
  passed: ({ workspace }) => {
    const { length } = workspace?.skills?.all ?? []
    return length === 0 ? undefined : `${some(length, "skill")}, all of them readable`
  },
  findings: (input) => {
    const { all = [], ignored = [] } = input.workspace?.skills ?? {}
    return [
      ...all.flatMap((skill) => [
        ...broken(skill),
        ...(knowsAllTools(input) ? unknownTools(skill, input.tools) : [])
      ]),
      ...ignored.map(
        (one): Finding => ({
          severity: one.code === "FILE_UNREADABLE" ? "failure" : "warning",
          check: "skills",
          ...one
        })
      )
    ]
  }
}

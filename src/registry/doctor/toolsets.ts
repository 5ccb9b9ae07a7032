/** Names in toolsets: that a tool has each, and is left something to do. */
import { serverOf } from "../../policy/ToolOrigin.js"
import { validateToolsForPersonality } from "../Validation.js"
import type { Finding, Input } from "./Model.js"
import {
  type Check,
  declaredBy,
  knowsAllTools,
  personalitiesOf,
  policyOf,
  type ReadPersonality,
  some
} from "./subjects.js"

/** Which tools the servers of MCP have is not known here. */
const unknownNames = ({ file, personality }: ReadPersonality, input: Input): ReadonlyArray<Finding> =>
  (knowsAllTools(input) ? validateToolsForPersonality(input.tools, personality) : [])
    .filter(({ capability, tool }) => capability === "toolset" && serverOf(tool) === undefined)
    .map(({ message, remedy }) => ({
      severity: "warning",
      check: "toolsets",
      subject: personality.id,
      code: "TOOL_UNKNOWN",
      file: file.toolset ?? file.file,
      detail: message,
      remedy
    }))

const leftNothing = (
  { file, personality }: ReadPersonality,
  { home, tools }: Input
): ReadonlyArray<Finding> => {
  const { id, toolset = [] } = personality
  const plan = tools.plan(policyOf(personality), home)
  return toolset.flatMap((name): ReadonlyArray<Finding> => {
    const tool = tools.tools.get(name)
    if (tool === undefined || plan.leaves(tool)) return []
    return [
      {
        severity: "warning",
        check: "toolsets",
        subject: id,
        code: "TOOL_LEFT_NOTHING",
        file: file.toolset ?? file.file,
        detail: `the toolset names ${name}, and leaves it nothing of what it declares (${declaredBy(tool)})`,
        remedy: "allow something of it, or take it out of the toolset"
      }
    ]
  })
}

export const toolsets: Check = {
  name: "toolsets",
  passed: (input) => {
    const named = personalitiesOf(input).flatMap(({ personality }) => personality.toolset ?? [])
    return named.length === 0 || !knowsAllTools(input)
      ? undefined
      : `${some(named.length, "name")}, each of a tool that can work`
  },
  findings: (input) =>
    personalitiesOf(input).flatMap((read) => [...unknownNames(read, input), ...leftNothing(read, input)])
}

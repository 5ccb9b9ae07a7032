/** Tools that are registered and that nobody may call, and modules of tools that cannot be used. */
import * as AgentRecord from "../../policy/agent/AgentRecord.js"
import * as Authority from "../../policy/lattice/Authority.js"
import { lazy } from "../../policy/Memo.js"
import type { Policy } from "../../policy/Policy.js"
import type * as Tool from "../../tools/Tool.js"
import type { Finding, Input } from "./Model.js"
import {
  agentsOf,
  type Check,
  declaredBy,
  listed,
  type Subject,
  some,
  subjectsBy,
  subjectsOf
} from "./subjects.js"

const mayCall = (policy: Policy, tool: Tool.Any, { home, tools }: Input): boolean => {
  const plan = tools.plan(policy, home)
  return plan.offers(tool.name) && plan.unheld(tool.name) === undefined && plan.leaves(tool)
}

/** One that holds all that agents hold: what it is left nothing of, none of them is left anything of. */
const allAgents = (input: Input): Policy | undefined => {
  const [first, ...rest] = agentsOf(input)
  if (first === undefined) return undefined
  const authority = Authority.joinAll([first, ...rest].map((agent) => agent.authority))
  return AgentRecord.policy({ ...first, authority, held: [], mentioned: new Set() })
}

/** So many are asked one by one before all of them are together. */
const FEW = 16

const findIdle = (input: Input): ReadonlyArray<Tool.Any> => {
  const { agents, personalities } = subjectsBy(input)
  const all = lazy(() => allAgents(input))
  const mayAny = (subjects: ReadonlyArray<Subject>, tool: Tool.Any): boolean =>
    subjects.some(({ policy }) => mayCall(policy, tool, input))
  const mayAll = (tool: Tool.Any): boolean => {
    const policy = all()
    return policy !== undefined && mayCall(policy, tool, input)
  }
  return [...input.tools.tools.values()].filter(
    (tool) =>
      !mayAny(personalities, tool) &&
      !mayAny(agents.slice(0, FEW), tool) &&
      (agents.length <= FEW || !mayAll(tool) || !mayAny(agents.slice(FEW), tool))
  )
}

const known = new WeakMap<Input, ReadonlyArray<Tool.Any>>()

/** The tools that are offered to nobody, where there is anybody. */
const idle = (input: Input): ReadonlyArray<Tool.Any> => {
  const found = known.get(input) ?? (subjectsOf(input).length === 0 ? [] : findIdle(input))
  known.set(input, found)
  return found
}

const isBundled = ({ bundled }: Input, { name }: Tool.Any): boolean => bundled?.has(name) === true

export const idleTools: Check = {
  name: "tools",
  passed: (input) => {
    if (subjectsOf(input).length === 0) return undefined
    if (input.workspace?.uninstalled === true) {
      return "those of the workspace were not looked at, for nothing is installed yet; run npm install"
    }
    const unused = idle(input).map(({ name }) => name)
    return unused.length === 0
      ? `${some(input.tools.tools.size, "tool")}, each of which somebody may call`
      : `of ${some(input.tools.tools.size, "tool")} nobody may call ${listed(unused, 30)}`
  },
  findings: (input) => [
    ...(input.workspace?.unloaded ?? []).map(
      (one): Finding => ({ severity: "failure", check: "tools", ...one })
    ),
    ...idle(input)
      .filter((tool) => !isBundled(input, tool))
      .map(
        (tool): Finding => ({
          severity: "warning",
          check: "tools",
          subject: tool.name,
          code: "TOOL_OFFERED_TO_NOBODY",
          detail: `no agent and no personality may call ${tool.name}, which declares ${declaredBy(tool)}`,
          remedy: "grant what it declares to one of them, or do not register it"
        })
      )
  ]
}

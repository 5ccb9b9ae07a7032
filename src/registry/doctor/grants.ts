/** What agents' records say and nobody understands, and what they say in vain. */
import type { AgentRecord } from "../../policy/agent/AgentRecord.js"
import { closest } from "../../policy/text/Closest.js"
import { quote } from "../../policy/text/Quote.js"
import type { Finding, Input } from "./Model.js"
import { agentsOf, type Check, heldBy, some } from "./subjects.js"

const misunderstood = ({ file, id, warnings }: AgentRecord): ReadonlyArray<Finding> =>
  warnings.map(({ code, detail, line, remedy }) => ({
    severity: "warning",
    check: "grants",
    subject: id,
    code,
    file,
    line,
    detail,
    remedy
  }))

/** Whoever writes grants means an agent. */
const noAgents = ({ agents }: Input): ReadonlyArray<Finding> =>
  agents.flatMap(({ class: kind, file, id, line, written }): ReadonlyArray<Finding> => {
    if (kind === "agent") return []
    const slip = kind !== undefined && closest(kind, ["agent"]) !== undefined
    if (!slip && !written.capabilities) return []
    const detail =
      kind === undefined
        ? "the record writes grants and has no class, so that it holds nothing"
        : `the class of the record is ${quote(kind)}, so that it holds nothing`
    return [
      {
        severity: "warning",
        check: "grants",
        subject: id,
        code: "NOT_AN_AGENT",
        file,
        line,
        detail,
        remedy: "write 'class: agent'"
      }
    ]
  })

const agentsIn = (input: Input): string | undefined => {
  const agents = agentsOf(input)
  return agents.length === 0 ? undefined : some(agents.length, "agent")
}

const grantsIn = (input: Input): string =>
  some(
    agentsOf(input).reduce((sum, { held }) => sum + held.length, 0),
    "grant"
  )

export const grants: Check = {
  name: "grants",
  passed: (input) => {
    const agents = agentsIn(input)
    return agents && `${grantsIn(input)} of ${agents}, all of them understood`
  },
  findings: (input) => [...agentsOf(input).flatMap(misunderstood), ...noAgents(input)]
}

const inertOf = (agent: AgentRecord): ReadonlyArray<Finding> =>
  agent.held.flatMap((held): ReadonlyArray<Finding> => {
    if (held.inert === undefined) return []
    const { file, line, subject } = heldBy(agent, held)
    const { detail, remedy } = held.inert
    return [
      {
        severity: "warning",
        check: "inert grants",
        subject,
        code: "GRANT_INERT",
        file,
        line,
        detail: `${detail}, so that it gives nothing`,
        remedy
      }
    ]
  })

/** To YAML a lone `~` is nothing, and most who write it mean their home. */
const emptySandbox = ({ file, held, id, line, warnings, written }: AgentRecord): ReadonlyArray<Finding> =>
  !written.sandbox || warnings.length > 0 || held.some(({ effective }) => effective.scope.in !== undefined)
    ? []
    : [
        {
          severity: "warning",
          check: "inert grants",
          subject: id,
          code: "SANDBOX_EMPTY",
          file,
          line,
          detail: "'sandbox' is written and empty, so that it gives nothing",
          remedy: 'write a directory; a lone ~ is written "~"'
        }
      ]

export const inertGrants: Check = {
  name: "inert grants",
  passed: (input) => agentsIn(input) && "every grant gives something",
  findings: (input) => agentsOf(input).flatMap((agent) => [...emptySandbox(agent), ...inertOf(agent)])
}

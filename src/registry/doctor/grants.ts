/** What agents' records say and nobody understands, and what they say in vain. */
import type { AgentRecord } from "../../policy/agent/AgentRecord.js"
import { closest } from "../../policy/text/Closest.js"
import { quote } from "../../policy/text/Quote.js"
import type { Finding, Input } from "./Model.js"
import { agentsOf, type Check, heldBy, isAmongAgents, some } from "./subjects.js"

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

/** Why a record without a class is taken for one that should be an agent's, if it is. */
const classless = ({
  id,
  warnings,
  written
}: AgentRecord): Pick<Finding, "detail" | "remedy"> | undefined => {
  const remedy = "write 'class: agent'"
  const [first] = warnings
  if (isAmongAgents(id)) {
    const why = first?.code === "VALUE_INVALID" ? first : { detail: "it has no class", remedy }
    return {
      detail: `the record is kept among the agents and is none, so that it holds nothing: ${why.detail}`,
      remedy: why.remedy
    }
  }
  return written.capabilities
    ? { detail: "the record writes grants and has no class, so that it holds nothing", remedy }
    : undefined
}

/** Whoever writes grants means an agent, and so does whoever keeps a record among them. */
const noAgents = ({ agents }: Input): ReadonlyArray<Finding> =>
  agents.flatMap((record): ReadonlyArray<Finding> => {
    const { class: kind, file, id, line, written } = record
    if (kind === "agent") return []
    const slip = kind !== undefined && closest(kind, ["agent"]) !== undefined
    if (kind !== undefined && !slip && !written.capabilities) return []
    const why =
      kind === undefined
        ? classless(record)
        : {
            detail: `the class of the record is ${quote(kind)}, so that it holds nothing`,
            remedy: "write 'class: agent'"
          }
    if (why === undefined) return []
    return [
      {
        severity: "warning",
        check: "grants",
        subject: id,
        code: "NOT_AN_AGENT",
        file,
        line,
        ...why
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

/** What to write in the place of nothing. To YAML a lone `~` is nothing, and most who write it mean their home. */
const remedies: { readonly [K in AgentRecord["empty"][number]["key"]]: string } = {
  capabilities: "write a list; [] is none",
  access: "write 'r', 'w' or 'rw', or delete the key",
  sandbox: 'write a directory; a lone ~ is written "~"'
}

/** A key that is there and empty keeps the default away, and gives nothing itself. */
const emptyKeys = ({ empty, file, id }: AgentRecord): ReadonlyArray<Finding> =>
  empty.map(({ key, line }) => ({
    severity: "warning",
    check: "inert grants",
    subject: id,
    code: key === "sandbox" ? "SANDBOX_EMPTY" : "KEY_EMPTY",
    file,
    line,
    detail: `'${key}' is written and empty, so that it gives nothing`,
    remedy: remedies[key]
  }))

export const inertGrants: Check = {
  name: "inert grants",
  passed: (input) => agentsIn(input) && "every grant gives something",
  findings: (input) => agentsOf(input).flatMap((agent) => [...emptyKeys(agent), ...inertOf(agent)])
}

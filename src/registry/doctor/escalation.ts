/** Ways by which an agent could come to hold more than it was given. */
import * as AgentRecord from "../../policy/agent/AgentRecord.js"
import type { Authority } from "../../policy/lattice/Authority.js"
import type { Finding, Input } from "./Model.js"
import { anyCommand, anyHost, type Place, placesOf, runsIn, writesIn } from "./probes.js"
import * as Risks from "./risks.js"
import { agentsOf, type Check, type Entry, heldBy, type Subject, some, subjectsOf } from "./subjects.js"

const warning = (
  { file, line, subject }: Pick<Entry, "file" | "line" | "subject">,
  risk: Risks.Risk
): Finding => ({ severity: "warning", check: "escalation", subject, file, line, ...risk })

/** Also of a grant that is inert: with a root it would allow any command at once. */
const isUnrestricted = (held: AgentRecord.Held): boolean => {
  const { name, scope } = held.grant
  if (name !== "proc.exec") return false
  return held.inert === undefined
    ? anyCommand(AgentRecord.authorityOf(held))
    : (scope.cmds === undefined && scope.patterns === undefined) || scope.patterns?.includes("*") === true
}

const remedyOf = ({ from, grant: { scope } }: AgentRecord.Held): string => {
  if (from === "sandbox") return "write its grants out, and proc.exec with cmds or patterns"
  return scope.cmds === undefined && scope.patterns === undefined
    ? "add cmds or patterns, as in 'proc.exec{cmds=[rg,jq]}'"
    : "name the commands in the place of the pattern that matches every one, as in 'git log *'"
}

const unrestricted = (agent: AgentRecord.AgentRecord): ReadonlyArray<Finding> =>
  agent.held.filter(isUnrestricted).map((held) => {
    const entry = heldBy(agent, held)
    const bare = Object.keys(held.grant.scope).length === 0
    return warning(entry, {
      code: "COMMANDS_UNRESTRICTED",
      detail: bare
        ? "'proc.exec' has no in, cmds or patterns: it is any command, wherever the root of the agent is"
        : `'${entry.written}'${held.from === "sandbox" ? ", which 'sandbox:' stands for," : ""} is unrestricted: it allows any command`,
      remedy: remedyOf(held)
    })
  })

const inItself = [Risks.looseCommands, Risks.wholeSuffixes, Risks.grantsToAnybody]

/** Most are, and need not be looked at entry by entry. Beside what is allowed without limit others do not show. */
const isHarmless = (authority: Authority): boolean =>
  !anyCommand(authority) &&
  !anyHost(authority) &&
  inItself.every((risk) => risk({ authority, written: "" }).length === 0)

/** A child that the kernel holds changes nothing that authority is read from. */
const isHeld = ({ policy }: Subject, { platform: { holding } }: Input): boolean =>
  holding?.held === true && policy.sandbox !== "off"

const risksOf = (subject: Subject, places: ReadonlyArray<Place>, input: Input): ReadonlyArray<Finding> => {
  const { authority } = subject
  const near = places.filter((place) => writesIn(authority, place) || runsIn(authority, place))
  if (near.length === 0 && isHarmless(authority)) return []
  return subject.entries.flatMap((entry) =>
    [
      ...Risks.writes(entry, near),
      ...(isHeld(subject, input) ? [] : Risks.runs(entry, near)),
      ...inItself.flatMap((risk) => risk(entry))
    ].map((risk) => warning(entry, risk))
  )
}

const findings = (input: Input): ReadonlyArray<Finding> => {
  const places = input.workspace === undefined ? [] : placesOf(input.workspace)
  return [
    ...agentsOf(input).flatMap(unrestricted),
    ...subjectsOf(input).flatMap((subject) => risksOf(subject, places, input))
  ]
}

export const escalation: Check = {
  name: "escalation",
  passed: (input) => {
    const { length } = subjectsOf(input)
    return length === 0
      ? undefined
      : `${some(length, "policy", "policies")}, none of which reaches where authority is written`
  },
  findings
}

/** Which entries of the log are asked for. The same names stand in the URL of the page. */
import type { Call, Decision } from "../../../../audit/AuditEntry.js"

export interface Filter {
  /** With or without `agents/` in front. */
  readonly agent?: string | undefined
  readonly personality?: string | undefined
  readonly tool?: string | undefined
  /** One capability, or all of a facet: `network` has `network.get` in it. */
  readonly capability?: string | undefined
  readonly session?: string | undefined
  /** Refusals alone. */
  readonly denied?: boolean | undefined
  /** In milliseconds. */
  readonly since?: number | undefined
}

type Subject = Pick<Decision, "agent" | "personality" | "tool" | "session" | "time">

const AGENTS = "agents/"

/** An agent without the folder that all of them are in. */
export const shortAgent = (id: string): string => (id.startsWith(AGENTS) ? id.slice(AGENTS.length) : id)

const isAbsentOr = (wanted: string | undefined, found: string | undefined): boolean =>
  wanted === undefined || wanted === found

/** Whether an entry is of when the filter says. */
export const isSince = ({ since }: Filter, { time }: Pick<Subject, "time">): boolean =>
  since === undefined || Date.parse(time) >= since

/** Whether an entry is of whom, of what and of when the filter says. */
export const isOf = (filter: Filter, entry: Subject): boolean => {
  const { agent, personality, session, tool } = filter
  return (
    isAbsentOr(tool, entry.tool) &&
    isAbsentOr(session, entry.session) &&
    isAbsentOr(personality, entry.personality) &&
    (agent === undefined || (entry.agent !== undefined && shortAgent(agent) === shortAgent(entry.agent))) &&
    isSince(filter, entry)
  )
}

const isWithin = (capability: string, wanted: string): boolean =>
  capability === wanted || capability.startsWith(`${wanted}.`)

/** Whether a decision is asked for. */
export const hasDecision = (filter: Filter, decision: Decision): boolean =>
  isOf(filter, decision) &&
  (filter.denied !== true || !decision.allowed) &&
  (filter.capability === undefined || isWithin(decision.capability, filter.capability))

/** Whether decisions are chosen among those of a call; then a call counts by what is left of them. */
const choosesDecisions = ({ capability, denied }: Filter): boolean =>
  denied === true || capability !== undefined

/** Whether a call is asked for of which so many decisions are. */
export const hasCall = (filter: Filter, call: Call, decisions: number): boolean =>
  isOf(filter, call) && (decisions > 0 || !choosesDecisions(filter))

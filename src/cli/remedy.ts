/** What an operator would do so that a refused call is allowed. */
import * as Authority from "../policy/Authority.js"
import type { Denial } from "../policy/Denial.js"
import { type Capability, capabilities } from "../policy/Facets.js"
import type { Policy } from "../policy/Policy.js"

/** A remedy in the notation of grants says nothing to somebody who writes a personality. */
const isGrant = (remedy: string): boolean => /^(net|fs|proc|records|agent)\.[a-z]+(\{|:|$)/.test(remedy)

const hostOf = (asked: string): string => {
  const url = asked.slice(asked.indexOf(" ") + 1)
  return URL.canParse(url) ? new URL(url).hostname : url
}

const pathOf = (asked: string): string => asked.slice(asked.indexOf(" ") + 1)

const commandOf = (asked: string): string => /^exec ("(?:[^"\\]|\\.)*"|\S+)/.exec(asked)?.[1] ?? "sh"

const isCapability = (name: string): name is Capability => capabilities.some((one) => one.name === name)

/** The agent whose record refuses: where a personality refuses as well, that is what has to be changed first. */
const agentToGrant = ({ parts }: Policy, { capability, held }: Denial): string | undefined => {
  const personality = parts.find((part) => part.personality !== undefined)
  const agent = parts.find((part) => part.agent !== undefined)?.agent
  if (agent === undefined || personality === undefined) return agent
  const gives =
    isCapability(capability) && Authority.shown(personality.authority, capability).length > held.length
  return gives ? agent : undefined
}

export const remedyFor = (denial: Denial, policy: Policy): string => {
  const { asked, capability, code, remedy } = denial
  if (!isGrant(remedy)) return remedy
  const agent = agentToGrant(policy, denial)
  if (agent !== undefined) return `bailiwick agents grant ${agent} '${remedy}'`
  if (capability.startsWith("network.")) return `add "${hostOf(asked)}" to safety.network.allow`
  if (capability.startsWith("files.")) {
    const direction = capability === "files.read" ? "read" : "write"
    return `add "${pathOf(asked)}", or a directory above it, to fs_reach.${direction}`
  }
  if (!capability.startsWith("process.")) return remedy
  return code === "CWD_NOT_REACHABLE"
    ? "run it in the working directory or below a directory of fs_reach, or add that directory"
    : capability === "process.eval"
      ? 'add "sh" to process.allow, and the directory to fs_reach'
      : `add "${commandOf(asked).replace(/^"|"$/g, "")}" to process.allow`
}

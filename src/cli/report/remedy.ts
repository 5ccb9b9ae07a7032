/** What an operator would do so that a refused call is allowed. */
import { Either } from "effect"
import * as Authority from "../../policy/lattice/Authority.js"
import type { Denial } from "../../policy/lattice/Denial.js"
import * as Request from "../../policy/lattice/Request.js"
import type { Policy } from "../../policy/Policy.js"

/** A remedy in the notation of grants says nothing to somebody who writes a personality. */
const isGrant = (remedy: string): boolean => /^(net|fs|proc|records|agent)\.[a-z]+(\{|:|$)/.test(remedy)

const hostOf = (asked: string): string => {
  const url = asked.slice(asked.indexOf(" ") + 1)
  return URL.canParse(url) ? new URL(url).hostname : url
}

const pathOf = (asked: string): string => asked.slice(asked.indexOf(" ") + 1)

const commandOf = (asked: string): string => /^exec ("(?:[^"\\]|\\.)*"|\S+)/.exec(asked)?.[1] ?? "sh"

/** The agent whose record has to be changed: where a personality refuses as well, that comes first. */
const agentToGrant = ({ parts }: Policy, { asked }: Denial): string | undefined => {
  const made = Request.parse(asked)
  const refuses = ({ authority }: Policy) =>
    Either.isLeft(made) || !Authority.permits(authority, made.right).allowed
  return parts.some((part) => part.personality !== undefined && refuses(part))
    ? undefined
    : parts.find(({ agent }) => agent !== undefined)?.agent
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

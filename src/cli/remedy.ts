/** What an operator would write into a personality so that a refused call is allowed. */
import type { Denial } from "../policy/Denial.js"

/** A remedy in the notation of grants says nothing to somebody who writes a personality. */
const isGrant = (remedy: string): boolean => /^(net|fs|proc)\.[a-z]+(\{|:)/.test(remedy)

const hostOf = (asked: string): string => {
  const url = asked.slice(asked.indexOf(" ") + 1)
  return URL.canParse(url) ? new URL(url).hostname : url
}

const pathOf = (asked: string): string => asked.slice(asked.indexOf(" ") + 1)

const commandOf = (asked: string): string => /^exec ("(?:[^"\\]|\\.)*"|\S+)/.exec(asked)?.[1] ?? "sh"

export const remedyFor = ({ asked, capability, code, remedy }: Denial): string => {
  if (!isGrant(remedy)) return remedy
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
